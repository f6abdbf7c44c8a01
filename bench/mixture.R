# Mixtures started from the clusters in a learned metric, kgroups_mixture(): adjusted Rand index at the true k on
# simulated designs and on tables beside kgroups(standardize = "within") and mclust; probabilities; times; choice of k.
#   Rscript bench/mixture.R designs|peers|probabilities|times|k|k-tables|held-out   (minutes: 4, 3, 2, 1, 2, 1, 4)
# Seeds are the second argument, as 8001:8006. Constants of R/mixture.R were set on seeds 6001 to 7212 and on 21 tables of
# bench/learned.R.
library(kgroups)
suppressPackageStartupMessages(library(mclust))

# k clusters, means `apart` on average, n rows. `design`: round; common, heavy (t, 2 degrees of freedom), t3,
# exponential, lognormal, uniform: one random linear map; own, own t3: one of each cluster; scale: a variance each.
draw <- function(design, d, apart = 3.5, share = c(1, 1, 1), n = 300) {
  k <- length(share)
  truth <- rep(seq_len(k), round(n * share / sum(share)))
  n <- length(truth)
  means <- matrix(rnorm(k * d), k)
  means <- means * apart / mean(dist(means))
  mix <- function() {
    q <- qr.Q(qr(matrix(rnorm(d * d), d)))
    q %*% (exp(rnorm(d)) * t(q))
  }
  e <- switch(design,
    heavy = matrix(rnorm(n * d), n) / sqrt(rchisq(n, 2) / 2),
    t3 = , "own t3" = matrix(rnorm(n * d), n) / sqrt(rchisq(n, 3) / 3),
    exponential = matrix(rexp(n * d) - 1, n),
    lognormal = matrix((exp(rnorm(n * d, sd = 0.7)) - exp(0.245)) / 0.9, n),
    uniform = matrix(runif(n * d, -sqrt(3), sqrt(3)), n),
    matrix(rnorm(n * d), n)
  )
  if (startsWith(design, "own")) for (l in seq_len(k)) e[truth == l, ] <- e[truth == l, ] %*% mix()
  if (design == "scale") e <- e * exp(rnorm(k, sd = 0.5))[truth]
  x <- means[truth, ] + e
  list(
    x = if (design %in% c("common", "heavy", "t3", "exponential", "lognormal", "uniform")) x %*% mix() else x,
    truth = truth, means = means
  )
}
designs <- list(
  list("own", 5), list("own", 2), list("own", 10), list("scale", 5), list("own t3", 5, 4),
  list("own", 5, 4, c(6, 3, 1)),
  list("round", 5, 4, c(8, 1, 1)), list("round", 5, 6, c(8, 1, 1)), list("round", 5, 3.5, c(6, 3, 1)), list("round", 5),
  list("round", 2),
  list("common", 5), list("common", 10), list("common", 5, 4, rep(1, 6)), list("heavy", 5), list("t3", 5, 4),
  list("exponential", 5),
  list("exponential", 2), list("lognormal", 5), list("uniform", 5), list("uniform", 2)
)
label_of <- function(one) {
  share <- if (length(one) > 3L) paste(one[[4L]], collapse = ":") else ""
  paste(c(one[[1L]], one[[2L]], if (length(one) > 2L) one[[3L]], share), collapse = " ")
}
row_of <- function(name, values, digits = 2) {
  if (is.numeric(values)) values <- formatC(values, digits, format = "f")
  cat("|", paste(c(name, values), collapse = " | "), "|\n")
}
quiet <- function(code) suppressWarnings(suppressMessages(code))

parts <- list()

parts$designs <- function(seeds = 8001:8006) {
  cat(sprintf(
    "| design, d, apart, sizes (mean of %d) | within | mixture | mclust | forms |\n|---|---|---|---|---|\n",
    length(seeds)
  ))
  all <- NULL
  for (one in designs) {
    forms <- character()
    values <- vapply(seeds, function(seed) {
      set.seed(seed)
      o <- do.call(draw, one)
      k <- max(o$truth)
      set.seed(1)
      within <- quiet(kgroups(o$x, k, standardize = "within"))
      mixture <- kgroups_mixture(within)
      forms <<- c(forms, mixture$form)
      other <- Mclust(o$x, k, verbose = FALSE)
      c(
        compare_clusters(o$truth, within), compare_clusters(o$truth, mixture),
        if (is.null(other)) NA else compare_clusters(o$truth, other$classification)
      )
    }, numeric(3))
    all <- rbind(all, rowMeans(values, na.rm = TRUE))
    text <- paste(names(table(forms)), table(forms), collapse = ", ")
    cat(
      "|", paste(c(label_of(one), formatC(rowMeans(values, na.rm = TRUE), 2, format = "f"), text), collapse = " | "),
      "|\n"
    )
  }
  row_of("mean", colMeans(all), 3)
}

# The same beside other programs for mixtures and trimmed clusters, without trimming, on some of the designs.
parts$peers <- function(runs = 2) {
  library(teigen)
  library(tclust)
  cat(sprintf(
    "| design, d, apart, sizes (mean of %d) | within | mixture | mclust | teigen | tclust |\n%s\n", runs,
    "|---|---|---|---|---|---|"
  ))
  for (one in designs[c(1, 2, 5)]) {
    values <- rowMeans(vapply(6100 + seq_len(runs), function(seed) {
      set.seed(seed)
      o <- do.call(draw, one)
      k <- max(o$truth)
      set.seed(1)
      within <- quiet(kgroups(o$x, k, standardize = "within"))
      utils::capture.output(
        t <- quiet(teigen(o$x, k, c("CCCC", "UCCC", "UUUC", "UUUU"), verbose = FALSE, maxit = c(60, 60)))
      )
      labels <- list(
        within$cluster, kgroups_mixture(within)$cluster, Mclust(o$x, k, verbose = FALSE)$classification,
        t$classification, quiet(tclust(scale(o$x), k, alpha = 0, restr.fact = 50))$cluster
      )
      vapply(labels, function(z) if (length(z) == length(o$truth)) compare_clusters(o$truth, z) else 0, 0)
    }, numeric(5)))
    row_of(label_of(one), values)
  }
}

# 100 times the Kullback-Leibler divergence from the posterior of round normals, and of own covariances.
parts$probabilities <- function(seeds = 8001:8012) {
  cat(sprintf("| sizes, d (mean of %d) | predict() of within | mixture | mclust |\n|---|---|---|---|\n", length(seeds)))
  for (one in list(list(c(1, 1, 1), 2), list(c(1, 1, 1), 5), list(c(6, 3, 1), 2), list(c(6, 3, 1), 5))) {
    values <- vapply(seeds, function(seed) {
      set.seed(seed)
      o <- draw("round", one[[2L]], share = one[[1L]])
      log_p <- sapply(1:3, function(l) log(one[[1L]][l]) - colSums((t(o$x) - o$means[l, ])^2) / 2)
      P <- exp(log_p - apply(log_p, 1, max))
      P <- P / rowSums(P)
      divergence <- function(Q) {
        order <- clue::solve_LSAP(crossprod(P, Q), maximum = TRUE)
        Q <- pmax(Q[, order], 1e-12)
        100 * mean(rowSums(ifelse(P > 0, P * log(P / Q), 0)))
      }
      within <- quiet(kgroups(o$x, 3, standardize = "within"))
      c(
        divergence(predict(within, type = "prob")), divergence(predict(kgroups_mixture(within), type = "prob")),
        divergence(Mclust(o$x, 3, verbose = FALSE)$z)
      )
    }, numeric(3))
    row_of(paste(paste(one[[1L]], collapse = ":"), one[[2L]]), rowMeans(values), 1)
  }
}

parts$times <- function() {
  cat("| n, d, k | within, s | mixture, s | ratio |\n|---|---|---|---|\n")
  for (size in list(c(300, 5, 3), c(1000, 10, 5), c(10000, 10, 5))) {
    set.seed(6001)
    o <- draw("own", size[2], 4, rep(1, size[3]), size[1])
    within <- system.time(fit <- quiet(kgroups(o$x, size[3], standardize = "within")))[["user.self"]]
    more <- system.time(kgroups_mixture(fit))[["user.self"]]
    row_of(paste(size, collapse = ", "), c(within, within + more, (within + more) / within))
  }
}

# One cluster of 300 rows.
one_cluster <- function(kind, d) {
  m <- switch(kind, normal = rnorm, uniform = runif, exponential = rexp, t3 = function(n) rt(n, 3))(300 * d)
  list(x = matrix(m, 300), truth = rep(1, 300))
}

# The default of select_k() on columns of standard deviation 1, beside BIC and the elbow ratio alone.
parts$k <- function(seeds = 7401:7402) {
  ones <- expand.grid(d = c(2, 5), kind = c("normal", "uniform", "exponential", "t3"), stringsAsFactors = FALSE)
  sets <- c(
    stats::setNames(lapply(designs, function(one) function() do.call(draw, one)), vapply(designs, label_of, "")),
    stats::setNames(
      Map(function(kind, d) function() one_cluster(kind, d), ones$kind, ones$d), paste("one", ones$kind, ones$d)
    )
  )
  cat(sprintf("| design (%d each) | default | bic | elbow |\n|---|---|---|---|\n", length(seeds)))
  all <- t(vapply(names(sets), function(name) {
    right <- vapply(seeds, function(seed) {
      set.seed(seed)
      o <- sets[[name]]()
      set.seed(1)
      choice <- quiet(select_k(scale(o$x), 1:6, splits = 2))
      table <- choice$table
      c(choice$k, table$k[which.min(table$bic)], table$k[which.max(table$elbow)]) == max(o$truth)
    }, numeric(3))
    row_of(name, rowMeans(right))
    rowMeans(right)
  }, numeric(3)))
  one <- startsWith(rownames(all), "one ")
  row_of("mean of designs with clusters", colMeans(all[!one, ]))
  row_of("mean of designs with one", colMeans(all[one, ]))
}

# The same on the tables of bench/learned.R, up to two clusters more than classes.
parts$"k-tables" <- function() {
  for (one in as.list(parse("bench/learned.R"))) {
    if (
      identical(one[[1L]], as.name("<-")) && deparse(one[[2L]])[1L] %in% c("data_of", "some", "tables", "load_table")
    ) {
      eval(one, globalenv())
    }
  }
  cat("| table, classes | default | bic | elbow |\n|---|---|---|---|\n")
  installed <- vapply(tables, function(one) requireNamespace(one[[1L]], quietly = TRUE), NA)
  all <- vapply(names(tables)[installed], function(name) {
    o <- load_table(tables[[name]])
    k <- max(o$truth)
    set.seed(1)
    choice <- quiet(select_k(scale(o$x), seq_len(min(10, k + 2)), splits = 2))
    table <- choice$table
    found <- c(choice$k, table$k[which.min(table$bic)], table$k[which.max(table$elbow)])
    row_of(paste(name, k, sep = ", "), found, 0)
    found == k
  }, numeric(3))
  row_of("share right", rowMeans(all))
  cat(sprintf(
    "\n%d tables; only the default is right on %d, only the elbow ratio on %d.\n", ncol(all), sum(all[1, ] > all[3, ]),
    sum(all[3, ] > all[1, ])
  ))
}

# Tables that nothing was set on, by a rule that was written before any of them was clustered: the data frames of the
# installed packages with 60 to 2000 complete rows and 2 to 20 columns of at least 10 different numbers. Groups are the
# first factor of 2 to 8 levels, with more rows each than columns and at least 10, more than 3 d k rows, and groups that
# linear or quadratic discriminant analysis finds when a row is left out (adjusted Rand index of at least .4). Tables of
# bench/learned.R, and others of which results were known, are left out by name.
known_tables <- c(
  "iris", "iris3", "crabs", "banknote", "thyroid", "diabetes", "fgl", "Vehicle", "Ionosphere", "Sonar", "sonar", "peng",
  "penguins", "penguins_raw", "wine", "biopsy", "Pima.tr", "Pima.te", "Pima.tr2", "Satellite", "LetterRecognition",
  "olive", "oliveoil", "coffee", "fish", "salmon", "wdbc", "Vowel", "ais", "hemophilia", "olitos", "body", "spam",
  "Shuttle", "Zoo", "two_class_dat", "Diabetes", "cells", "Nclus", "Bees", "FootHead", "bankruptcy", "leafshape",
  "leafshape17", "cuckoos", "possum", "BreastCancer", "Glass", "glass", "Wine", "wines", "painters2"
)
known_packages <- c("modeldata", "mlbench", "flexmix", "rebmix", "tourr", "HSAUR3", "pgmm", "genieclust")

# list(x, truth) of the first groups that satisfy the rule, or NULL.
by_rule <- function(d) {
  number <- vapply(d, function(v) {
    is.numeric(v) && is.null(dim(v)) && length(unique(v)) >= 10 && !identical(as.numeric(v), as.numeric(seq_along(v)))
  }, NA)
  group <- names(d)[vapply(d, function(v) {
    (is.factor(v) || is.character(v)) && length(unique(v[!is.na(v)])) %in% 2:8
  }, NA)]
  if (nrow(d) > 20000 || length(group) == 0L || !sum(number) %in% 2:20) {
    return(NULL)
  }
  d <- d[stats::complete.cases(d[number | names(d) == group[1L]]), ]
  x <- as.matrix(d[number])
  for (one in group) {
    truth <- factor(d[[one]])
    k <- nlevels(truth)
    if (
      nrow(x) < 60 || nrow(x) > 2000 || anyNA(truth) || !k %in% 2:8 || min(table(truth)) < max(10, ncol(x) + 2) ||
        3 * ncol(x) * k > nrow(x) || any(apply(x, 2, stats::sd) == 0)
    ) {
      next
    }
    found <- vapply(list(MASS::lda, MASS::qda), function(f) {
      tryCatch(compare_clusters(truth, f(x, truth, CV = TRUE)$class), error = function(e) -1)
    }, 0)
    if (max(found) >= 0.4) {
      return(list(x = x, truth = as.integer(truth)))
    }
  }
  NULL
}

held_out <- function() {
  out <- list()
  for (package in setdiff(sort(unique(rownames(utils::installed.packages()))), known_packages)) {
    names <- sub(" .*", "", suppressWarnings(utils::data(package = package))$results[, "Item"])
    for (name in setdiff(names, known_tables)) {
      d <- tryCatch(
        {
          e <- new.env()
          suppressWarnings(utils::data(list = name, package = package, envir = e))
          get(name, e)
        },
        error = function(e) NULL
      )
      if (is.data.frame(d)) out[[paste(package, name)]] <- quiet(by_rule(as.data.frame(d)))
    }
  }
  out[!duplicated(lapply(out, function(o) c(dim(o$x), signif(sum(abs(o$x[, 1L])), 6))))]
}

# Of more than 300 rows Mclust() has six models, and always at most 300 steps, without which some tables do not end.
parts$"held-out" <- function() {
  cat("| table | n, d, k | sd 1 | within | mixture | mclust | form |\n|---|---|---|---|---|---|---|\n")
  tables <- held_out()
  all <- t(vapply(names(tables), function(name) {
    o <- tables[[name]]
    k <- max(o$truth)
    set.seed(1)
    within <- quiet(kgroups(o$x, k, standardize = "within"))
    mixture <- quiet(kgroups_mixture(within))
    models <- if (nrow(o$x) > 300) c("EII", "EEI", "EEE", "VEE", "EEV", "VVV")
    other <- quiet(Mclust(o$x, k, modelNames = models, verbose = FALSE, control = emControl(itmax = c(300, 300))))
    ari <- vapply(list(
      quiet(kgroups(o$x, k, standardize = TRUE))$cluster, within$cluster, mixture$cluster,
      if (is.null(other)) rep(1, nrow(o$x)) else other$classification
    ), function(labels) compare_clusters(o$truth, labels), 0)
    row_of(name, c(paste(c(dim(o$x), k), collapse = ", "), formatC(ari, 2, format = "f"), mixture$form))
    ari
  }, numeric(4)))
  gain <- all[, 3L] - all[, 2L]
  row_of(sprintf("mean of %d", nrow(all)), c("", formatC(colMeans(all), 3, format = "f"), ""))
  cat(sprintf(
    "mixture less within: standard error %.3f, %d tables lose more than .05, %d gain\n",
    stats::sd(gain) / sqrt(length(gain)), sum(gain < -0.05), sum(gain > 0.05)
  ))
}

part <- commandArgs(TRUE)[1L]
if (!part %in% names(parts)) stop("Rscript bench/mixture.R ", paste(names(parts), collapse = "|"))
given <- commandArgs(TRUE)[-1L]
if (length(given)) parts[[part]](eval(str2lang(given[1L]))) else parts[[part]]()
