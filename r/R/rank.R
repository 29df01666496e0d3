# Running one method, and its ranking.

pith_rank <- function(x, method = "auto", ..., samples = "auto", assay = NULL, layer = NULL, labels = NULL, batch = NULL,
                      batch_graph = FALSE, n = NULL, prep = NULL, seed = 1, threads = getOption("pith.threads"), engine = NULL,
                      progress = interactive()) {
    table <- table_of(x, samples, assay, layer)
    warn_of_twins(table)
    parameters <- parameters_of(list(...), x, check_method(method), names(formals(pith_rank)))
    run_method(x, table, method, parameters, labels, batch, batch_graph, count = n_of(n, table$size),
               prep = prep, seed = seed, threads = threads, engine = engine, progress = progress)
}

# How many features: NULL, "auto", a number, or a share below 1 of `size`.
n_of <- function(n, size) {
    if (is.null(n) || identical(n, "auto")) return(n)
    if (is.numeric(n) && length(n) == 1L && !is.na(n) && n > 0 && n < 1) return(max(1, floor(n * size)))
    if (!is.numeric(n) || length(n) != 1L || is.na(n) || n < 1 || n != floor(n))
        refuse("n: a positive number of features, a share below 1 or \"auto\" expected, not ",
               if (is.atomic(n) && length(n) == 1L) format(n) else kind_of(n),
               if (is.character(n) && length(n) == 1L && n %in% names(all_methods())) paste0("; for the method, method = \"", n, "\""))
    if (n > size) refuse("n: ", number_text(n), " of ", size, " features: the data has only so many")
    as.numeric(n)
}

run_method <- function(x, table, method, parameters, labels, batch, batch_graph, count, prep, seed, threads, engine, progress) {
    if (!is.null(prep) && !identical(prep, "auto"))
        refuse("prep: NULL or \"auto\" expected; for other steps prepare the data first, with pith_prep()")
    table$labels <- sample_texts(labels, x, table, "labels")
    table$batches <- sample_texts(batch, x, table, "batch")
    if (one_flag(batch_graph, "batch_graph") && is.null(batch)) refuse("batch_graph: needs batch, the batch of each sample")
    bar <- progress_bar(progress)
    on.exit(bar$close())
    said <- checked(.Call(pithr_run, c(how(seed, threads, engine, bar), list(
        table = table, method = method, parameters = parameters, count = if (is.numeric(count)) count else 0,
        keep = as.numeric(identical(count, "auto")), batch_graph = as.numeric(batch_graph),
        prepare = as.numeric(!is.null(prep))))), table)
    if (!is.null(said$why)) tell(paste0("using the method ", said$method, ": ", said$why))
    if (!is.null(prep)) tell_steps(said$steps)
    logs <- !is.null(said$steps) || !is.null(said$note) && startsWith(said$note, "ranking after")
    if (table$by_default && !is.null(said$why) && said$method == "consensus" && !logs)
        tell(paste0("the assay 'counts' has few zeros, like reads of bulk RNA: where samples differ in depth, prepare it with ",
                    "pith_prep(x, \"counts\"), and give assay = \"prepared\""))
    # Who looks for q-values would find none, as if no feature stood out.
    if (said$method == "consensus" && table$n < 20 && is.null(batch) && !identical(parameters[["evidence"]], "none"))
        tell(paste0("no feature is tested against chance, so there is no q: that needs at least 20 samples, not ", table$n))
    if (!is.null(said$note)) tell(in_words(said$note, table))
    if (!is.null(said$warning)) warning(in_words(said$warning, table), call. = FALSE)
    ranking_of(said, table, seed)
}

# Before the work: has one of these methods these parameters? "auto" and "all" are any of them. A mistyped one may be one
# of our own arguments.
check_names <- function(methods, given, arguments) {
    any <- methods[1L] %in% c("auto", "all")
    known <- unique(unlist(lapply(if (any) all_methods() else all_methods()[methods], function(m)
        vapply(m$parameters, `[[`, "", "name"))))
    for (name in setdiff(given, known)) {
        if (name == "prep") refuse("prep: prepare the data first, with pith_prep()", kind = "parameter")
        if (name %in% c("fdr", "subset")) refuse(name, ": is an argument of pith_select()", kind = "parameter")
        near <- .Call(pithr_nearest, name, c(known, near_arguments(name, arguments)))
        refuse(if (any) "no method has a" else if (length(methods) == 1L) paste(methods, "has no") else
               "none of the methods has a", " parameter '", name, "'",
               if (!is.null(near)) paste0("; did you mean '", near, "'?") else
                   if (!any && length(methods) == 1L) paste0("; pith_methods(\"", methods, "\") lists them"), kind = "parameter")
    }
}

# Those of our own arguments that may be meant: every short word is near to one of a letter, as k is to n.
near_arguments <- function(name, arguments) setdiff(arguments[nchar(arguments) > 1L | arguments == tolower(name)], "...")

# The data.frame, best first, with everything else the run found as its attribute "pith".
ranking_of <- function(said, table, seed) {
    at <- said$ranking
    score <- said$scores
    score[is.nan(score)] <- NA
    frame <- data.frame(rank = seq_along(at), index = at, name = table$features[at], score = score[at], stringsAsFactors = FALSE)
    found <- said$evidence$found
    if (!is.null(found)) for (column in c("lift", "p", "q")) {
        values <- found[[column]]
        values[is.nan(values)] <- NA
        frame[[column]] <- values[at]
    }
    if (!is.null(said$batches)) {
        frame$batches <- said$batches[at]
        frame$in_all_batches <- frame$batches == said$n_batches
    }
    known <- all_methods()[[said$method]]$parameters
    names(known) <- vapply(known, `[[`, "", "name")
    about <- list(method = said$method, why = said$why, samples = table$n, features = table$size,
                  parameters = Map(function(name, text) value_from(known[[name]], text), names(said$parameters), said$parameters),
                  reasons = stats::setNames(said$reasons, table$features)[!is.na(said$reasons)],
                  evidence = found$sentence, keep = if (said$keep >= 0) said$keep, curve = as.data.frame(said$curve),
                  facts = unlist(said$facts), history = said$history, n_batches = said$n_batches, seconds = said$seconds,
                  peak_bytes = said$peak_bytes, engine = said$engine, prep = said$steps, note = said$note, warning = said$warning, seed = seed,
                  version = .Call(pithr_version))
    structure(frame, class = c("pith_ranking", "data.frame"), pith = about)
}

as.data.frame.pith_ranking <- function(x, ...) plain_frame(x)

# Without our class and attribute.
plain_frame <- function(x) {
    class(x) <- "data.frame"
    attr(x, "pith") <- NULL
    x
}

# A part of it is no ranking of the data any more, but rows.
`[.pith_ranking` <- function(x, ...) plain_frame(x)[...]

print.pith_ranking <- function(x, n = 10L, ...) {
    about <- attr(x, "pith")
    if (!is.null(about))
        cat("pith ", about$method, ": ", about$features, " features of ", about$samples, " samples, ",
            format(about$seconds, digits = 2), " s\n", sep = "")
    shown <- min(whole(n, "n", 0, 2^31), nrow(x))
    print(utils::head(plain_frame(x), shown), row.names = FALSE, ...)
    if (nrow(x) > shown) cat("... and", nrow(x) - shown, "more\n")
    if (!is.null(about$evidence)) cat(about$evidence, "\n", sep = "")
    invisible(x)
}

summary.pith_ranking <- function(object, ...) {
    structure(list(about = attr(object, "pith"), scores = summary(object$score)), class = "summary.pith_ranking")
}

print.summary.pith_ranking <- function(x, ...) {
    about <- x$about
    shown <- function(value) if (is.null(value)) "" else format(value, digits = 6)
    cat(about$method, if (!is.null(about$why)) paste0(" (", about$why, ")"), "\n", sep = "")
    cat(about$features, "features of", about$samples, "samples; seed", format(about$seed), "\n")
    cat("\nparameters\n")
    cat(sprintf("  %-20s %s\n", names(about$parameters), vapply(about$parameters, shown, "")), sep = "")
    if (length(about$facts)) cat("\nfound\n", sprintf("  %-20s %s\n", names(about$facts), vapply(about$facts, shown, "")), sep = "")
    cat("\nscores\n")
    print(x$scores)
    for (text in unique(c(about$evidence, about$note, about$warning))) cat("\n", text, "\n", sep = "")
    invisible(x)
}

# The best features, best on top; where there are q-values, the others are grey.
plot.pith_ranking <- function(x, n = 30L, main = NULL, xlab = "score", col = "steelblue", ...) {
    best <- utils::head(plain_frame(x), whole(n, "n", 1, 2^31))
    best <- best[!is.na(best$score), , drop = FALSE]
    if (nrow(best) == 0L) refuse("x: no feature has a score to plot", kind = "data")
    about <- attr(x, "pith")
    if (is.null(main)) main <- if (is.null(about)) "" else paste0(about$method, ": the best ", nrow(best), " of ", about$features, " features")
    called <- if (is.null(best$q)) rep(TRUE, nrow(best)) else !is.na(best$q) & best$q <= 0.05
    names <- ifelse(nchar(best$name) > 24L, paste0(substr(best$name, 1L, 22L), "..."), best$name)
    wide <- 0.5 * max(nchar(names)) # room for the names, in lines of the margin
    old <- graphics::par(mar = c(4, max(wide + 1, 3), if (nzchar(main)) 3 else 1, 1), las = 1)
    on.exit(graphics::par(old))
    at <- graphics::barplot(rev(best$score), horiz = TRUE, col = ifelse(rev(called), col, "grey75"), border = NA,
                            xlab = xlab, main = main, ...)
    # As large as the bars allow: of names that overlap, R would leave out every other one.
    size <- min(0.8, 1.25 * graphics::par("pin")[2L] / length(at) / graphics::par("csi") * graphics::par("cex"))
    graphics::axis(2, at, rev(names), tick = FALSE, line = -0.8, cex.axis = size, gap.axis = -1)
    last <- sum(called)
    if (!is.null(best$q) && last > 0L && last < nrow(best) && all(called[seq_len(last)])) {
        between <- mean(rev(at)[c(last, last + 1L)])
        graphics::abline(h = between, lty = 2)
        graphics::mtext("q = 0.05", side = 4, at = between, las = 0, line = 0, cex = 0.7)
    }
    invisible(x)
}
