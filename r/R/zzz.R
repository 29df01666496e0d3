.onUnload <- function(libpath) library.dynam.unload("pith", libpath)
