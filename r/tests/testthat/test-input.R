# What may be given, and what is said of the rest.

test_that("matrices, frames and sparse matrices give the same ranking, whichever side the samples are on", {
    x <- blobs()
    want <- as.data.frame(pith_rank(x, "spec"))
    expect_identical(as.data.frame(pith_rank(as.data.frame(x), "spec")), want)
    expect_identical(as.data.frame(pith_rank(t(x), "spec", samples = "columns")), want)
    expect_identical(as.data.frame(pith_rank(as.data.frame(t(x)), "spec", samples = "columns")), want)
    expect_identical(as.data.frame(pith_rank(Matrix::Matrix(x), "spec")), want)
    g <- cells()
    want <- as.data.frame(pith_rank(g, "energy", samples = "columns"))
    for (kind in c("RsparseMatrix", "TsparseMatrix", "CsparseMatrix")) {
        expect_identical(as.data.frame(pith_rank(as(g, kind), "energy", samples = "columns")), want, info = kind)
        expect_identical(as.data.frame(pith_rank(as(Matrix::t(g), kind), "energy", samples = "rows")), want, info = kind)
    }
})

test_that("a sparse matrix without a side is taken by rows, and says so", {
    expect_message(pith_rank(cells(), "deviance"), "30 samples, columns as 60 features; for genes x cells give samples")
    expect_message(pith_rank(cells(), "deviance", samples = "rows"), NA)
    expect_message(pith_rank(blobs(), "variance"), NA)
})

test_that("integers and logicals are numbers", {
    x <- abs(round(blobs()))
    whole <- x
    storage.mode(whole) <- "integer"
    expect_identical(pith_rank(whole, "spec")$score, pith_rank(x, "spec")$score)
    expect_identical(pith_rank(x > 2, "spec")$score, pith_rank((x > 2) + 0, "spec")$score)
    mixed <- as.data.frame(x)
    mixed$f3 <- as.integer(mixed$f3)
    expect_identical(pith_rank(mixed, "spec")$score, pith_rank(x, "spec")$score)
})

test_that("the data is not changed", {
    x <- blobs()
    copy <- x + 0
    g <- cells()
    values <- g@x + 0
    pith_rank(x, "ndfs")
    pith_rank(g, "energy", samples = "columns")
    pith_prep(g, "counts", samples = "columns")
    expect_identical(x, copy)
    expect_identical(g@x, values)
})

test_that("values that are no numbers are refused by the names of their sample and feature", {
    for (value in c(NA, NaN, Inf, -Inf)) {
        x <- blobs()
        x[3, 2] <- value
        expect_error(pith_rank(x, "variance"), "sample 's3', feature 'f2' is NA, NaN or infinite", class = "pith_error_data")
        expect_error(pith_rank(t(x), "variance", samples = "columns"), "sample 's3', feature 'f2'", class = "pith_error")
        expect_error(pith_rank(unname(x), "variance"), "sample 3, feature 2 is", class = "pith_error")
    }
    whole <- matrix(1:6, 3)
    whole[2, 1] <- NA
    expect_error(pith_rank(whole, "variance"), "sample 2, feature 1", class = "pith_error_data")
    g <- cells()
    g@x[1] <- NA
    expect_error(pith_rank(g, "energy", samples = "columns"), "sample 'c1'", class = "pith_error_data")
})

test_that("columns of a frame that are no numbers are refused by name", {
    expect_error(pith_rank(iris), "column 'Species' is a factor, not numbers: leave it out, or give it as labels",
                 class = "pith_error_data")
    expect_error(pith_rank(data.frame(a = 1:3, b = letters[1:3])), "column 'b' is of class character", class = "pith_error")
    expect_error(pith_rank(data.frame(a = 1:3, when = Sys.Date() + 1:3)), "column 'when' is of class Date", class = "pith_error")
    odd <- data.frame(a = 1:3)
    odd$l <- list(1, 2, 3)
    expect_error(pith_rank(odd), "column 'l' is of class list", class = "pith_error")
})

test_that("where a column of text made texts of a whole matrix, it is named", {
    x <- cbind(data.frame(Description = "a kinase"), blobs())
    expect_error(pith_rank(as.matrix(x)), "not of character; column 'Description' holds 'a kinase': leave such columns out before as.matrix\\(\\)$",
                 class = "pith_error_data")
    expect_error(pith_rank(unname(as.matrix(x[3:1]))), "; column 3 holds 'a kinase'", class = "pith_error_data")
    texts <- as.matrix(format(x[-1]))
    expect_error(pith_rank(texts), "storage.mode\\(x\\) <- \"double\"", class = "pith_error_data")
    storage.mode(texts) <- "double"
    expect_equal(nrow(pith_rank(texts, "variance")), 12)
})

test_that("a message says so where genes in rows would be taken as samples", {
    x <- blobs(70)
    said <- "taking rows as 70 samples, columns as 12 features; for genes x samples give samples = \"columns\""
    expect_message(pith_rank(x, "variance"), said)
    expect_message(pith_rank(as.data.frame(x), "variance"), said)
    expect_silent(pith_rank(x, "variance", samples = "rows"))
    expect_silent(pith_rank(x, "variance", samples = "columns"))
    expect_silent(pith_rank(t(x), "variance"))
    expect_silent(pith_rank(blobs(60), "variance"))
    expect_silent(pith_rank(unname(x), "variance"))
    expect_silent(pith_rank(iris[1:4], "variance"))
})

test_that("refusals say what to do instead", {
    x <- blobs()
    expect_error(pith_rank("genes.csv"), "read a file first, for example with read.csv", class = "pith_error")
    expect_error(pith_rank(structure(list(E = x), class = "EList")), "give x$E, with samples", fixed = TRUE, class = "pith_error")
    expect_error(pith_rank(structure(list(counts = x), class = "DGEList")), "give x$counts, with", fixed = TRUE, class = "pith_error")
    expect_error(pith_rank(structure(list(), class = "ExpressionSet")), "give Biobase::exprs(x), with", fixed = TRUE, class = "pith_error")
    expect_error(pith_rank(data.frame(gene = letters, a = 1:26)), "read the file with row.names = 1", class = "pith_error_data")
    expect_error(pith_compare(x, "variance", samples = "rows", prep = "counts"), "prepare the data first, with pith_prep",
                 class = "pith_error_parameter")
    expect_error(pith_rank(x, samples = "rows", prep = "microarray"), "prepare the data first, with pith_prep", class = "pith_error")
    expect_error(pith_rank(x, "consensus", fdr = 0.05), "fdr: is an argument of pith_select()", fixed = TRUE, class = "pith_error_parameter")
    expect_error(pith_compare(x, "consensus", fdr = 0.05), "an argument of pith_select()", fixed = TRUE, class = "pith_error_parameter")
    for (f in list(pith_rank, function(...) pith_select(..., n = 2), pith_compare, function(...) pith_prep(..., steps = "zscore")))
        expect_error(f(x, transpose = TRUE), "transpose: say where the samples are, by samples = \"columns\"", fixed = TRUE,
                     class = "pith_error_parameter")
    x[3, 2] <- NA
    expect_error(pith_rank(x, samples = "rows"), "leave the feature or sample out, or impute the value", class = "pith_error_data")
})

test_that("things of another shape are refused", {
    expect_error(pith_rank(blobs()[0, ]), "0 samples and 12 features", class = "pith_error_data")
    expect_error(pith_rank(blobs()[, 0]), "60 samples and 0 features", class = "pith_error_data")
    expect_error(pith_rank(data.frame()), "0 samples and 0 features", class = "pith_error_data")
    expect_error(pith_rank(1:5), "expected, not integer of length 5", class = "pith_error")
    expect_error(pith_rank(NULL), "expected, not NULL", class = "pith_error")
    expect_error(pith_rank(array(1, c(2, 2, 2))), "expected", class = "pith_error")
    expect_error(pith_rank(matrix(letters[1:4], 2)), "a matrix of numbers expected, not of character", class = "pith_error")
    expect_error(pith_rank(matrix(1i, 2, 2)), "not of complex", class = "pith_error")
    expect_error(pith_rank(blobs(), samples = "cells"), "samples: 'cells' is not one of auto, rows, columns", class = "pith_error")
    expect_error(pith_rank(blobs(), assay = "counts"), "assay: x is a plain table", class = "pith_error")
    broken <- cells()
    broken@p[61] <- 10000000L
    expect_error(pith_rank(broken, "energy", samples = "columns"), "do not match")
})

test_that("features of the same name are told apart by their index, with a warning", {
    x <- blobs()
    colnames(x)[2] <- "f1"
    expect_warning(got <- pith_rank(x, "variance"), "1 feature name occurs more than once, such as 'f1'")
    expect_setequal(got$index, 1:12)
    expect_warning(kept <- pith_select(x, 12, "variance"), "more than once")
    expect_identical(kept, x)
})

test_that("names are made up like those of as.data.frame, and encodings survive", {
    expect_setequal(pith_rank(unname(blobs()), "variance")$name, paste0("V", 1:12))
    x <- blobs()
    colnames(x)[1] <- "Größe"
    latin <- x
    colnames(latin)[1] <- iconv("Größe", "UTF-8", "latin1")
    expect_true("Größe" %in% pith_rank(latin, "variance")$name)
    expect_identical(pith_rank(latin, "variance")$name, pith_rank(x, "variance")$name)
})

test_that("a constant feature has no score, comes last, and the reason is known", {
    x <- blobs()
    x[, 5] <- 1
    got <- pith_rank(x, "laplacian")
    expect_identical(got$index[12], 5L)
    expect_true(is.na(got$score[12]) && !is.nan(got$score[12]))
    expect_identical(attr(got, "pith")$reasons, c(f5 = "constant"))
})
