library(testthat)
library(pith)

test_check("pith")
