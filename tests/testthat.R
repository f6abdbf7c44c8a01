library(testthat)
library(kgroups)

test_check("kgroups")
