library(testthat)
library(kgroups)

# CRAN runs the files that take seconds, some of each layer; NOT_CRAN = "true" runs all.
quick <- paste0(
  "^(bethe-hessian|blueprint|changes|check|conditions|dispersion-test|energy-distance|energy-statistics|exact|",
  "formula|gram|interop|kgroups|metric|predict|relabel|scores|semimetric|store-points|store-rows|summary|table|tree)$"
)
test_check("kgroups", filter = if (!identical(Sys.getenv("NOT_CRAN"), "true")) quick)
