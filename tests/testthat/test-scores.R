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

# Adjusted Rand index by evaluation of every pair of observations.
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
  for (trial in seq_len(repeats(13, 40))) {
    n <- sample(8:30, 1)
    truth <- random_labels(n, sample(2:6, 1))
    cluster <- random_labels(n, sample(2:6, 1))
    expect_equal(compare_clusters(truth, cluster, "accuracy"), accuracy_by_search(truth, cluster))
    k <- length(unique(truth))
    expect_equal(
      compare_clusters(truth, cluster, "overlap"),
      (accuracy_by_search(truth, cluster) - 1 / k) / (1 - 1 / k)
    )
    expect_equal(compare_clusters(truth, cluster), rand_by_pairs(truth, cluster))
    expect_equal(
      compare_clusters(truth, cluster),
      igraph::compare(truth, cluster, method = "adjusted.rand")
    )
    for (mean in means) {
      expect_equal(
        compare_clusters(truth, cluster, "nmi", mean = mean),
        nmi_by_definition(truth, cluster, mean)
      )
    }
    expect_equal(
      compare_clusters(truth, cluster, "nmi", mean = "arithmetic"),
      igraph::compare(truth, cluster, method = "nmi")
    )
  }
})

test_that("known values come out", {
  # Hubert and Arabie's formula by hand: 2 true groups of 3 and 3, found 2 and 4.
  truth <- c(1, 1, 1, 2, 2, 2)
  cluster <- c(1, 1, 2, 2, 2, 2)
  expect_equal(compare_clusters(truth, cluster, "accuracy"), 5 / 6)
  expect_equal(compare_clusters(truth, cluster, "overlap"), 2 / 3)
  expect_equal(compare_clusters(truth, cluster), (4 - 6 * 7 / 15) / (6.5 - 6 * 7 / 15))
  # Independent halves carry no information; the best matching is a coin.
  expect_equal(compare_clusters(c(1, 1, 2, 2), c(1, 2, 1, 2), "nmi"), 0)
  expect_equal(compare_clusters(c(1, 1, 2, 2), c(1, 2, 1, 2), "accuracy"), 0.5)
  expect_equal(compare_clusters(c(1, 1, 2, 2), c(1, 2, 1, 2), "overlap"), 0)
  expect_equal(compare_clusters(c(1, 1, 2, 2), c(1, 2, 1, 2)), -0.5)
})

test_that("the greedy matching is not taken for the best one", {
  # Largest cell first gives 10 + 0; the best matching gives 9 + 9.
  truth <- rep(c(1, 1, 2), c(10, 9, 9))
  cluster <- rep(c(1, 2, 1), c(10, 9, 9))
  expect_equal(compare_clusters(truth, cluster, "accuracy"), 18 / 28)
})

test_that("groups without a partner count as wrong, whichever side has more", {
  truth <- rep(1:2, each = 6)
  cluster <- rep(1:6, each = 2)
  expect_equal(compare_clusters(truth, cluster, "accuracy"), 4 / 12)
  expect_equal(compare_clusters(cluster, truth, "accuracy"), 4 / 12)
  # Two separate sets of groups, one of them a proper assignment problem.
  truth <- c(rep(1, 5), 3, 3, 3, 4, 4, 4)
  cluster <- c(1, 1, 2, 2, 2, 5, 5, 6, 5, 6, 6)
  expect_equal(compare_clusters(truth, cluster, "accuracy"), accuracy_by_search(truth, cluster))
})

test_that("names, order and type of the labels do not matter", {
  set.seed(2)
  truth <- random_labels(40, 4)
  cluster <- random_labels(40, 5)
  scores <- list(
    \(a, b) compare_clusters(a, b, "accuracy"), \(a, b) compare_clusters(a, b, "overlap"),
    compare_clusters, \(a, b) compare_clusters(a, b, "nmi")
  )
  shuffled <- sample.int(40)
  for (score in scores) {
    value <- score(truth, cluster)
    expect_equal(score(letters[truth], c(7, -1, 0.5, 100, 3)[cluster]), value)
    expect_equal(score(factor(truth, levels = 9:1), cluster > 0 & cluster), score(truth, rep(1, 40)))
    expect_equal(score(factor(truth, levels = 9:1), as.raw(cluster)), value)
    expect_equal(score(truth[shuffled], cluster[shuffled]), value)
    fit <- structure(list(cluster = cluster), class = "kgroups_fit")
    expect_equal(score(truth, fit), value)
    expect_equal(score(fit, truth), score(cluster, truth))
  }
  # Numbers that print alike are still two labels.
  expect_equal(compare_clusters(c(1, 1, 2, 2), c(1, 1, 1 + 1e-15, 1 + 1e-15)), 1)
})

test_that("equal partitions score 1, whatever the number of groups", {
  set.seed(3)
  for (k in c(1, 2, 5, 12)) {
    truth <- random_labels(12, k)
    cluster <- (10:99)[truth]
    expect_identical(compare_clusters(truth, cluster, "accuracy"), 1)
    expect_equal(compare_clusters(truth, cluster, "overlap"), 1)
    expect_equal(compare_clusters(truth, cluster), 1)
    for (mean in means) expect_equal(compare_clusters(truth, cluster, "nmi", mean = mean), 1)
  }
})

test_that("degenerate partitions get the documented values", {
  one <- rep(1, 6)
  single <- 1:6
  halves <- rep(1:2, 3)
  expect_identical(compare_clusters(one, one), 1)
  expect_identical(compare_clusters(single, single), 1)
  expect_identical(compare_clusters(5, "a"), 1)
  expect_identical(compare_clusters(one, single), 0)
  expect_identical(compare_clusters(one, halves), 0)
  expect_identical(compare_clusters(halves, single), 0)
  for (mean in means) {
    expect_identical(compare_clusters(one, one, "nmi", mean = mean), 1)
    expect_identical(compare_clusters(one, halves, "nmi", mean = mean), 0)
    expect_identical(compare_clusters(halves, one, "nmi", mean = mean), 0)
  }
  expect_identical(compare_clusters(one, one, "overlap"), 1)
  expect_identical(compare_clusters(one, halves, "overlap"), 0)
  expect_equal(compare_clusters(halves, one, "overlap"), 0)
  expect_equal(compare_clusters(one, single, "accuracy"), 1 / 6)
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
    compare_clusters(truth, cluster),
    igraph::compare(truth, cluster, method = "adjusted.rand")
  )
  # A relabelling of 3000 groups is recognised without a 3000 x 3000 assignment.
  expect_identical(compare_clusters(truth, rev(seq_len(n))[truth], "accuracy"), 1)
})

test_that("long vectors of labels are read in strips with the answer of one", {
  x <- c(rep_len(c(7, 3, 3), 1.1e6), 0)
  expect_identical(label_codes(x), structure(match(x, c(0, 3, 7)), levels = c("0", "3", "7")))
  expect_identical(compare_clusters(x, x == 7, "accuracy"), 1 - 1 / length(x))
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
    compare_clusters(truth, cluster),
    (2 * pairs(n / 4) + pairs(a) - expected) / (most - expected)
  )
})

# Wrong input --------------------------------------------------------------------

test_that("wrong input is a classed error", {
  expect_snapshot(error = TRUE, {
    compare_clusters(1:3, 1:4, "accuracy")
    compare_clusters(c(1, NA, 2), 1:3, "overlap")
    compare_clusters(1:3, c(1, 2, NaN))
    compare_clusters(NULL, NULL)
    compare_clusters(list(1, 2), 1:2)
    compare_clusters(character(), character())
    compare_clusters(1:3, 1:3, "nmi", mean = "harmonic")
    compare_clusters(1:3, 1:3, "rand")
  })
  expect_error(compare_clusters(1:3, 1:4, "accuracy"), class = "kg_error_cluster")
  expect_error(compare_clusters(c(1, NA, 2), 1:3, "overlap"), class = "kg_error_truth")
  expect_error(compare_clusters(1:3, 1:3, "nmi", mean = NA), class = "kg_error_mean")
  expect_error(compare_clusters(1:3, 1:3, "rand"), class = "kg_error_method")
  # One connected set of 11000 by 11000 groups: refused before any memory is requested.
  k <- 11000
  chain <- rep(seq_len(k), each = 2)
  shifted <- c(chain[-1], k)
  expect_snapshot(error = TRUE, compare_clusters(chain, shifted, "accuracy"))
  expect_error(compare_clusters(chain, shifted, "accuracy"), class = "kg_error_groups")
})

test_that("a partition by energy::kgroups() is one of labels", {
  set.seed(1)
  skip_if_not_installed("energy")
  theirs <- energy::kgroups(as.matrix(iris[1:4]), 3)
  expect_equal(compare_clusters(theirs, theirs$cluster), 1)
  # its print() and fitted() are not those of our fits
  expect_false(inherits(kgroups(iris[1:4], 3), "kgroups"))
})

test_that("a table of partitions has all scores, or that of the call, and prints them rounded", {
  set.seed(1)
  found <- list(a = rep(1:3, 50), b = as.integer(iris$Species), one = rep(1, 150))
  table <- compare_clusters(iris$Species, found)
  for (method in score_methods) {
    one <- vapply(found, function(cluster) compare_clusters(iris$Species, cluster, method), 0)
    expect_equal(table[[method]], unname(one))
    expect_named(compare_clusters(iris$Species, found, method), c("partition", "clusters", method))
  }
  expect_snapshot(table)
  expect_output(print(table[1:2]), "clusters")
})

test_that("objects with one label an observation as `cluster` are partitions, and other lengths are named", {
  set.seed(1)
  labels <- rep(0:3, 5)
  for (class in list(c("dbscan_fast", "dbscan"), "tclust", "hdbscan")) {
    object <- structure(list(cluster = labels, eps = 1), class = class)
    expect_identical(compare_clusters(object, labels), 1)
    expect_identical(compare_clusters(rep(1:2, 10), object), compare_clusters(rep(1:2, 10), labels))
    expect_warning(energy_test(stats::rnorm(20), object, R = 9), class = "kg_warning_level")
  }
  expect_error(compare_clusters(labels, factor(labels[1:9])), "a factor of length 9", class = "kg_error_cluster")
  expect_error(compare_clusters(labels, labels[1:9]), "vector of length 9\\.$", class = "kg_error_cluster")
  expect_error(
    compare_clusters(labels, list(labels, "Species")), "You supplied \"Species\"", fixed = TRUE, class = "kg_error_cluster"
  )
})

test_that("noise of other packages is the group 0; a table is a list of partitions", {
  truth <- rep(1:2, 5)
  noisy <- structure(list(cluster = c(0, 0, rep(1:2, 4))), class = "dbscan")
  expect_no_message(score <- compare_clusters(truth, noisy))
  expect_identical(score, compare_clusters(truth, noisy$cluster))
  table <- data.frame(a = truth, b = rev(truth))
  for (x in list(table, as.list(table))) {
    code <- code_of(tryCatch(compare_clusters(x), kg_error_cluster = function(e) e$body[["i"]]))
    expect_identical(eval(str2lang(code)), compare_clusters(truth, list(b = rev(truth))))
  }
})

test_that("the Rand index of labels 1..k is that of any labels", {
  set.seed(8)
  for (k in 2:4) {
    a <- sample.int(k, 40, replace = TRUE)
    b <- replace(a, 1:15, sample.int(k, 15, replace = TRUE))
    expect_equal(rand_of_labels(a, b, k), compare_clusters(a, b))
  }
})
