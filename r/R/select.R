# Selecting features: a smaller table, or marks.

pith_select <- function(x, n = NULL, method = "auto", ..., fdr = NULL, subset = NULL, samples = "auto", assay = NULL,
                        layer = NULL, labels = NULL, batch = NULL, batch_graph = FALSE, prep = NULL, seed = 1,
                        threads = getOption("pith.threads"), engine = NULL, progress = interactive()) {
    table <- table_of(x, samples, assay, layer)
    warn_of_twins(table)
    parameters <- parameters_of(list(...), x, check_method(method), names(formals(pith_select)))
    annotated <- is_experiment(x) || is_seurat(x)
    subset <- if (is.null(subset)) !annotated else one_flag(subset, "subset")
    if (is.null(n) && is.null(fdr)) refuse("n, the number of features to keep, or fdr is needed")
    count <- n_of(n, table$size)
    if (!is.null(fdr)) parameters <- with_evidence(parameters, fdr)
    if (identical(count, "auto")) check_keeps(method, batch, batch_graph)
    ranking <- run_method(x, table, method, parameters, labels, batch, batch_graph, count, prep, seed, threads, engine, progress)
    ranking$selected <- kept_of(ranking, count, fdr, annotated)
    if (annotated) x <- marked(x, ranking, assay)
    if (!subset) return(if (annotated) x else ranking)
    kept <- sort(ranking$index[ranking$selected])
    if (annotated) x[kept, ] else if (table$sideways) x[kept, , drop = FALSE] else x[, kept, drop = FALSE]
}

with_evidence <- function(parameters, fdr) {
    if (!is.numeric(fdr) || length(fdr) != 1L || is.na(fdr) || fdr <= 0 || fdr > 1)
        refuse("fdr: a rate above 0 and up to 1 expected, not ", if (length(fdr) == 1L) format(fdr) else kind_of(fdr))
    evidence <- parameters[["evidence", exact = TRUE]]
    if (identical(evidence, "none")) refuse("fdr: needs evidence, so evidence = \"none\" cannot be used")
    if (is.null(evidence) || evidence == "auto") parameters[["evidence"]] <- "groups"
    parameters
}

# Does the method say how many features to keep? If not, those that do are named.
check_keeps <- function(method, batch, batch_graph) {
    if (!is.null(batch) && !batch_graph)
        refuse("n = \"auto\" cannot be used with batch: every batch would keep a different number of features")
    if (method == "auto" || all_methods()[[method]]$auto_features) return()
    can <- Filter(function(m) m$auto_features, all_methods())
    refuse("n = \"auto\": ", method, " cannot choose the number of features; give a number, or use one of: ",
           paste(names(can), collapse = ", "))
}

# Which rows of the ranking are selected. In annotated objects features without a score are never marked; a plain
# table has as many columns as were asked for, as of the command.
kept_of <- function(ranking, count, fdr, annotated) {
    kept <- if (is.null(fdr)) rep(TRUE, nrow(ranking)) else !is.na(ranking$q) & ranking$q <= fdr
    if (!any(kept)) refuse("fdr: no feature has a q-value of at most ", format(fdr), kind = "data")
    if (identical(count, "auto") && is.null(fdr)) {
        about <- attr(ranking, "pith")
        check_keeps(about$method, NULL, FALSE)
        if (about$keep == 0) refuse("n = \"auto\": ", about$method, " would keep no feature; give a number", kind = "data")
        tell(paste0("keeping ", about$keep, " features (the number that ", about$method, " chose)"))
        count <- about$keep
    }
    if (is.numeric(count)) kept <- kept & cumsum(kept) <= count
    if (annotated) kept & !is.na(ranking$score) else kept
}

MARKS <- c(pith_rank = "rank", pith_score = "score", pith_selected = "selected", pith_lift = "lift", pith_p = "p", pith_q = "q",
           pith_batches = "batches")

# The object with a column per mark; those of an earlier call are replaced.
marked <- function(x, ranking, assay) {
    rows <- ranking[order(ranking$index), , drop = FALSE]
    about <- attr(ranking, "pith")
    record <- about[c("method", "why", "prep", "note", "parameters", "seed", "version")]
    if (is_experiment(x)) {
        need("S4Vectors")
        data <- SummarizedExperiment::rowData(x)
        for (mark in names(MARKS)) data[[mark]] <- rows[[MARKS[[mark]]]]
        SummarizedExperiment::rowData(x) <- data
        S4Vectors::metadata(x)$pith <- record
        return(x)
    }
    # A Seurat object has its own place for the features that were chosen, best first.
    object <- if (inherits(x, "Seurat")) x[[if (is.null(assay)) SeuratObject::DefaultAssay(x) else assay]] else x
    names <- rownames(object)
    for (mark in names(MARKS)) {
        values <- rows[[MARKS[[mark]]]]
        if (is.null(values) && !mark %in% names(object[[]])) next
        object[[mark]] <- if (is.null(values)) rep(NA_real_, length(names)) else values
    }
    SeuratObject::VariableFeatures(object) <- names[ranking$index[ranking$selected]]
    if (!inherits(x, "Seurat")) return(object)
    x[[if (is.null(assay)) SeuratObject::DefaultAssay(x) else assay]] <- object
    SeuratObject::Misc(x, "pith") <- record
    x
}
