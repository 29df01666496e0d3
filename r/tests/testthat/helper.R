options(pith.threads = 1)

# Skips what cannot be had here; with PITH_NO_SKIP=1, as in .ci/run, that is an error.
leave_out <- function(why) {
    if (Sys.getenv("PITH_NO_SKIP") == "1") stop(why, ", and nothing may be skipped")
    skip(why)
}

need_package <- function(name) if (!requireNamespace(name, quietly = TRUE)) leave_out(paste(name, "is not installed"))

# Three clusters that the first four columns tell apart.
blobs <- function(n = 60, p = 12) {
    set.seed(7)
    x <- matrix(rnorm(n * p), n, p, dimnames = list(paste0("s", seq_len(n)), paste0("f", seq_len(p))))
    for (j in 1:4) x[, j] <- x[, j] + 4 * ((seq_len(n) + j) %% 3)
    x
}

groups <- function(n = 60) rep(c("a", "b", "c"), length.out = n)

# Counts in three clusters, as genes x cells.
cells <- function(n = 60, p = 30) {
    set.seed(8)
    rate <- ifelse(outer(seq_len(p) %% 3, seq_len(n) %% 3, "=="), 0.6, 0.1)
    values <- matrix(rpois(n * p, rate), p, n, dimnames = list(paste0("g", seq_len(p)), paste0("c", seq_len(n))))
    as(as(as(values, "dMatrix"), "generalMatrix"), "CsparseMatrix")
}

quietly <- function(code) suppressMessages(code)

# What the command writes as JSON has 17 digits; CSV has as many as are needed to read the same number back.
command <- function(...) {
    path <- Sys.getenv("PITH")
    if (path == "") leave_out("PITH does not name the command")
    out <- suppressWarnings(system2(path, shQuote(c(...)), stdout = TRUE, stderr = TRUE))
    if (!is.null(attr(out, "status"))) stop(paste(out, collapse = "\n"))
    out
}

write_table <- function(x, path) {
    text <- matrix(sprintf("%.17g", x), nrow(x))
    writeLines(c(paste(colnames(x), collapse = ","), apply(text, 1, paste, collapse = ",")), path)
}
