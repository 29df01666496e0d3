# Objects with annotations: genes x cells.

experiment <- function(kind) {
    need_package("SingleCellExperiment")
    need_package("S4Vectors")
    logs <- cells()
    logs@x <- log1p(logs@x)
    data <- S4Vectors::DataFrame(type = groups(), run = rep(c("mon", "fri"), each = 30))
    getExportedValue(kind, kind)(assays = list(counts = cells(), logs = logs), colData = data)
}

test_that("SummarizedExperiment and SingleCellExperiment are taken as genes x cells, an assay by its name", {
    for (kind in c("SummarizedExperiment", "SingleCellExperiment")) {
        x <- experiment(kind)
        want <- as.data.frame(pith_rank(cells(), "deviance", samples = "columns"))
        expect_identical(as.data.frame(pith_rank(x, "deviance")), want)
        other <- pith_rank(x, "deviance", assay = "logs")
        expect_false(identical(other$score, want$score))
        expect_identical(pith_rank(x, "deviance", assay = 2)$score, other$score)
        expect_error(pith_rank(x, "deviance", assay = "cuonts"), "unknown assay 'cuonts'; did you mean 'counts'", class = "pith_error")
        expect_error(pith_rank(x, "deviance", assay = 3), "assay: a whole number in 1..2", class = "pith_error")
    }
})

test_that("where reads of bulk RNA are taken as they are, it is said", {
    need_package("SummarizedExperiment")
    set.seed(9)
    reads <- matrix(rpois(30 * 24, 50) + 1L, 30, dimnames = list(paste0("g", 1:30), paste0("s", 1:24)))
    x <- SummarizedExperiment::SummarizedExperiment(list(counts = reads))
    said <- "few zeros, like reads of bulk RNA: .*prepare it with pith_prep\\(x, \"counts\"\\), and give assay = \"prepared\""
    expect_message(suppressWarnings(pith_rank(x)), said)
    expect_message(suppressWarnings(pith_select(x, 5)), said)
    quiet <- function(...) testthat::capture_messages(suppressWarnings(pith_rank(...)))
    expect_no_match(quiet(pith_prep(x, "counts"), assay = "prepared"), "bulk")
    expect_no_match(quiet(x, assay = "counts"), "bulk")
    expect_no_match(quiet(experiment("SummarizedExperiment")), "bulk")
})

test_that("where reads of bulk RNA are prepared, it is said and kept with the marks", {
    need_package("SummarizedExperiment")
    set.seed(4)
    reads <- exp(5 + 1.5 * rnorm(120) + 0.5 * matrix(rnorm(120 * 60), 120) + rep(0.3 * rnorm(60), each = 120))
    x <- SummarizedExperiment::SummarizedExperiment(list(counts = reads))
    said <- testthat::capture_messages(marked <- suppressWarnings(pith_select(x, 5)))
    expect_match(said, "ranking after size-factors,log1p", all = FALSE)
    expect_match(S4Vectors::metadata(marked)$pith$note, "ranking after size-factors,log1p")
    said <- testthat::capture_messages(marked <- suppressWarnings(pith_select(x, 5, prep = "auto")))
    expect_match(said, "prepared by size-factors", all = FALSE)
    expect_no_match(said, "bulk")
    expect_match(S4Vectors::metadata(marked)$pith$prep, "size-factors")
})

test_that("pith_select writes into rowData, and replaces what an earlier call wrote", {
    x <- experiment("SingleCellExperiment")
    marked <- pith_select(x, 6, "consensus", draws = 4)
    rows <- SummarizedExperiment::rowData(marked)
    expect_s4_class(marked, "SingleCellExperiment")
    expect_identical(dim(marked), dim(x))
    expect_true(all(c("pith_rank", "pith_score", "pith_selected", "pith_q") %in% names(rows)))
    marked <- pith_select(marked, 6, "energy")
    rows <- SummarizedExperiment::rowData(marked)
    expect_identical(names(rows), c("pith_rank", "pith_score", "pith_selected"))
    want <- pith_rank(x, "energy")
    expect_identical(rows$pith_rank, order(want$index))
    expect_identical(rows$pith_score[want$index], want$score)
    expect_identical(sort(want$index[1:6]), which(rows$pith_selected))
    expect_identical(S4Vectors::metadata(marked)$pith$method, "energy")
    small <- pith_select(x, 6, "energy", subset = TRUE)
    expect_identical(dim(small), c(6L, 60L))
    expect_true(all(SummarizedExperiment::rowData(small)$pith_selected))
})

test_that("genes without a score are never marked", {
    x <- experiment("SingleCellExperiment")
    SummarizedExperiment::assay(x, "counts")[2, ] <- 0
    rows <- SummarizedExperiment::rowData(pith_select(x, 30, "energy"))
    expect_identical(which(!rows$pith_selected), 2L)
    expect_true(is.na(rows$pith_score[2]))
})

test_that("columns of colData and reduced dimensions are named", {
    x <- experiment("SingleCellExperiment")
    expect_identical(pith_rank(x, "mutual-info", labels = "type")$score, pith_rank(x, "mutual-info", labels = groups())$score)
    expect_identical(attr(pith_rank(x, "energy", batch = "run", n = 5), "pith")$n_batches, 2L)
    expect_error(pith_rank(x, "energy", batch = "rnu"), "batch: unknown column 'rnu'; did you mean 'run'", class = "pith_error")
    rows <- stats::prcomp(t(as.matrix(cells())))$x[, 1:3]
    SingleCellExperiment::reducedDim(x, "PCA") <- rows
    expect_identical(pith_rank(x, "energy", graph_rows = "PCA")$score, pith_rank(x, "energy", graph_rows = rows)$score)
    expect_error(pith_rank(x, "energy", graph_rows = "pca"), "graph_rows: unknown reduced dimension 'pca'; did you mean 'PCA'",
                 class = "pith_error_parameter")
    expect_error(pith_rank(x, "energy", graph_rows = "UMAP"), "there is only PCA", class = "pith_error")
    path <- tempfile(fileext = ".csv")
    utils::write.csv(rows, path, row.names = FALSE)
    expect_equal(pith_rank(x, "energy", graph_rows = path)$score, pith_rank(x, "energy", graph_rows = rows)$score)
    got <- pith_compare(x, c("energy", "deviance"), labels = "type", n = 5, restarts = 2)
    expect_true("acc" %in% got$measure)
})

test_that("pith_prep adds an assay, and drops what the steps drop", {
    x <- experiment("SingleCellExperiment")
    made <- pith_prep(x, "counts", to = "logcounts")
    expect_identical(SummarizedExperiment::assayNames(made), c("counts", "logs", "logcounts"))
    expect_s4_class(SummarizedExperiment::assay(made, "logcounts"), "dgCMatrix")
    expect_equal(unname(SummarizedExperiment::assay(made, "logcounts")), unname(pith_prep(cells(), "counts", samples = "columns")))
    small <- pith_prep(x, c("top-variance=10", "drop-noisy:remove=0.5"))
    expect_identical(dim(small), c(10L, 30L))
    expect_equal(as.matrix(SummarizedExperiment::assay(small, "prepared")), as.matrix(SummarizedExperiment::assay(small, "counts")))
})

test_that("a Seurat object is taken as genes x cells and gets its variable features", {
    need_package("SeuratObject")
    x <- SeuratObject::CreateSeuratObject(cells(), meta.data = data.frame(type = groups(), row.names = colnames(cells())))
    want <- pith_rank(cells(), "energy", samples = "columns")
    expect_identical(as.data.frame(pith_rank(x, "energy")), as.data.frame(want))
    expect_identical(as.data.frame(pith_rank(x[["RNA"]], "energy")), as.data.frame(want))
    expect_identical(pith_rank(x, "mutual-info", labels = "type")$score,
                     pith_rank(cells(), "mutual-info", samples = "columns", labels = groups())$score)
    marked <- pith_select(x, 6, "energy")
    expect_identical(SeuratObject::VariableFeatures(marked), want$name[1:6])
    about <- marked[["RNA"]][[]]
    expect_identical(about$pith_rank, order(want$index))
    expect_identical(which(about$pith_selected), sort(want$index[1:6]))
    expect_identical(SeuratObject::Misc(marked, "pith")$method, "energy")
    expect_identical(dim(pith_select(x, 6, "energy", subset = TRUE)), c(6L, 60L))
    expect_error(pith_rank(x, assay = "ADT"), "unknown assay 'ADT'", class = "pith_error")
    expect_error(pith_rank(x, "energy", layer = "nonsense"), "layer", class = "pith_error")
    rows <- stats::prcomp(t(as.matrix(cells())))$x[, 1:3]
    x[["pca"]] <- SeuratObject::CreateDimReducObject(rows, key = "PC_", assay = "RNA")
    expect_error(pith_rank(x, "energy", graph_rows = "pca"), "give the values, as in Embeddings\\(x, \"pca\"\\)", class = "pith_error")
    expect_identical(pith_rank(x, "energy", graph_rows = SeuratObject::Embeddings(x, "pca"))$score,
                     pith_rank(cells(), "energy", samples = "columns", graph_rows = rows)$score)
})
