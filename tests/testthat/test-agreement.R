# Every form of one input gives the same answers: helper-agreement.R. A failure names the form
# and the question.

expect_agreement <- function(problem, alpha) {
  differences <- agreement_differences(problem, agreement_forms(problem, alpha))
  said <- if (!is.null(differences)) {
    paste(differences$form, differences$question, format(differences$difference), differences$text, collapse = "\n")
  }
  expect_null(said)
}

test_that("all forms of one input agree, whatever the semimetric and the weights", {
  set.seed(1201)
  for (alpha in list(1, 0.5, 1.5, 2, NULL)) {
    for (weighted in c(FALSE, TRUE)) {
      expect_agreement(agreement_problem(weighted = weighted), alpha)
    }
  }
})

test_that("all forms agree where observations are equal and where there are many clusters", {
  set.seed(1202)
  expect_agreement(agreement_problem(ties = TRUE, weighted = TRUE), 1)
  expect_agreement(agreement_problem(n = 40, d = 2, k = 8), 1)
  expect_agreement(agreement_problem(n = 40, d = 12, k = 4, weighted = TRUE), 1)
})

test_that("all forms agree far from the origin", {
  set.seed(1203)
  for (offset in c(-1e3, 1e5)) expect_agreement(agreement_problem(offset = offset, weighted = TRUE), 1)
})

test_that("blocks agree with the definitions and with each other", {
  set.seed(1204)
  for (alpha in list(1, 2, NULL, rho_exponential(1))) {
    for (weighted in c(FALSE, TRUE)) {
      expect_null(agreement_blocks(agreement_problem(weighted = weighted, ties = weighted), alpha))
    }
  }
})

test_that("a graph and the matrices that it stands for agree", {
  set.seed(1205)
  for (gram in c("adjacency", "normalized-cut", "bethe-hessian")) {
    for (vertex_weights in c("degree", "unit")) {
      problem <- agreement_graph(weighted = vertex_weights == "unit", gram = gram, vertex_weights = vertex_weights)
      expect_null(agreement_differences(problem, agreement_graph_forms(problem)))
    }
  }
})
