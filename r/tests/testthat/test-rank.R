# Rankings, selections, parameters.

test_that("a ranking is a data.frame, best first, and knows how it was made", {
    got <- pith_rank(blobs(), "ndfs", max_iter = 10)
    expect_s3_class(got, c("pith_ranking", "data.frame"), exact = TRUE)
    expect_identical(names(got), c("rank", "index", "name", "score"))
    expect_identical(got$rank, 1:12)
    expect_setequal(got$name[1:4], paste0("f", 1:4))
    about <- attr(got, "pith")
    expect_identical(about$parameters$max_iter, 10)
    expect_identical(about$parameters$clusters, 3)
    expect_length(about$history, 10)
    expect_identical(class(as.data.frame(got)), "data.frame")
    expect_null(attr(as.data.frame(got), "pith"))
    expect_identical(class(head(got, 3)), "data.frame")
    expect_identical(dim(got[got$score > 0, c("name", "score")])[2], 2L)
})

test_that("print, summary and plot show it", {
    got <- pith_rank(blobs(), "consensus", draws = 4)
    expect_output(print(got), "pith consensus: 12 features of 60 samples.*rank +index +name.*and 2 more.*false discovery rate")
    expect_output(print(got, n = 2), "and 10 more")
    expect_output(print(summary(got)), "parameters.*draws +4.*scores")
    set.seed(5)
    noise <- suppressWarnings(pith_rank(matrix(rnorm(60 * 20), 60), "consensus"))
    expect_length(grep("no feature stands out", utils::capture.output(print(summary(noise)))), 1)
    file <- tempfile(fileext = ".png")
    grDevices::png(file)
    before <- graphics::par("mar")
    expect_identical(plot(got), got)
    expect_identical(graphics::par("mar"), before)
    grDevices::dev.off()
    expect_gt(file.size(file), 1000)
})

test_that("parameters come from the registry: names, ranges and the nearest match", {
    x <- blobs()
    expect_false(identical(pith_rank(x, "laplacian", neighbors = 3)$score, pith_rank(x, "laplacian", neighbors = 20)$score))
    expect_identical(pith_rank(x, "laplacian", neighbors = NULL)$score, pith_rank(x, "laplacian")$score)
    expect_error(pith_rank(x, "laplacian", neighbours = 3), "laplacian has no parameter 'neighbours'; did you mean 'neighbors'\\?",
                 class = "pith_error_parameter")
    expect_error(pith_rank(x, "laplacian", neighbors = 0), "neighbors: a whole number in 1..1000000000 expected, not '0'",
                 class = "pith_error_parameter")
    expect_error(pith_rank(x, "laplacian", metric = "cosin"), "metric", class = "pith_error_parameter")
    expect_error(pith_rank(x, "laplacian", neighbors = NA), "neighbors: a number or a text expected, not NA", class = "pith_error")
    expect_error(pith_rank(x, "laplacian", neighbors = 1:3), "expected, not integer of length 3", class = "pith_error")
    expect_error(pith_rank(x, "laplacian", 3), "given by name", class = "pith_error")
    expect_error(pith_rank(x, sampels = "rows"), "did you mean 'samples'", class = "pith_error")
    expect_error(pith_select(x, 3, bacth = groups()), "did you mean 'batch'", class = "pith_error")
    expect_error(quietly(pith_rank(x, standardize = "zscore")), "consensus has no parameter 'standardize'; pith_methods\\(\"consensus\"\\) lists them",
                 class = "pith_error_parameter")
    expect_error(pith_rank(x, "mcfs", mcfs_active = "count"), "'count' needs the number of features, n$", class = "pith_error_parameter")
    expect_identical(nrow(pith_rank(x, "mcfs", mcfs_active = "count", n = 3)), 12L)
    expect_error(pith_rank(x, "laplacian", k = 3), "laplacian has no parameter 'k'; pith_methods\\(\"laplacian\"\\) lists them",
                 class = "pith_error")
    expect_error(pith_select(x, 3, N = 3), "did you mean 'n'", class = "pith_error")
    expect_error(pith_select(x, "laplacian"), "not laplacian; for the method, method = \"laplacian\"", class = "pith_error")
    expect_error(pith_rank(x, "laplacin"), "unknown method 'laplacin'; did you mean 'laplacian'\\?", class = "pith_error_parameter")
    expect_error(pith_rank(x, "zzzzzzzz"), "pith_methods\\(\\) lists them", class = "pith_error")
    expect_identical(pith_rank(x, "cl-des", lambda = 1e-3, pairs = 500)$score, pith_rank(x, "cl-des", lambda = "0.001", pairs = 500L)$score)
})

test_that("every choice and every default of the registry can be given", {
    for (name in pith_methods()$name) {
        known <- pith_methods(name)$parameters
        expect_identical(anyDuplicated(known$name), 0L)
        expect_true(all(nzchar(known$help)))
    }
    expect_error(pith_methods("auto"), "'auto' is not a method", class = "pith_error")
    expect_output(print(pith_methods("cl-des")), "lambda \\(real in 0..1000; default 0.0001\\)")
    expect_output(print(pith_methods("consensus")), "n = \"auto\" keeps the fewest features")
    expect_output(print(pith_methods("laplacian")), "standardize = \"zscore\"")
    expect_output(print(pith_methods()), "laplacian +Ranks features by the Laplacian score")
    expect_output(print(pith_steps()), "log1p")
    expect_error(pith_steps("log1"), "did you mean 'log1p'", class = "pith_error")
})

test_that("errors say which function was called", {
    failed <- tryCatch(pith_rank(blobs(), "laplacin"), pith_error = identity)
    expect_identical(conditionCall(failed), quote(pith_rank()))
    failed <- tryCatch(pith::pith_select(blobs(), 99), pith_error = identity)
    expect_identical(conditionCall(failed), quote(pith_select()))
    expect_s3_class(failed, "error")
})

test_that("auto says what it chose, as a message", {
    expect_message(got <- pith_rank(cells(), samples = "columns"), "using the method energy: no value is negative")
    expect_identical(attr(got, "pith")$method, "energy")
    expect_match(attr(got, "pith")$why, "no value is negative")
})

test_that("doubts of the library are warnings", {
    expect_error(pith_rank(blobs(), "dispersion"), class = "pith_error_data")
    expect_warning(pith_rank(cells(), "laplacian", samples = "columns"), "these are raw counts: prep = \"auto\" takes ln")
    expect_message(pith_rank(blobs(), "laplacian", batch = rep(1:2, c(50, 10))), "batches of fewer than 20 samples are left out")
})

test_that("pith_select keeps columns or rows, in the order of the data", {
    x <- blobs()
    best <- sort(pith_rank(x, "spec")$index[1:4])
    expect_identical(pith_select(x, 4, "spec"), x[, best])
    expect_identical(pith_select(as.data.frame(x), 4, "spec"), as.data.frame(x)[best])
    expect_identical(pith_select(t(x), 4, "spec", samples = "columns"), t(x)[best, ])
    expect_identical(dim(pith_select(x, 0.25, "spec")), c(60L, 3L))
    expect_identical(dim(pith_select(x, 1, "spec")), c(60L, 1L))
    g <- cells()
    kept <- pith_select(g, 7, "energy", samples = "columns")
    expect_s4_class(kept, "dgCMatrix")
    expect_identical(dim(kept), c(7L, 60L))
    marks <- pith_select(x, 4, "spec", subset = FALSE)
    expect_identical(sort(marks$index[marks$selected]), best)
    for (n in list(0, -1, 1.5, NA, "all", c(1, 2), 13, TRUE)) expect_error(pith_select(x, n, "spec"), "^n: ", class = "pith_error")
    expect_error(pith_select(x), "n, the number of features to keep, or fdr is needed", class = "pith_error")
})

test_that("fdr and n = auto leave the number to the data", {
    x <- blobs(90, 20)
    expect_identical(colnames(quietly(pith_select(x, fdr = 0.01))), paste0("f", 1:4))
    expect_identical(ncol(quietly(pith_select(x, 2, fdr = 0.05))), 2L)
    expect_setequal(colnames(pith_select(x, method = "spec", fdr = 0.01)), paste0("f", 1:4))
    expect_error(pith_select(x, method = "spec", fdr = 0.05, evidence = "none"), "needs evidence", class = "pith_error")
    expect_error(pith_select(x, fdr = 2), "fdr: a rate above 0 and up to 1", class = "pith_error")
    expect_error(pith_select(x, "auto", "spec"), "spec cannot choose the number of features.*cl-des", class = "pith_error")
    expect_message(pith_select(x, "auto", "cl-des", pairs = 2000), "features \\(the number that cl-des chose\\)")
    set.seed(1)
    expect_error(suppressWarnings(quietly(pith_select(matrix(rnorm(2000), 50), fdr = 1e-9))), "no feature has a q-value", class = "pith_error")
})

test_that("with too few samples for q-values it is said that there are none", {
    said <- "no feature is tested against chance, so there is no q: that needs at least 20 samples, not 19"
    expect_message(few <- pith_rank(blobs(19), "consensus"), said)
    expect_null(few$q)
    expect_message(pith_rank(blobs(20), "consensus"), NA)
    expect_message(pith_rank(blobs(19), "consensus", evidence = "none"), NA)
    expect_message(pith_rank(blobs(19), "variance"), NA)
})

test_that("batches are ranked one by one and merged", {
    x <- blobs()
    got <- pith_rank(x, "spec", batch = rep(c("m", "f"), each = 30), n = 4)
    expect_true(all(c("batches", "in_all_batches") %in% names(got)))
    expect_identical(attr(got, "pith")$n_batches, 2L)
    expect_identical(got$in_all_batches, got$batches == 2L)
    expect_identical(pith_rank(x, "spec", batch = factor(rep(1:2, each = 30)), n = 4)$score, got$score)
    expect_error(pith_rank(x, "spec", batch = 1:3), "batch: one per sample expected \\(60\\), not 3", class = "pith_error")
    expect_error(pith_rank(x, "spec", batch = c(NA, rep(1, 59))), "batch", class = "pith_error_data")
    expect_error(pith_rank(x, "spec", batch_graph = TRUE), "needs batch", class = "pith_error")
    expect_identical(nrow(pith_rank(x, "spec", batch = rep(1:2, 30), batch_graph = TRUE)), 12L)
})

test_that("labels reach the supervised method alone", {
    x <- blobs()
    expect_error(pith_rank(x, "mutual-info"), "labels", class = "pith_error")
    got <- pith_rank(x, "mutual-info", labels = factor(groups()))
    expect_setequal(got$name[1:4], paste0("f", 1:4))
    expect_identical(pith_rank(x, "spec", labels = groups())$score, pith_rank(x, "spec")$score)
    expect_error(pith_rank(x, "mutual-info", labels = groups(59)), "labels: one per sample", class = "pith_error")
})

test_that("a graph, coordinates for one, and labels to start from can be given in memory", {
    x <- blobs()
    near <- as.matrix(stats::dist(x)) < 4
    diag(near) <- FALSE
    for (graph in list(near + 0, Matrix::Matrix(near + 0, sparse = TRUE))) {
        got <- pith_rank(x, "laplacian", graph = graph)
        expect_identical(attr(got, "pith")$parameters$graph, "(given)")
    }
    expect_error(pith_rank(x, "laplacian", graph = near[, -1] + 0), "square matrix, not 60 x 59", class = "pith_error")
    rows <- stats::prcomp(x)$x[, 1:3]
    expect_identical(pith_rank(x, "laplacian", graph_rows = rows)$score, pith_rank(x, "laplacian", graph_rows = as.data.frame(rows))$score)
    expect_false(identical(pith_rank(x, "laplacian", graph_rows = rows)$score, pith_rank(x, "laplacian")$score))
    with_labels <- Filter(function(m) "init_labels" %in% pith_methods(m)$parameters$name, pith_methods()$name)
    expect_gt(length(with_labels), 0)
    expect_identical(nrow(pith_rank(x, with_labels[1], init_labels = groups())), 12L)
    expect_error(pith_rank(x, with_labels[1], init_labels = c(NA, groups(59))), "some are NA", class = "pith_error")
})

test_that("seeds, threads, prep and engines are as in the command", {
    x <- blobs()
    expect_identical(pith_rank(x, "cl-des", seed = 1, pairs = 500)$score, pith_rank(x, "cl-des", pairs = 500)$score)
    expect_false(identical(pith_rank(x, "cl-des", seed = 2, pairs = 500)$score, pith_rank(x, "cl-des", pairs = 500)$score))
    expect_identical(pith_rank(x, "ndfs", threads = 2)$score, pith_rank(x, "ndfs", threads = 1)$score)
    for (wrong in list(-1, 1.5, NA, "a", c(1, 2))) expect_error(pith_rank(x, "spec", seed = wrong), "seed: a whole number", class = "pith_error")
    expect_error(pith_rank(x, "spec", threads = 0), "threads: a whole number in 1..4096", class = "pith_error")
    expect_error(pith_rank(x, "spec", engine = "nonsense"), "nonsense", class = "pith_error_file")
    expect_error(pith_rank(x, "spec", prep = "zscore"), "pith_prep", class = "pith_error")
    g <- cells()
    set.seed(4)
    reads <- exp(5 + 1.5 * rnorm(120) + 0.5 * matrix(rnorm(120 * 60), 120) + rep(0.3 * rnorm(60), each = 120))
    chosen <- suppressMessages(pith_rank(reads, evidence = "none", samples = "columns"))
    expect_identical(chosen$score, suppressMessages(pith_rank(pith_prep(reads, "auto", samples = "columns"), "consensus", evidence = "none", scaling = "pareto",
                                                              samples = "columns"))$score)
    expect_match(attr(chosen, "pith")$note, "ranking after size-factors,log1p, since the values span orders of magnitude")
    expect_warning(pith_rank(reads, "spec", samples = "columns"), "spec sees them as they are: prep = \"auto\" takes their logarithms")
    expect_identical(pith_rank(g, "laplacian", prep = "auto", samples = "columns")$score,
                     pith_rank(pith_prep(g, "auto", samples = "columns"), "laplacian", samples = "columns")$score)
})

test_that("what prep = \"auto\" did is told and kept", {
    expect_message(got <- pith_rank(cells(), "laplacian", prep = "auto", samples = "columns"),
                   "^pith: prepared by counts-per-10k:total=10000,log1p\n$")
    expect_identical(attr(got, "pith")$prep, "counts-per-10k:total=10000,log1p")
    expect_message(got <- pith_rank(blobs(), "laplacian", prep = "auto"), "^pith: nothing to prepare\n$")
    expect_null(attr(got, "pith")$prep)
    expect_message(pith_rank(blobs(), "laplacian"), NA)
})
