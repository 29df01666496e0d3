# Interrupts, progress, forks, what is left behind.

# R in a process of its own, to which an interrupt is sent after half a second of work.
interrupted <- function(call) {
    script <- tempfile(fileext = ".R")
    writeLines(c(
        sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
        "library(pith); options(pith.threads = 1); set.seed(1)",
        "x <- matrix(rnorm(30000 * 60), 30000); began <- proc.time()[['elapsed']]",
        "system(paste('(sleep 0.5; kill -INT', Sys.getpid(), ') &'))",
        sprintf("tryCatch(%s, interrupt = function(e) cat('stopped\\n'))", call),
        "cat(proc.time()[['elapsed']] - began < 20, '\\n')",
        "cat(nrow(pith_rank(x[1:50, ], 'variance')), '\\n')"), script) # and all is well afterwards
    system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE, stderr = FALSE)
}

test_that("Ctrl-C stops long work, as a condition of R, and the session goes on", {
    skip_on_os("windows")
    for (call in c("pith_rank(x, 'ndfs')", "pith_compare(x, 'laplacian', clusters = 9)"))
        expect_identical(interrupted(call), c("stopped", "TRUE ", "60 "), info = call)
})

test_that("what the watching function raises comes out, whatever its kind", {
    run <- function(watch) {
        given <- c(pith:::how(1, 1, NULL, list(watch = watch)),
                   list(table = pith:::table_of(blobs(2000, 30)), method = "laplacian", parameters = list(), count = 0, keep = 0,
                        batch_graph = 0, prepare = 0))
        .Call(pith:::pithr_run, given)
    }
    seen <- NULL
    run(function(done, what) seen <<- rbind(seen, data.frame(done, what)))
    expect_true(nrow(seen) > 0 && all(seen$done >= 0 & seen$done <= 1) && is.character(seen$what))
    expect_error(run(function(done, what) stop("enough")), "enough")
    warned <- FALSE
    expect_warning(run(function(done, what) if (!warned) {
        warned <<- TRUE
        warning("hm")
    }), "hm")
    expect_identical(withRestarts(run(function(done, what) invokeRestart("leave", 7)), leave = function(value) value), 7)
    # A run inside a run.
    inner <- NULL
    outer <- run(function(done, what) if (is.null(inner)) inner <<- pith_rank(blobs(), "spec")$score)
    expect_identical(inner, pith_rank(blobs(), "spec")$score)
    expect_identical(outer$scores[outer$ranking], pith_rank(blobs(2000, 30), "laplacian")$score)
})

test_that("progress is shown only where it is asked for, on stderr, and after a second", {
    expect_identical(formals(pith_rank)$progress, quote(interactive()))
    expect_silent(pith_rank(blobs(), "spec", progress = TRUE))
    bar <- pith:::progress_bar(TRUE)
    environment(bar$watch)$began <- -10
    file <- tempfile()
    con <- file(file, "w")
    sink(con, type = "message")
    bar$watch(0.5, "working")
    bar$close()
    sink(type = "message")
    close(con)
    expect_match(paste(readLines(file, warn = FALSE), collapse = ""), "50%")
    expect_error(pith_rank(blobs(), "spec", progress = 3), "progress: TRUE or FALSE", class = "pith_error")
})

test_that("notes of the library are messages, which can be muffled or turned into errors", {
    g <- cells()
    expect_message(pith_prep(g, "zscore", samples = "columns"), "dense")
    expect_silent(suppressMessages(pith_prep(g, "zscore", samples = "columns")))
    expect_s3_class(tryCatch(pith_prep(g, "zscore", samples = "columns"), message = identity), "message")
})

test_that("a forked child can work too", {
    skip_on_os("windows")
    want <- pith_rank(blobs(), "laplacian", threads = 2)$score
    got <- parallel::mclapply(1:2, function(i) pith_rank(blobs(), "laplacian", threads = 2)$score, mc.cores = 2)
    expect_identical(got, list(want, want))
})

test_that("too little memory is an error of its own", {
    old <- options(pith.memory = 2^20)
    on.exit(options(old))
    expect_error(pith_rank(matrix(rnorm(3e5), 3000), "ndfs"), class = "pith_error_memory")
    options(pith.memory = "much")
    expect_error(pith_rank(blobs(), "variance"), "option pith.memory", class = "pith_error")
})
