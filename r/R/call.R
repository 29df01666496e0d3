# What every call into the library needs: conditions, seed, threads, a progress bar.

# The exported function that the user called, for the condition.
user_call <- function() {
    for (i in seq_len(sys.nframe())) {
        name <- sys.call(i)[[1L]]
        if (is.call(name) && length(name) == 3L) name <- name[[3L]] # pith::pith_rank
        if (is.name(name) && startsWith(as.character(name), "pith_")) return(as.call(list(name)))
    }
    NULL
}

# An error of class pith_error, and of one for its kind: argument, parameter, data, file, memory, numeric.
refuse <- function(..., kind = "argument") {
    kinds <- c(paste0("pith_error_", kind), "pith_error", "error", "condition")
    stop(structure(class = kinds, list(message = paste0(...), call = user_call())))
}

KINDS <- c("-1" = "memory", "-2" = "argument", "-3" = "parameter", "-4" = "data", "-5" = "file", "-6" = "numeric",
           "-7" = "stopped", "-99" = "bug")

# What C gave back, or the error it tells of, in words for R.
checked <- function(said, table = NULL) {
    if (inherits(said, "pith_failure"))
        refuse(in_words(said$message, table), kind = KINDS[[as.character(said$status)]])
    said
}

# A sentence of the library, about rows, columns and options of the command, for R.
in_words <- function(text, table) {
    name <- function(what, i) {
        names <- table[[paste0(what, "s")]]
        if (is.null(names) || table$unnamed[[what]]) paste(what, i) else paste0(what, " '", names[as.integer(i)], "'")
    }
    found <- regmatches(text, regexec("row ([0-9]+), column ([0-9]+) \\(counted from 1\\)", text))[[1L]]
    if (length(found)) text <- sub(found[1L], paste0(name("sample", found[2L]), ", ", name("feature", found[3L])), text, fixed = TRUE)
    found <- regmatches(text, regexec("column ([0-9]+) \\(counted from 1\\)", text))[[1L]]
    if (length(found)) text <- sub(found[1L], name("feature", found[2L]), text, fixed = TRUE)
    text <- sub("which prep auto takes", "which pith_prep(x, \"auto\") takes", text, fixed = TRUE)
    text <- sub("prepare them first (zscore)", "prepare them first, with pith_prep(x, \"zscore\")", text, fixed = TRUE)
    text <- gsub("prep auto", "prep = \"auto\"", gsub("--prep auto", "prep auto", text, fixed = TRUE), fixed = TRUE)
    text <- sub("is NaN or infinite", "is NA, NaN or infinite", text, fixed = TRUE)
    text <- sub("clean the data or choose what to do with missing values", "leave the feature or sample out, or impute the value", text,
                fixed = TRUE)
    text <- sub("^(unknown step '[^']+')$", "\\1; pith_steps() lists them", text)
    found <- regmatches(text, regexec("^([a-z0-9-]+) has no parameter '[^']+'$", text))[[1L]]
    if (length(found))
        text <- paste0(text, "; pith_", if (found[2L] %in% names(all_methods())) "methods" else "steps", "(\"", found[2L], "\") lists them")
    text <- sub("needs the number of features; pith select and pith compare give it", "needs the number of features, n", text, fixed = TRUE)
    text <- sub("there is nothing to evaluate against; ignore them with --no-labels", "there is nothing to evaluate against; leave out labels",
                text, fixed = TRUE)
    text <- gsub("(^|[ (])-n auto", "\\1n = \"auto\"", text)
    options <- unique(regmatches(text, gregexpr("--[a-z][a-z-]*( [a-z0-9.-]*[a-z0-9])?", text))[[1L]])
    for (option in options[order(-nchar(options))]) {
        words <- strsplit(sub("^--", "", option), " ", fixed = TRUE)[[1L]]
        argument <- gsub("-", "_", words[1L], fixed = TRUE)
        if (length(words) == 2L) argument <- paste0(argument, " = ", if (grepl("^[0-9.]+$", words[2L])) words[2L] else paste0("\"", words[2L], "\""))
        text <- gsub(option, argument, text, fixed = TRUE)
    }
    text
}

kind_of <- function(value) {
    if (is.null(value)) "NULL" else if (is.atomic(value) && is.null(attr(value, "class")) && length(value) != 1L)
        paste(typeof(value), "of length", length(value)) else class(value)[1L]
}

# A whole number within bounds.
whole <- function(value, name, low, high) {
    if (!is.numeric(value) || length(value) != 1L || is.na(value) || value != floor(value) || value < low || value > high) {
        shown <- if (is.atomic(value) && length(value) == 1L) format(value) else kind_of(value)
        refuse(name, ": a whole number in ", format(low, scientific = FALSE), "..", format(high, scientific = FALSE),
               " expected, not ", shown)
    }
    as.numeric(value)
}

one_text <- function(value, name) {
    if (!is.character(value) || length(value) != 1L || is.na(value))
        refuse(name, ": a text expected, not ", kind_of(value))
    enc2utf8(value)
}

one_flag <- function(value, name) {
    if (!is.logical(value) || length(value) != 1L || is.na(value))
        refuse(name, ": TRUE or FALSE expected, not ", kind_of(value))
    value
}

# NULL stays NULL.
text_or_null <- function(value, name) if (is.null(value)) NULL else one_text(value, name)

one_of <- function(value, name, words) {
    value <- one_text(value, name)
    if (!value %in% words) refuse(name, ": '", value, "' is not one of ", paste(words, collapse = ", "))
    value
}

# A bar on stderr, once the work has taken a second, as the command has one.
progress_bar <- function(progress) {
    if (!one_flag(progress, "progress")) return(list(close = function() NULL))
    began <- proc.time()[["elapsed"]]
    bar <- NULL
    list(
        watch = function(done, what) {
            if (is.null(bar) && proc.time()[["elapsed"]] - began > 1)
                bar <<- utils::txtProgressBar(style = 3, file = stderr())
            if (!is.null(bar)) utils::setTxtProgressBar(bar, done)
        },
        close = function() if (!is.null(bar)) close(bar)
    )
}

tell <- function(text) message("pith: ", text)

# What the library says while it works. A warning comes at once: a comparison may take hours.
pass_on <- function(text) {
    text <- in_words(text, NULL)
    if (!startsWith(text, "warning: ")) return(tell(text))
    warning(sub("^warning: ", "", text), call. = FALSE, immediate. = TRUE)
}

# What C needs of every call; `bar` is a progress_bar.
how <- function(seed, threads, engine, bar) {
    memory <- getOption("pith.memory")
    list(seed = whole(seed, "seed", 0, 2^53),
         threads = if (is.null(threads)) 0 else whole(threads, "threads", 1, 4096),
         memory = if (is.null(memory)) 0 else whole(memory, "option pith.memory", 2^20, 2^53),
         scratch = text_or_null(getOption("pith.scratch"), "option pith.scratch"),
         engine = text_or_null(engine, "engine"), watch = bar$watch,
         tell = pass_on)
}
