# The package and the command give the same bits.

exactly <- function(values) sprintf("%.17g", values)

method_names <- function() pith_methods()$name
quick <- list("cl-des" = list(pairs = 2000), consensus = list(draws = 4), "ht-des" = list(pairs = 2000))
options_of <- function(parameters) unlist(Map(function(name, value) c(paste0("--", name), format(value, scientific = FALSE)),
                                              names(parameters), parameters))

expect_same <- function(method, x, path, samples) {
    given <- quick[[method]]
    csv <- tempfile(fileext = ".csv")
    labels <- tempfile(fileext = ".txt")
    writeLines(groups(), labels)
    command("rank", path, "-q", "--threads", "1", "-m", method, "--labels", labels, "--seed", "3", "-o", csv, options_of(given))
    want <- utils::read.csv(csv, colClasses = c(name = "character", score = "character"))
    got <- suppressWarnings(do.call(pith_rank, c(list(x, method, samples = samples, labels = groups(), seed = 3), given)))
    expect_identical(got$index, want$index + 1L, info = method)
    expect_identical(got$name, want$name, info = method)
    expect_identical(exactly(got$score), exactly(ifelse(want$score == "", NA, as.numeric(want$score))), info = method)
    if (!is.null(got$q)) expect_identical(exactly(got$q), exactly(as.numeric(want$q)), info = method)
}

test_that("scores of dense data are the command's to the last bit, for every method", {
    path <- tempfile(fileext = ".csv")
    counted <- tempfile(fileext = ".csv")
    x <- blobs()
    counts <- abs(round(x))
    write_table(x, path)
    write_table(counts, counted)
    needs <- pith_methods()$needs_counts
    for (i in seq_along(needs))
        expect_same(method_names()[i], if (needs[i]) counts else x, if (needs[i]) counted else path, "rows")
    # However the matrix lies in memory.
    expect_same("laplacian", t(x), path, "columns")
    expect_same("ndfs", t(x), path, "columns")
})

test_that("scores of sparse data are the command's to the last bit, for every method", {
    folder <- tempfile()
    dir.create(folder)
    x <- cells()
    path <- file.path(folder, "cells.mtx")
    Matrix::writeMM(Matrix::t(x), path)
    writeLines(rownames(x), file.path(folder, "cells.cols"))
    for (method in method_names()) expect_same(method, x, path, "columns")
    expect_same("energy", Matrix::t(x), path, "rows")
})

test_that("pith_select keeps the columns that the command keeps", {
    path <- tempfile(fileext = ".csv")
    out <- tempfile(fileext = ".csv")
    write_table(blobs(), path)
    command("select", path, "-q", "-m", "laplacian", "-n", "5", "-o", out)
    expect_identical(unname(as.matrix(utils::read.csv(out))), unname(pith_select(blobs(), 5, "laplacian")))
    command("select", path, "-q", "-m", "cl-des", "-n", "auto", "-o", out, "--pairs", "2000")
    expect_identical(names(utils::read.csv(out)), colnames(quietly(pith_select(blobs(), "auto", "cl-des", pairs = 2000))))
})

test_that("pith_compare measures what the command measures", {
    path <- tempfile(fileext = ".csv")
    out <- tempfile(fileext = ".csv")
    labels <- tempfile(fileext = ".txt")
    writeLines(groups(), labels)
    write_table(blobs(), path)
    command("compare", path, "-q", "-m", "laplacian,mutual-info", "-n", "2,5", "--restarts", "4", "--labels", labels, "--seed",
            "5", "--grid", "neighbors=3,7", "-o", out)
    want <- utils::read.csv(out, colClasses = c(parameters = "character"))
    got <- pith_compare(blobs(), c("laplacian", "mutual-info"), labels = groups(), n = c(2, 5), restarts = 4,
                        grid = list(neighbors = c(3, 7)), seed = 5)
    expect_identical(names(as.data.frame(got)), names(want))
    expect_gt(nrow(got), 40)
    for (column in c("method", "parameters", "features", "measure", "runs")) expect_identical(got[[column]], want[[column]])
    expect_identical(exactly(got$mean), exactly(want$mean))
    expect_identical(exactly(got$sd), exactly(want$sd))
})

test_that("pith_prep gives the command's values", {
    path <- tempfile(fileext = ".csv")
    out <- tempfile(fileext = ".csv")
    write_table(blobs(), path)
    command("prep", path, out, "--steps", "drop-noisy:remove=0.2,zscore", "-q")
    made <- pith_prep(blobs(), c("drop-noisy:remove=0.2", "zscore"))
    expect_identical(exactly(unname(as.matrix(utils::read.csv(out)))), exactly(unname(made)))
    expect_equal(nrow(made), 48)
    expect_true(all(rownames(made) %in% rownames(blobs())))
})

test_that("the registry is the command's", {
    rows <- command("methods", "--format", "markdown")[-(1:2)]
    expect_identical(method_names(), sub("^\\| `?([a-z0-9-]+)`? .*", "\\1", rows[rows != ""]))
    for (name in c("cl-des", "consensus")) {
        rows <- command("methods", name, "--format", "markdown")[-(1:2)]
        expect_identical(pith_methods(name)$parameters$name, gsub("-", "_", sub("^\\| `?(--)?([a-z0-9_-]+)[` ].*", "\\2", rows[rows != ""])))
    }
})
