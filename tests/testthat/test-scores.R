# Slow definitions ---------------------------------------------------------------

permutations <- function(v) {
  if (length(v) <= 1L) {
    return(list(v))
  }
  unlist(lapply(seq_along(v), function(i) lapply(permutations(v[-i]), function(p) c(v[i], p))),
    recursive = FALSE
  )
}

# Accuracy by trying every one-to-one matching, the smaller side padded with empty groups.
accuracy_by_search <- function(truth, cluster) {
  counts <- unclass(table(truth, cluster))
  k <- max(dim(counts))
  square <- matrix(0, k, k)
  square[seq_len(nrow(counts)), seq_len(ncol(counts))] <- counts
  best <- max(vapply(permutations(seq_len(k)), function(p) sum(square[cbind(seq_len(k), p)]), 0))
  best / length(truth)
}

# Adjusted Rand index by looking at every pair of observations.
rand_by_pairs <- function(truth, cluster) {
  pairs <- utils::combn(length(truth), 2)
  together_truth <- truth[pairs[1, ]] == truth[pairs[2, ]]
  together_cluster <- cluster[pairs[1, ]] == cluster[pairs[2, ]]
  expected <- sum(together_truth) * sum(together_cluster) / ncol(pairs)
  most <- (sum(together_truth) + sum(together_cluster)) / 2
  (sum(together_truth & together_cluster) - expected) / (most - expected)
}

nmi_by_definition <- function(truth, cluster, mean) {
  n <- length(truth)
  h <- function(x) -sum(vapply(unique(x), function(g) mean(x == g) * log(mean(x == g)), 0))
  mean_of <- list(
    geometric = function(a, b) sqrt(a * b), arithmetic = function(a, b) (a + b) / 2,
    min = min, max = max
  )
  information <- 0
  for (a in unique(truth)) {
    for (b in unique(cluster)) {
      joint <- sum(truth == a & cluster == b) / n
      if (joint > 0) {
        information <- information +
          joint * log(joint / (sum(truth == a) / n * sum(cluster == b) / n))
      }
    }
  }
  information / mean_of[[mean]](h(truth), h(cluster))
}

means <- c("geometric", "arithmetic", "min", "max")

random_labels <- function(n, k) c(seq_len(k), sample.int(k, n - k, replace = TRUE))[sample.int(n)]

test_that("scores agree with slow definitions and with igraph on random labels", {
  set.seed(1)
  for (trial in 1:40) {
    n <- sample(8:30, 1)
    truth <- random_labels(n, sample(2:6, 1))
    cluster <- random_labels(n, sample(2:6, 1))
    expect_equal(clustering_accuracy(truth, cluster), accuracy_by_search(truth, cluster))
    k <- length(unique(truth))
    expect_equal(
      clustering_overlap(truth, cluster),
      (accuracy_by_search(truth, cluster) - 1 / k) / (1 - 1 / k)
    )
    expect_equal(adjusted_rand(truth, cluster), rand_by_pairs(truth, cluster))
    expect_equal(
      adjusted_rand(truth, cluster),
      igraph::compare(truth, cluster, method = "adjusted.rand")
    )
    for (mean in means) {
      expect_equal(
        normalized_mutual_info(truth, cluster, mean = mean),
        nmi_by_definition(truth, cluster, mean)
      )
    }
    expect_equal(
      normalized_mutual_info(truth, cluster, mean = "arithmetic"),
      igraph::compare(truth, cluster, method = "nmi")
    )
  }
})

test_that("known values come out", {
  # Hubert and Arabie's formula by hand: 2 true groups of 3 and 3, found 2 and 4.
  truth <- c(1, 1, 1, 2, 2, 2)
  cluster <- c(1, 1, 2, 2, 2, 2)
  expect_equal(clustering_accuracy(truth, cluster), 5 / 6)
  expect_equal(clustering_overlap(truth, cluster), 2 / 3)
  expect_equal(adjusted_rand(truth, cluster), (4 - 6 * 7 / 15) / (6.5 - 6 * 7 / 15))
  # Independent halves carry no information; the best matching is a coin.
  expect_equal(normalized_mutual_info(c(1, 1, 2, 2), c(1, 2, 1, 2)), 0)
  expect_equal(clustering_accuracy(c(1, 1, 2, 2), c(1, 2, 1, 2)), 0.5)
  expect_equal(clustering_overlap(c(1, 1, 2, 2), c(1, 2, 1, 2)), 0)
  expect_equal(adjusted_rand(c(1, 1, 2, 2), c(1, 2, 1, 2)), -0.5)
})

test_that("the greedy matching is not taken for the best one", {
  # Largest cell first gives 10 + 0; the best matching gives 9 + 9.
  truth <- rep(c(1, 1, 2), c(10, 9, 9))
  cluster <- rep(c(1, 2, 1), c(10, 9, 9))
  expect_equal(clustering_accuracy(truth, cluster), 18 / 28)
})

test_that("groups without a partner count as wrong, whichever side has more", {
  truth <- rep(1:2, each = 6)
  cluster <- rep(1:6, each = 2)
  expect_equal(clustering_accuracy(truth, cluster), 4 / 12)
  expect_equal(clustering_accuracy(cluster, truth), 4 / 12)
  # Two separate sets of groups, one of them a proper assignment problem.
  truth <- c(rep(1, 5), 3, 3, 3, 4, 4, 4)
  cluster <- c(1, 1, 2, 2, 2, 5, 5, 6, 5, 6, 6)
  expect_equal(clustering_accuracy(truth, cluster), accuracy_by_search(truth, cluster))
})

test_that("names, order and type of the labels do not matter", {
  set.seed(2)
  truth <- random_labels(40, 4)
  cluster <- random_labels(40, 5)
  scores <- list(
    clustering_accuracy, clustering_overlap, adjusted_rand, normalized_mutual_info
  )
  shuffled <- sample.int(40)
  for (score in scores) {
    value <- score(truth, cluster)
    expect_equal(score(letters[truth], c(7, -1, 0.5, 100, 3)[cluster]), value)
    expect_equal(score(factor(truth, levels = 9:1), cluster > 0 & cluster), score(truth, rep(1, 40)))
    expect_equal(score(factor(truth, levels = 9:1), as.raw(cluster)), value)
    expect_equal(score(truth[shuffled], cluster[shuffled]), value)
    fit <- structure(list(cluster = cluster), class = c("kgroups_fit", "kgroups"))
    expect_equal(score(truth, fit), value)
    expect_equal(score(fit, truth), score(cluster, truth))
  }
  # Numbers that print alike are still two labels.
  expect_equal(adjusted_rand(c(1, 1, 2, 2), c(1, 1, 1 + 1e-15, 1 + 1e-15)), 1)
})

test_that("equal partitions score 1, whatever the number of groups", {
  set.seed(3)
  for (k in c(1, 2, 5, 12)) {
    truth <- random_labels(12, k)
    cluster <- (10:99)[truth]
    expect_identical(clustering_accuracy(truth, cluster), 1)
    expect_equal(clustering_overlap(truth, cluster), 1)
    expect_equal(adjusted_rand(truth, cluster), 1)
    for (mean in means) expect_equal(normalized_mutual_info(truth, cluster, mean), 1)
  }
})

test_that("degenerate partitions get the documented values", {
  one <- rep(1, 6)
  single <- 1:6
  halves <- rep(1:2, 3)
  expect_identical(adjusted_rand(one, one), 1)
  expect_identical(adjusted_rand(single, single), 1)
  expect_identical(adjusted_rand(5, "a"), 1)
  expect_identical(adjusted_rand(one, single), 0)
  expect_identical(adjusted_rand(one, halves), 0)
  expect_identical(adjusted_rand(halves, single), 0)
  for (mean in means) {
    expect_identical(normalized_mutual_info(one, one, mean), 1)
    expect_identical(normalized_mutual_info(one, halves, mean), 0)
    expect_identical(normalized_mutual_info(halves, one, mean), 0)
  }
  expect_identical(clustering_overlap(one, one), 1)
  expect_identical(clustering_overlap(one, halves), 0)
  expect_equal(clustering_overlap(halves, one), 0)
  expect_equal(clustering_accuracy(one, single), 1 / 6)
})

test_that("many labels go another way to the same table", {
  set.seed(4)
  n <- 3000
  truth <- sample.int(n, n, replace = TRUE)
  cluster <- sample.int(n, n, replace = TRUE)
  table <- label_table(truth, cluster)
  expect_identical(
    table[c("row", "column", "count")],
    {
      slow <- which(table(truth, cluster) > 0, arr.ind = TRUE, useNames = FALSE)
      list(
        row = slow[, 1], column = slow[, 2],
        count = as.numeric(table(truth, cluster)[slow])
      )
    }
  )
  expect_equal(
    adjusted_rand(truth, cluster),
    igraph::compare(truth, cluster, method = "adjusted.rand")
  )
  # A relabelling of 3000 groups is recognised without a 3000 x 3000 assignment.
  expect_identical(clustering_accuracy(truth, rev(seq_len(n))[truth]), 1)
})

test_that("the counts do not overflow the integers", {
  n <- 2e5
  truth <- rep(1:2, each = n / 2)
  cluster <- rep(c(1, 2, 1), c(n / 4, n / 4, n / 2))
  a <- n / 2
  pairs <- function(x) x * (x - 1) / 2
  expected <- 2 * pairs(a) * (pairs(n / 4) + pairs(3 * n / 4)) / pairs(n)
  most <- (2 * pairs(a) + pairs(n / 4) + pairs(3 * n / 4)) / 2
  expect_equal(
    adjusted_rand(truth, cluster),
    (2 * pairs(n / 4) + pairs(a) - expected) / (most - expected)
  )
})

# Graphs -------------------------------------------------------------------------

quality_by_pairs <- function(graph, label) {
  joined <- as.matrix(igraph::as_adjacency_matrix(graph)) != 0
  joined <- joined | t(joined)
  pairs <- utils::combn(length(label), 2)
  edge <- joined[t(pairs)]
  same <- label[pairs[1, ]] == label[pairs[2, ]]
  degree <- rowSums(joined) - diag(joined)
  expected <- outer(degree, degree) / (2 * sum(edge))
  diag(joined) <- FALSE
  c(
    performance = mean(edge == same),
    coverage = sum(edge & same) / sum(edge),
    modularity = sum((joined - expected)[outer(label, label, "==")]) / (2 * sum(edge))
  )
}

test_that("graph quality agrees with the definitions on any kind of graph", {
  set.seed(5)
  for (trial in 1:15) {
    n <- sample(5:15, 1)
    edges <- sample.int(n, 60, replace = TRUE) # loops and repeated edges included
    graph <- igraph::make_graph(edges, n = n, directed = trial %% 2 == 0)
    igraph::E(graph)$weight <- runif(30)
    label <- sample(c("x", "y", "z"), n, replace = TRUE)
    expect_equal(graph_partition_quality(graph, label), quality_by_pairs(graph, label))
  }
})

test_that("graph quality takes communities and memberships, and says NaN where undefined", {
  karate <- igraph::make_graph("Zachary")
  communities <- igraph::cluster_walktrap(karate)
  quality <- graph_partition_quality(karate, communities)
  expect_equal(quality, graph_partition_quality(karate, igraph::membership(communities)))
  expect_equal(quality[["modularity"]], igraph::modularity(communities))
  expect_equal(adjusted_rand(communities, igraph::membership(communities)), 1)
  expect_equal(graph_partition_quality(karate, rep(1, 34))[["coverage"]], 1)
  expect_identical(
    graph_partition_quality(igraph::make_empty_graph(3, directed = FALSE), c(1, 1, 2)),
    c(performance = 2 / 3, coverage = NaN, modularity = NaN)
  )
  expect_identical(
    graph_partition_quality(igraph::make_empty_graph(1), 1),
    c(performance = NaN, coverage = NaN, modularity = NaN)
  )
})

# Wrong input --------------------------------------------------------------------

test_that("wrong input is a classed error", {
  graph <- igraph::make_ring(4)
  expect_snapshot(error = TRUE, {
    clustering_accuracy(1:3, 1:4)
    clustering_overlap(c(1, NA, 2), 1:3)
    adjusted_rand(1:3, c(1, 2, NaN))
    adjusted_rand(NULL, NULL)
    adjusted_rand(list(1, 2), 1:2)
    adjusted_rand(character(), character())
    normalized_mutual_info(1:3, 1:3, mean = "harmonic")
    graph_partition_quality(graph, 1:3)
    graph_partition_quality(graph, c(1, 1, NA, 2))
    graph_partition_quality(matrix(0, 4, 4), 1:4)
    graph_partition_quality(igraph::make_empty_graph(0), integer())
  })
  expect_error(clustering_accuracy(1:3, 1:4), class = "kg_error_cluster")
  expect_error(clustering_overlap(c(1, NA, 2), 1:3), class = "kg_error_truth")
  expect_error(normalized_mutual_info(1:3, 1:3, mean = NA), class = "kg_error_mean")
  expect_error(graph_partition_quality(graph, 1:3), class = "kg_error_membership")
  expect_error(graph_partition_quality(7, 1:3), class = "kg_error_graph")
  # One connected set of 11000 by 11000 groups: refused before any memory is asked for.
  k <- 11000
  chain <- rep(seq_len(k), each = 2)
  shifted <- c(chain[-1], k)
  expect_snapshot(error = TRUE, clustering_accuracy(chain, shifted))
  expect_error(clustering_accuracy(chain, shifted), class = "kg_error_groups")
})
