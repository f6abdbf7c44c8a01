# The forms of one input against each other, on random problems: sizes, dimensions, ties,
# weights, offsets, semimetrics, instruction sets and threads are drawn, and of the forms of a
# problem `--forms` of them. Prints every difference, and ends with code 1 if there was one.
#   Rscript tools/trust/agree.R [--calls N, default 200] [--seed S] [--forms 6] [--record yes]
# A call is one problem (tests/testthat/helper-agreement.R): one in six a graph, one in six blocks.
# Beside other work set OMP_WAIT_POLICY=passive: threads that wait for each other spin.

source("tools/trust/common.R")
library(kgroups)
source("tests/testthat/helper-agreement.R")

calls <- argument("calls", 200)
seed <- argument("seed", 1)
many <- argument("forms", 6)
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
sets <- Filter(function(name) {
  options(kgroups.simd = name)
  !inherits(try(semimetric_matrix(1:3), silent = TRUE), "try-error")
}, c("auto", "avx512", "avx2", "base"))
semimetrics <- list(1, 1, 0.5, 1.5, 2, 0.7, NULL, rho_exponential(1))

ask_graph <- function(k) {
  problem <- agreement_graph(
    n = sample(seq(4 * k, 50), 1), k = k, weighted = stats::runif(1) < 0.5,
    gram = sample(c("adjacency", "normalized-cut", "bethe-hessian"), 1), vertex_weights = sample(c("degree", "unit"), 1)
  )
  ask_forms(problem, agreement_graph_forms(problem))
}

# Differences of fits alone, of a problem whose fit hangs on the last digits, are counted as ties.
ask_forms <- function(problem, forms, gram = forms$gram$x) {
  force(gram) # before forms are drawn, among which it need not be
  forms <- forms[c(1L, sort(1L + sample.int(length(forms) - 1L, min(many, length(forms) - 1L))))]
  forms_tried <<- forms_tried + length(forms)
  differences <- agreement_differences(problem, forms)
  of_fits <- all(
    grepl("^(hartigan|lloyd) ", differences$question) & !grepl("that of the (labels|start)", differences$question)
  )
  if (!is.null(differences) && of_fits && agreement_tied(problem, gram)) {
    tied <<- tied + 1
    return(NULL)
  }
  differences
}

found <- 0
forms_tried <- 0
tied <- 0
kinds <- c(points = 0, blocks = 0, graphs = 0)
for (call in seq_len(calls)) {
  set.seed(seed * 1e6 + call)
  kind <- sample(c("points", "blocks", "graphs"), 1, prob = c(4, 1, 1))
  kinds[kind] <- kinds[kind] + 1
  k <- sample(2:6, 1)
  alpha <- sample(semimetrics, 1)[[1L]]
  options(kgroups.simd = sample(sets, 1), kgroups.threads = sample(1:2, 1))
  differences <- tryCatch(
    if (kind == "graphs") {
      ask_graph(k)
    } else {
      problem <- agreement_problem(
        n = sample(seq(4 * k, 60), 1), d = sample(c(1, 2, 3, 5, 9, 17), 1), k = k,
        weighted = stats::runif(1) < 0.5, ties = stats::runif(1) < 0.2,
        offset = sample(c(0, 0, 0, 100, -1e4), 1)
      )
      if (kind == "blocks") agreement_blocks(problem, alpha) else ask_forms(problem, agreement_forms(problem, alpha))
    },
    error = function(e) data.frame(form = kind, question = "error", difference = NA_real_, text = conditionMessage(e))
  )
  if (!is.null(differences)) {
    found <- found + nrow(differences)
    cat("problem", seed * 1e6 + call, kind, "alpha", format(alpha), "\n")
    print(differences, right = FALSE)
  }
}
cat(calls, "problems,", forms_tried, "forms,", found, "differences,", tied, "problems decided by ties\n")
record(
  "agree.R", sprintf("%d problems (%s), %d forms", calls, paste(kinds, names(kinds), collapse = ", "), forms_tried),
  found,
  if (tied) paste(tied, "problems hang on the last digits") else ""
)
quit(status = as.integer(found > 0))
