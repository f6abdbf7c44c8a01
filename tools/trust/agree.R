# The forms of one input against each other, on random problems: sizes, dimensions, ties,
# weights, offsets, semimetrics, instruction sets and threads are drawn. Prints every
# difference, and ends with code 1 if there was one.
#   Rscript tools/trust/agree.R [--calls N, default 200] [--seed S] [--record yes]
# A call is one problem in all its forms (tests/testthat/helper-agreement.R).

source("tools/trust/common.R")
library(kgroups)
source("tests/testthat/helper-agreement.R")

calls <- argument("calls", 200)
seed <- argument("seed", 1)
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
sets <- Filter(function(name) {
  options(kgroups.simd = name)
  !inherits(try(semimetric_matrix(1:3), silent = TRUE), "try-error")
}, c("auto", "avx2", "base"))

found <- 0
forms_asked <- 0
for (call in seq_len(calls)) {
  set.seed(seed * 1e6 + call)
  k <- sample(2:6, 1)
  problem <- agreement_problem(
    n = sample(seq(4 * k, 60), 1), d = sample(c(1, 2, 3, 5, 9, 17), 1), k = k,
    weighted = stats::runif(1) < 0.5, ties = stats::runif(1) < 0.2,
    offset = sample(c(0, 0, 0, 100, -1e4), 1)
  )
  alpha <- sample(list(1, 1, 0.5, 1.5, 2, 0.7, NULL), 1)[[1L]]
  options(kgroups.simd = sample(sets, 1), kgroups.threads = sample(1:2, 1))
  forms <- agreement_forms(problem, alpha)
  forms_asked <- forms_asked + length(forms)
  differences <- agreement_differences(problem, forms)
  if (!is.null(differences)) {
    found <- found + nrow(differences)
    cat("problem", seed * 1e6 + call, "alpha", format(alpha), "\n")
    print(differences, right = FALSE)
  }
}
cat(calls, "problems,", forms_asked, "forms,", found, "differences\n")
record("agree.R", sprintf("%d problems, %d forms", calls, forms_asked), found)
quit(status = as.integer(found > 0))
