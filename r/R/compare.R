# Methods side by side.

pith_compare <- function(x, methods = "all", ..., labels = NULL, n = NULL, grid = NULL, protocol = NULL, clusterer = NULL,
                         metric = NULL, cluster_on = NULL, start = NULL, restarts = NULL, clusters = NULL, stability = NULL,
                         control = FALSE, report = NULL, title = NULL, samples = "auto", assay = NULL, layer = NULL, seed = 1,
                         threads = getOption("pith.threads"), engine = NULL, progress = interactive()) {
    table <- table_of(x, samples, assay, layer)
    warn_of_twins(table)
    table$labels <- sample_texts(labels, x, table, "labels")
    if (!is.character(methods) || length(methods) == 0L || anyNA(methods))
        refuse("methods: names of methods expected, or \"all\"; pith_methods() lists them")
    methods <- trimws(unlist(strsplit(methods, ",", fixed = TRUE)))
    for (name in methods) check_method(name, also = "all")
    parameters <- parameters_of(list(...), NULL, methods, names(formals(pith_compare)))
    number <- function(value, name, low = 1) if (is.null(value)) 0 else whole(value, name, low, 2^31 - 1)
    bar <- progress_bar(progress)
    on.exit(bar$close())
    said <- checked(.Call(pithr_compare, c(how(seed, threads, engine, bar), list(
        table = table, methods = paste(methods, collapse = ","),
        features = if (!is.null(n)) paste(vapply(n, function(k) number_text(whole(k, "n", 1, table$size)), ""), collapse = ","),
        grids = grid_texts(grid), settings = setting_texts(parameters),
        protocol = text_or_null(protocol, "protocol"), clusterer = text_or_null(clusterer, "clusterer"),
        metric = text_or_null(metric, "metric"), cluster_on = text_or_null(cluster_on, "cluster_on"),
        start = text_or_null(start, "start"), restarts = number(restarts, "restarts"), clusters = number(clusters, "clusters", 2),
        stability = number(stability, "stability"), control = as.numeric(one_flag(control, "control")),
        report = if (!is.null(report)) path.expand(one_text(report, "report")), data = text_or_null(title, "title")))), table)
    comparison_of(said, table)
}

# "lambda=1e-6,1e-5" for each; "default": each method's own.
grid_texts <- function(grid) {
    if (is.null(grid)) return(NULL)
    if (identical(grid, "default")) return("default")
    if (!is.list(grid) || is.null(names(grid)) || any(names(grid) == ""))
        refuse("grid: \"default\" or a list such as list(neighbors = c(5, 9)) expected")
    unname(mapply(function(name, values)
        paste0(name, "=", paste(vapply(values, function(v) value_of(name, v), ""), collapse = ",")), names(grid), grid))
}

setting_texts <- function(parameters) {
    for (name in names(parameters))
        if (!is.character(parameters[[name]])) refuse(name, ": pith_compare takes a file here, not a matrix or vector")
    if (length(parameters)) paste0(names(parameters), "=", unlist(parameters))
}

comparison_of <- function(said, table) {
    rows <- lapply(said$entries, function(e) {
        if (length(e$rows$features) == 0L) return(NULL)
        data.frame(method = e$method, parameters = e$parameters, features = e$rows$features, measure = e$rows$measure,
                   mean = e$rows$mean, sd = e$rows$sd, runs = e$rows$runs, seconds = e$seconds, stringsAsFactors = FALSE)
    })
    frame <- do.call(rbind, rows)
    if (is.null(frame))
        frame <- data.frame(method = character(), parameters = character(), features = integer(), measure = character(),
                            mean = numeric(), sd = numeric(), runs = integer(), seconds = numeric())
    label <- vapply(said$entries, function(e) trimws(paste(e$method, e$parameters)), "")
    entry <- function(what) {
        found <- stats::setNames(lapply(said$entries, `[[`, what), label)
        found[!vapply(found, is.null, NA)]
    }
    evidence <- said$evidence
    if (!is.null(evidence)) evidence$features_tested <- table$features
    about <- list(samples = table$n, features = table$size, errors = unlist(entry("error")), rankings = entry("ranking"),
                  names = table$features, evidence = evidence, control = said$control, keep = if (said$keep > 0) said$keep)
    for (i in seq_along(about$errors)) warning(names(about$errors)[i], ": ", in_words(about$errors[[i]], table), call. = FALSE)
    structure(frame, class = c("pith_comparison", "data.frame"), pith = about)
}

as.data.frame.pith_comparison <- function(x, ...) plain_frame(x)

`[.pith_comparison` <- function(x, ...) plain_frame(x)[...]

# Best first is what one reads: except for redundancy, more is better.
measure_of <- function(x, measure) {
    known <- unique(x$measure)
    if (is.null(measure)) return(known[1L])
    one_of(measure, "measure", known)
}

# A matrix: methods in rows, numbers of features in columns, the mean of the best setting.
summary.pith_comparison <- function(object, measure = NULL, ...) {
    measure <- measure_of(object, measure)
    chosen <- plain_frame(object)[object$measure == measure, , drop = FALSE]
    methods <- unique(chosen$method)
    best <- if (measure == "redundancy") min else max
    tapply(chosen$mean, list(method = factor(chosen$method, methods), features = chosen$features), best)
}

print.pith_comparison <- function(x, measure = NULL, digits = 3L, ...) {
    about <- attr(x, "pith")
    if (is.null(about) || nrow(x) == 0L) {
        print(plain_frame(x), ...)
        return(invisible(x))
    }
    measure <- measure_of(x, measure)
    cat("pith comparison: ", about$features, " features of ", about$samples, " samples; ", measure, ", the best setting of each method\n", sep = "")
    print(round(summary(x, measure), digits), na.print = "")
    cat("measures: ", paste(unique(x$measure), collapse = ", "), "\n", sep = "")
    if (!is.null(about$evidence)) cat(about$evidence$sentence, "\n", sep = "")
    invisible(x)
}

YARDSTICKS <- c("all-features", "random")

# A line per method over the number of features; what there is to compare with is grey.
plot.pith_comparison <- function(x, measure = NULL, main = NULL, xlab = "features", ylab = NULL, ...) {
    measure <- measure_of(x, measure)
    means <- summary.pith_comparison(x, measure)
    counts <- as.numeric(colnames(means))
    usual <- setdiff(rownames(means), YARDSTICKS)
    at <- counts[colSums(!is.na(means[usual, , drop = FALSE])) > 0]
    if (length(at) == 0L) at <- counts
    colours <- stats::setNames(grDevices::hcl.colors(max(length(usual), 2L), "Dark 3")[seq_along(usual)], usual)
    wide <- 0.5 * max(nchar(rownames(means))) + 3 # of the legend beside the plot, in lines
    old <- graphics::par(mar = c(4, 4, if (is.null(main)) 1 else 3, wide), las = 1)
    on.exit(graphics::par(old))
    graphics::plot(range(at), range(means, na.rm = TRUE), type = "n", xlab = xlab, ylab = if (is.null(ylab)) measure else ylab,
                   main = main, ...)
    for (method in rownames(means)) {
        line <- means[method, ]
        here <- !is.na(line)
        if (method %in% usual) {
            graphics::lines(counts[here], line[here], type = "b", pch = 19, lwd = 1.5, col = colours[[method]])
        } else if (sum(here) == 1L) {
            graphics::abline(h = line[here], lty = 3, col = "grey50")
        } else {
            graphics::lines(counts[here], line[here], lty = 2, col = "grey50")
        }
    }
    rest <- setdiff(rownames(means), usual)
    graphics::legend(graphics::par("usr")[2L], graphics::par("usr")[4L], c(usual, rest), xpd = NA, bty = "n", cex = 0.8, col = c(colours, rep("grey50", length(rest))),
                     pch = c(rep(19, length(usual)), rep(NA, length(rest))),
                     lty = c(rep(1, length(usual)), ifelse(rowSums(!is.na(means[rest, , drop = FALSE])) == 1, 3, 2)))
    invisible(x)
}
