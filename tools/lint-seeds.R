# A block of tests that draws random numbers, or compares results of several random searches, sets a seed before.
#
#   Rscript tools/lint-seeds.R     ends with code 1 at a finding

draws <- c(
  "rnorm", "runif", "rexp", "rbinom", "rpois", "rgeom", "rt", "rgamma", "rbeta", "rcauchy", "rlogis", "rlnorm",
  "rmultinom", "sample", "sample.int"
)
searches <- c(
  "kgroups", "kernel_kmeans", "kgroups_mixture", "select_k", "select_semimetric", "stability", "cluster_communities",
  "cluster_kgroups", "cluster_bethe_hessian", "cluster_belief_propagation", "cluster_test", "energy_test",
  "pairwise_energy_test", "dispersion_test", "kgroups_changes", "update"
)
seeds <- c("set.seed", "with_seed", "local_seed", "seeded", "local_preserve_seed")
found <- character()
for (file in list.files("tests/testthat", "^test-.*[.]R$", full.names = TRUE)) {
  blocks <- parse(file, keep.source = TRUE)
  for (i in seq_along(blocks)) {
    if (!is.call(blocks[[i]]) || !identical(blocks[[i]][[1L]], quote(test_that))) next
    names <- all.names(blocks[[i]][[3L]])
    compares <- sum(names %in% searches) > 1L && any(names %in% c("expect_identical", "expect_equal"))
    first <- c(which(names %in% draws), if (compares) which(names %in% searches), Inf)
    if (min(first) < min(which(names %in% seeds), Inf)) {
      found <- c(found, sprintf("%s:%d: %s", file, attr(blocks, "srcref")[[i]][1L], blocks[[i]][[2L]]))
    }
  }
}
if (length(found)) {
  cat(paste(found, "(no seed)"), sep = "\n")
  quit(status = 1L)
}
