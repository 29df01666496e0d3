# Parameters of a method, as the library reads them.

number_text <- function(value) {
    if (is.na(value)) return("")
    if (value == floor(value) && abs(value) < 2^53) sprintf("%.0f", value) else sprintf("%.17g", value)
}

# A text; for init_labels integers, for graph and graph_rows a table.
value_of <- function(name, value) {
    single <- is.atomic(value) && length(value) == 1L && !is.object(value) && is.null(dim(value))
    if (single && !is.na(value)) {
        if (is.logical(value)) return(if (value) "yes" else "no")
        if (is.character(value)) return(enc2utf8(value))
        if (is.numeric(value)) return(number_text(value))
    }
    if (name == "init_labels" && (is.factor(value) || is.atomic(value) && length(value) > 1L)) {
        if (anyNA(value)) refuse("init_labels: one label per sample expected, and some are NA", kind = "parameter")
        return(as.integer(factor(value)) - 1L)
    }
    if (name == "graph" && length(dim(value)) == 2L) {
        if (nrow(value) != ncol(value))
            refuse("graph: a graph of the samples must be a square matrix, not ", nrow(value), " x ", ncol(value),
                   kind = "parameter")
        value <- plain_matrix(value)
        return(core_of(if (is(value, "sparseMatrix")) value else as(value, "CsparseMatrix"), TRUE))
    }
    if (name == "graph_rows" && length(dim(value)) == 2L) return(core_of(plain_matrix(value), TRUE))
    refuse(name, ": a number or a text expected, not ", if (single) "NA" else kind_of(value), kind = "parameter")
}

# Those of `...`; NULL leaves one to the method. Names in x are looked up: of reduced dimensions. Their names are checked
# first: a mistyped argument of ours may have any value.
parameters_of <- function(given, x = NULL, methods = NULL, arguments = NULL) {
    names <- names(given)
    if ("transpose" %in% names) refuse("transpose: say where the samples are, by samples = \"columns\"", kind = "parameter")
    if (length(given) && (is.null(names) || any(names == "")))
        refuse("parameters of the method are given by name, as in neighbors = 7")
    if (anyDuplicated(names)) refuse(names[anyDuplicated(names)], ": given twice", kind = "parameter")
    if (!is.null(methods)) check_names(methods, names, arguments)
    given <- given[!vapply(given, is.null, NA)]
    rows <- given[["graph_rows", exact = TRUE]]
    if (is.character(rows) && length(rows) == 1L && !is.na(rows)) {
        file <- file.exists(sub(":[^:]*$", "", rows)) # a key in it may follow
        known <- if (inherits(x, "SingleCellExperiment")) {
            need("SingleCellExperiment")
            SingleCellExperiment::reducedDimNames(x)
        }
        if (rows %in% known)
            given[["graph_rows"]] <- SingleCellExperiment::reducedDim(x, rows)
        else if (inherits(x, "SingleCellExperiment") && !file)
            refuse("graph_rows: ", unknown_word("reduced dimension", rows, known), kind = "parameter")
        else if (inherits(x, "Seurat") && !file)
            refuse("graph_rows: of a Seurat object give the values, as in Embeddings(x, \"", rows, "\")", kind = "parameter")
    }
    stats::setNames(lapply(names(given), function(name) value_of(name, given[[name, exact = TRUE]])), names(given))
}

registry <- new.env(parent = emptyenv())

all_methods <- function() {
    if (is.null(registry$methods)) {
        found <- .Call(pithr_methods)
        registry$methods <- stats::setNames(found, vapply(found, `[[`, "", "name"))
    }
    registry$methods
}

# The name, or the sentence about one that is unknown.
check_method <- function(method, also = "auto") {
    known <- c(also, names(all_methods()))
    method <- one_text(method, "method")
    if (!method %in% known) {
        near <- .Call(pithr_nearest, method, known)
        refuse("unknown method '", method, "'; ", if (is.null(near)) "pith_methods() lists them" else
            paste0("did you mean '", near, "'?"), kind = "parameter")
    }
    method
}

# What the library says of a parameter, as R's value.
value_from <- function(parameter, text) {
    if (parameter$type == "boolean") return(text == "yes")
    if (parameter$type == "file" && text == "") return(NULL)
    if (parameter$type %in% c("integer", "real") && text != parameter$auto_word) return(as.numeric(text))
    text
}
