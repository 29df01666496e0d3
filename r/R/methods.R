# What the library says about its methods and steps.

parameter_frame <- function(parameters) {
    text <- function(value) if (is.null(value)) "" else if (is.numeric(value)) sprintf("%g", value) else format(value)
    data.frame(name = vapply(parameters, `[[`, "", "name"), type = vapply(parameters, `[[`, "", "type"),
               default = vapply(parameters, function(p) text(p$default), ""),
               low = vapply(parameters, function(p) if (is.null(p$low)) NA_real_ else p$low, 0),
               high = vapply(parameters, function(p) if (is.null(p$high)) NA_real_ else p$high, 0),
               choices = vapply(parameters, function(p) paste(p$choices, collapse = ", "), ""),
               help = vapply(parameters, function(p) in_words(p$help, NULL), ""), stringsAsFactors = FALSE)
}

pith_methods <- function(name = NULL) {
    if (!is.null(name)) {
        name <- check_method(name)
        if (name == "auto") refuse("'auto' is not a method: it picks one for the kind of data")
        found <- all_methods()[[name]]
        found$parameters <- parameter_frame(found$parameters)
        found$notes <- in_words(found$notes, NULL)
        return(structure(found, class = "pith_method"))
    }
    described(all_methods(), c("name", "title", "family", "needs_labels", "needs_counts", "needs_tree", "auto_features", "reference"))
}

pith_steps <- function(name = NULL) {
    found <- .Call(pithr_steps)
    names(found) <- vapply(found, `[[`, "", "name")
    found <- lapply(found, function(s) {
        if (is.null(s$stands_for)) s$stands_for <- ""
        s
    })
    if (is.null(name)) return(described(found, c("name", "title", "stands_for")))
    if (!one_text(name, "name") %in% names(found)) refuse(unknown_word("step", name, names(found)), kind = "parameter")
    found <- found[[name]]
    found$parameters <- parameter_frame(found$parameters)
    structure(found, class = "pith_method")
}

described <- function(found, columns) {
    frame <- as.data.frame(lapply(stats::setNames(columns, columns), function(column)
        unname(vapply(found, function(m) m[[column]], found[[1L]][[column]]))), stringsAsFactors = FALSE)
    structure(frame, class = c("pith_methods", "data.frame"))
}

print.pith_methods <- function(x, ...) {
    if (!all(c("name", "title") %in% names(x))) return(print(as.data.frame(unclass(x)), ...))
    for (i in seq_len(nrow(x)))
        cat(strwrap(x$title[i], width = 0.95 * getOption("width"), exdent = 18, initial = formatC(x$name[i], width = -18)), sep = "\n")
    invisible(x)
}

print.pith_method <- function(x, ...) {
    wide <- 0.95 * getOption("width")
    cat(strwrap(paste0(x$name, ": ", x$title), wide), sep = "\n")
    if (length(x$reference) && nzchar(x$reference)) cat("\n", paste(strwrap(x$reference, wide), collapse = "\n"), "\n", sep = "")
    if (length(x$notes) && nzchar(x$notes)) cat("\n", paste(strwrap(x$notes, wide), collapse = "\n"), "\n", sep = "")
    if (length(x$stands_for) && nzchar(x$stands_for)) cat("\nstands for ", x$stands_for, "\n", sep = "")
    for (i in seq_len(nrow(x$parameters))) {
        p <- x$parameters[i, ]
        range <- if (nzchar(p$choices)) p$choices else if (is.na(p$low)) p$type else
            paste0(p$type, " in ", format(p$low), "..", format(p$high))
        cat("\n", p$name, " (", range, if (nzchar(p$default)) paste0("; default ", p$default), ")\n", sep = "")
        cat(strwrap(p$help, wide, indent = 4, exdent = 4), sep = "\n")
    }
    invisible(x)
}
