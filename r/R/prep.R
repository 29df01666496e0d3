# Preparing data.

pith_prep <- function(x, steps, ..., samples = "auto", assay = NULL, layer = NULL, to = "prepared", seed = 1,
                      threads = getOption("pith.threads"), engine = NULL, progress = interactive()) {
    if (missing(steps)) refuse("steps: what to do is needed, such as \"microarray\" or \"counts\"; pith_steps() lists the steps")
    steps <- steps_text(steps, list(...))
    bar <- progress_bar(progress)
    on.exit(bar$close())
    call <- c(how(seed, threads, engine, bar), list(steps = steps))
    if (is.character(x) && is.null(dim(x))) {
        if (anyNA(x)) refuse("x: some documents are NA", kind = "data")
        said <- checked(.Call(pithr_prep, c(call, list(texts = enc2utf8(x)))))
        made <- values_of(said, sideways = FALSE)
        dimnames(made) <- list(if (nrow(made) == length(x)) names(x), said$features)
        return(made)
    }
    table <- table_of(x, samples, assay, layer)
    names <- table$samples
    table$samples <- as.character(seq_len(table$n)) # by these, we know which are left
    said <- checked(.Call(pithr_prep, c(call, list(table = table))), within_names(table, names))
    if (steps == "auto") tell_steps(said$steps)
    samples_left <- as.integer(said$samples)
    values <- values_of(said, table$sideways)
    sides <- list(names[samples_left], if (!table$unnamed$feature) table$features[said$origin])
    dimnames(values) <- if (table$sideways) rev(sides) else sides
    restored(x, values, said, samples_left, table, to)
}

# What "auto" turned out to be.
tell_steps <- function(steps) tell(if (is.null(steps)) "nothing to prepare" else paste("prepared by", steps))

# The table with its samples' own names, for sentences about them.
within_names <- function(table, names) {
    table$samples <- names
    table
}

# "log1p,zscore"; or several, and the parameters of the only one by `...`.
steps_text <- function(steps, parameters) {
    if (!is.character(steps) || length(steps) == 0L || anyNA(steps))
        refuse("steps: texts such as \"log1p\" expected; pith_steps() lists them")
    steps <- enc2utf8(steps)
    check_ours(names(parameters))
    parameters <- parameters_of(parameters)
    if (length(parameters) == 0L) return(paste(steps, collapse = ","))
    if (length(steps) > 1L || grepl("[,:=]", steps))
        refuse("parameters belong to a single step: with several, write \"drop-noisy:remove=0.2\"")
    paste0(steps, paste0(":", names(parameters), "=", unlist(parameters), collapse = ""))
}

# What no step has as a parameter may be one of our own arguments, mistyped.
check_ours <- function(given) {
    known <- unlist(lapply(.Call(pithr_steps), function(s) vapply(s$parameters, `[[`, "", "name")))
    for (name in setdiff(given, c(known, ""))) {
        near <- .Call(pithr_nearest, enc2utf8(name), c(known, near_arguments(name, names(formals(pith_prep)))))
        if (!is.null(near) && !near %in% known)
            refuse("there is no argument '", name, "'; did you mean '", near, "'?", kind = "parameter")
    }
}

# The matrix, turned as the data was. CSR of samples x features is CSC of features x samples.
values_of <- function(said, sideways) {
    if (is.null(said$p)) return(if (sideways) t(said$x) else said$x)
    made <- new("dgCMatrix", p = said$p, i = said$j, x = said$x, Dim = c(said$columns, said$rows))
    if (sideways) made else t(made)
}

# What was given, with these values.
restored <- function(x, values, said, left, table, to) {
    if (is.data.frame(x)) {
        if (is(values, "sparseMatrix")) values <- as.matrix(values)
        return(as.data.frame(values))
    }
    if (!is_experiment(x)) return(values)
    x <- if (table$sideways) x[said$origin, left] else x[left, said$origin]
    SummarizedExperiment::assay(x, one_text(to, "to"), withDimnames = FALSE) <- values
    x
}
