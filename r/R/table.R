# Data on its way into the library. A table here is a list: what C borrows (x and by_rows; or p, j, x and columns of
# CSR), names of features and samples, whether those are made up (unnamed), the numbers n and p, and by_rows of x.
# by_default: nobody asked for the assay 'counts', it was there.

is_experiment <- function(x) inherits(x, "SummarizedExperiment")
is_seurat <- function(x) inherits(x, c("Seurat", "Assay", "StdAssay"))

need <- function(package) {
    if (!requireNamespace(package, quietly = TRUE)) refuse("the package '", package, "' is needed for this kind of data")
}

# The matrix of an annotated object.
experiment_matrix <- function(x, assay) {
    need("SummarizedExperiment")
    names <- SummarizedExperiment::assayNames(x)
    count <- length(SummarizedExperiment::assays(x))
    if (count == 0L) refuse("x: the object has no assay", kind = "data")
    if (is.null(assay)) assay <- if ("counts" %in% names) "counts" else 1L
    if (is.character(assay) && !one_text(assay, "assay") %in% names) refuse(unknown_word("assay", assay, names))
    if (!is.character(assay)) assay <- whole(assay, "assay", 1, count)
    SummarizedExperiment::assay(x, assay, withDimnames = TRUE)
}

seurat_matrix <- function(x, assay, layer) {
    need("SeuratObject")
    layer <- if (is.null(layer)) "counts" else one_text(layer, "layer")
    if (inherits(x, "Seurat")) {
        if (is.null(assay)) assay <- SeuratObject::DefaultAssay(x)
        known <- SeuratObject::Assays(x)
        if (!one_text(assay, "assay") %in% known) refuse(unknown_word("assay", assay, known))
        x <- x[[assay]]
    } else if (!is.null(assay)) refuse("assay: x is an assay itself")
    # What version 5 calls a layer was a slot before.
    word <- if ("layer" %in% names(formals(utils::getS3method("GetAssayData", "Assay", envir = asNamespace("SeuratObject")))))
        "layer" else "slot"
    tryCatch(do.call(SeuratObject::GetAssayData, stats::setNames(list(x, layer), c("object", word))),
             error = function(e) refuse("layer: ", conditionMessage(e)))
}

unknown_word <- function(what, word, words) {
    near <- .Call(pithr_nearest, enc2utf8(word), enc2utf8(as.character(words)))
    paste0("unknown ", what, " '", word, "'; ", if (!is.null(near)) paste0("did you mean '", near, "'?") else
        paste0("there ", if (length(words) > 1L) "are " else if (length(words)) "is only " else "is none", paste(words, collapse = ", ")))
}

# A data.frame as a matrix of doubles: every column must hold numbers.
frame_matrix <- function(x) {
    for (j in seq_along(x)) {
        column <- x[[j]]
        if (is.object(column) || !(is.numeric(column) || is.logical(column)) || !is.null(dim(column)))
            refuse("column '", names(x)[j], "' is ", if (is.factor(column)) "a factor" else paste("of class", class(column)[1L]),
                   ", not numbers: leave it out", if (is.factor(column) || is.character(column)) ", or give it as labels",
                   if (is.character(column) && j == 1L) "; if it holds the names of the rows, read the file with row.names = 1",
                   kind = "data")
    }
    values <- matrix(as.double(unlist(x, use.names = FALSE)), nrow(x), ncol(x))
    automatic <- .row_names_info(x) < 0L
    dimnames(values) <- list(if (!automatic) row.names(x), names(x))
    values
}

# Any two-dimensional thing as a matrix of doubles, or of one of Matrix's sparse classes.
plain_matrix <- function(x) {
    if (is.data.frame(x)) return(frame_matrix(x))
    if (inherits(x, "DelayedMatrix")) x <- if (DelayedArray_is_sparse(x)) as(x, "dgCMatrix") else as.matrix(x)
    if (is(x, "sparseMatrix")) {
        if (is(x, "dgCMatrix") || is(x, "dgRMatrix")) return(x)
        return(as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix"))
    }
    if (is(x, "Matrix")) x <- as.matrix(x)
    if (!is.matrix(x))
        refuse("x: a matrix, data.frame, sparse matrix, SummarizedExperiment, SingleCellExperiment or Seurat object ",
               "expected, not ", kind_of(x), way_out(x))
    if (!(is.numeric(x) || is.logical(x)))
        refuse("x: a matrix of numbers expected, not of ", typeof(x), if (is.character(x)) column_of_text(x), kind = "data")
    if (!is.double(x)) storage.mode(x) <- "double"
    x
}

# Why a matrix holds texts: of a table with a column of them, as.matrix() makes texts of all.
column_of_text <- function(x) {
    for (j in seq_len(ncol(x))) {
        words <- x[is.na(suppressWarnings(as.numeric(x[, j]))) & !is.na(x[, j]), j]
        if (length(words))
            return(paste0("; column ", if (is.null(colnames(x))) j else paste0("'", colnames(x)[j], "'"), " holds '", words[[1L]],
                          "': leave such columns out before as.matrix()"))
    }
    "; if its texts are numbers, storage.mode(x) <- \"double\" makes them such"
}

# Where the matrix is in what Bioconductor and limma hand out, and in a file.
way_out <- function(x) {
    if (inherits(x, "ExpressionSet")) "; give Biobase::exprs(x), with samples = \"columns\""
    else if (inherits(x, "EList")) "; give x$E, with samples = \"columns\""
    else if (inherits(x, "DGEList")) "; give x$counts, with samples = \"columns\""
    else if (is.character(x) && length(x) == 1L) "; read a file first, for example with read.csv()"
}

DelayedArray_is_sparse <- function(x) {
    need("DelayedArray")
    get("is_sparse", envir = asNamespace("DelayedArray"))(x)
}

# What C borrows. CSC of features x samples is CSR of samples x features: nothing is turned there.
core_of <- function(x, by_rows) {
    if (!is(x, "sparseMatrix")) return(list(x = x, by_rows = by_rows))
    if (is(x, "dgRMatrix")) {
        if (by_rows) return(list(p = x@p, j = x@j, x = x@x, columns = ncol(x)))
        x <- as(x, "CsparseMatrix")
    }
    if (by_rows) x <- t(x)
    list(p = x@p, j = x@i, x = x@x, columns = nrow(x))
}

# The table of x; samples: "auto", "rows" or "columns".
table_of <- function(x, samples = "auto", assay = NULL, layer = NULL) {
    samples <- one_of(samples, "samples", c("auto", "rows", "columns"))
    annotated <- is_experiment(x) || is_seurat(x)
    if (!annotated && !is.null(assay)) refuse("assay: x is a plain table, without assays")
    if (!is_seurat(x) && !is.null(layer)) refuse("layer: for Seurat objects only")
    sparse <- is(x, "sparseMatrix")
    values <- plain_matrix(if (is_experiment(x)) experiment_matrix(x, assay) else
        if (is_seurat(x)) seurat_matrix(x, assay, layer) else x)
    by_rows <- if (samples == "auto") !annotated else samples == "rows"
    size <- if (by_rows) dim(values) else rev(dim(values))
    if (size[1L] == 0L || size[2L] == 0L)
        refuse("x: ", size[1L], " samples and ", size[2L], " features: there is nothing to rank", kind = "data")
    # Many rows with names are often genes.
    if (samples == "auto" && !annotated && (sparse || nrow(values) > 5 * ncol(values) && length(rownames(values))))
        tell(paste0("taking rows as ", nrow(values), " samples, columns as ", ncol(values),
                    " features; for genes x ", if (sparse) "cells" else "samples", " give samples = \"columns\""))
    names <- dimnames(values)
    if (!by_rows) names <- rev(names)
    features <- if (length(names)) names[[2L]]
    c(core_of(values, by_rows),
      list(features = if (is.null(features)) paste0("V", seq_len(size[2L])) else enc2utf8(ifelse(is.na(features), "", features)),
           samples = if (length(names) && !is.null(names[[1L]])) enc2utf8(names[[1L]]),
           unnamed = list(feature = is.null(features), sample = !length(names) || is.null(names[[1L]])),
           n = size[1L], size = size[2L], sideways = !by_rows,
           by_default = is_experiment(x) && is.null(assay) && "counts" %in% SummarizedExperiment::assayNames(x)))
}

warn_of_twins <- function(table) {
    twins <- unique(table$features[duplicated(table$features)])
    if (length(twins))
        warning(length(twins), if (length(twins) == 1L) " feature name occurs" else " feature names occur",
                " more than once, such as '", twins[1L], "': tell them apart by their index", call. = FALSE)
}

# One text per sample, of a vector or, for annotated objects, of the name of a column of theirs.
sample_texts <- function(value, x, table, name) {
    if (is.null(value)) return(NULL)
    if ((is_experiment(x) || inherits(x, "Seurat")) && is.character(value) && length(value) == 1L && table$n != 1L) {
        columns <- if (is_experiment(x)) SummarizedExperiment::colData(x) else x[[]]
        if (!value %in% names(columns)) refuse(name, ": ", unknown_word("column", value, names(columns)))
        value <- columns[[value]]
    }
    if (is.list(value) || length(value) != table$n)
        refuse(name, ": one per sample expected (", table$n, "), not ", if (is.list(value)) "a list" else length(value))
    texts <- if (is.numeric(value) && !is.object(value)) vapply(value, number_text, "") else as.character(value)
    enc2utf8(ifelse(is.na(value), "", texts))
}
