library(testthat)
library(kgroups)

# CRAN runs the files that take seconds, some of each layer; NOT_CRAN = "true" runs all.
quick <- paste0(
  "^(bethe-hessian|blueprint|changes|check|conditions|dispersion-test|energy-distance|exact|",
  "formula|gram|interop|kgroups|predict|relabel|scores|semimetric|store-sparse|summary|table|tree)$"
)
test_check("kgroups", filter = if (!identical(Sys.getenv("NOT_CRAN"), "true")) quick)
