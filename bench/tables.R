# Tables of mixed columns: k-groups on the points that it makes of a table, beside kamila,
# k-prototypes (clustMixType), PAM on Gower's coefficient (cluster), k-means on the first
# principal coordinates of mixed data (FAMD) and latent class mixtures (VarSelLCM); missing cells
# beside mean and mode, complete rows and Gower's coefficient; what holds for every fit of a table;
# the cost of the preprocessing.
#   Rscript bench/tables.R [SEED] > bench/tables.md     (40 minutes)
# Writes vignettes/tables.csv with the first seed. Methods whose package is not installed are left
# out. Stops if a requirement fails.

library(kgroups)
has <- function(package) requireNamespace(package, quietly = TRUE)
seed <- as.integer(c(commandArgs(TRUE), 20261122)[1])
runs <- 20

# ---- simulated tables ----

# Numbers around the means of groups, categories with a favourite level for each group, columns that
# have nothing to do with the groups. Units differ from column to column.
#   gap     mean distance of two groups' means in sd, in all numbers together
#   clear   how much of a category's chances goes to the favourite level
#   shape   of the numbers within a group; r their correlation
simulate <- function(n = 300, k = 3, p = 4, q = 4, levels = 4, gap = 2.2, clear = 0.4, sizes = rep(1, k),
                     shape = "normal", r = 0, noise_p = 0, noise_q = 0, noise_levels = levels, scatter = NULL) {
  truth <- sort(rep_len(rep(seq_len(k), round(100 * sizes / sum(sizes))), n))
  draw <- switch(shape,
    normal = rnorm, t = function(m) rt(m, 4) / sqrt(2), lognormal = function(m) (exp(rnorm(m, sd = 0.6)) - 1.2) / 0.8,
    gamma = function(m) rgamma(m, 2) / sqrt(2)
  )
  within <- function(p) matrix(draw(n * p), n) * sqrt(1 - r) + sqrt(r) * draw(n)
  numbers <- NULL
  if (p > 0) {
    centres <- matrix(rnorm(k * p), k)
    centres <- centres * gap / mean(dist(centres))
    spread <- if (is.null(scatter)) 1 else scatter[truth]
    numbers <- within(p) * spread + centres[truth, , drop = FALSE]
  }
  if (noise_p > 0) numbers <- cbind(numbers, within(noise_p))
  if (!is.null(numbers)) numbers <- sweep(numbers, 2L, exp(rnorm(ncol(numbers), sd = 1.5)), "*")
  pick <- function(chances) {
    apply(chances[truth, , drop = FALSE], 1L, function(p) sample.int(length(p), 1L, prob = p))
  }
  letters_of <- function(codes, levels) factor(letters[codes], letters[seq_len(levels)])
  categories <- lapply(seq_len(q), function(j) {
    common <- rgamma(levels, 2)
    favourite <- rep_len(sample.int(levels), k)
    if (levels < k) favourite <- sample(favourite)
    letters_of(
      pick((1 - clear) * rep(common / sum(common), each = k) + clear * outer(favourite, seq_len(levels), "==")), levels
    )
  })
  noise <- lapply(seq_len(noise_q), function(j) {
    common <- rgamma(noise_levels, 5)
    letters_of(pick(matrix(common / sum(common), k, noise_levels, byrow = TRUE)), noise_levels)
  })
  categories <- c(categories, noise)
  x <- if (is.null(numbers)) list() else as.list(as.data.frame(numbers))
  x <- as.data.frame(c(x, stats::setNames(categories, sprintf("f%d", seq_along(categories)))))
  shuffled <- sample.int(n)
  list(x = x[shuffled, ], truth = truth[shuffled], k = k)
}

settings <- list(
  plain = list(),
  "two groups" = list(k = 2, gap = 1.6),
  "five groups" = list(n = 400, k = 5, levels = 5, gap = 2.5),
  "eight groups" = list(n = 480, k = 8, levels = 8, gap = 3, p = 5, q = 5),
  "few rows" = list(n = 90),
  "many rows" = list(n = 1000),
  "well apart" = list(gap = 3.5, clear = 0.7),
  "overlapping" = list(gap = 1.6, clear = 0.3),
  "numbers informative" = list(gap = 3, clear = 0.1),
  "categories informative" = list(gap = 0.8, clear = 0.6),
  "mostly numbers" = list(p = 8, q = 2),
  "mostly categories" = list(p = 2, q = 8),
  "two levels" = list(levels = 2, clear = 0.5, q = 6),
  "ten levels" = list(levels = 10),
  "heavy tails" = list(shape = "t"),
  "skewed" = list(shape = "lognormal"),
  "gamma" = list(shape = "gamma", k = 4),
  "correlated" = list(r = 0.3),
  "many columns" = list(p = 15, q = 15, gap = 2.5, clear = 0.25),
  "noisy numbers" = list(noise_p = 4),
  "noisy categories" = list(noise_q = 4),
  "noisy both" = list(noise_p = 3, noise_q = 3),
  "unequal sizes" = list(sizes = c(5, 3, 2)),
  "unequal scale" = list(scatter = c(0.6, 1, 1.4))
)
# where other methods are better, or a weight of a column is requested: not in the means
hard <- list(
  "irrelevant two-level column" = list(k = 2, p = 3, q = 0, noise_q = 1, noise_levels = 2, gap = 2.5, r = 0.6),
  "unequal sizes, local independence" = list(sizes = c(10, 3, 1), p = 3, q = 6, gap = 2, clear = 0.45)
)

# ---- methods ----

is_number <- function(x) vapply(x, is.numeric, NA)
scaled_numbers <- function(x) as.data.frame(scale(x[is_number(x)]))

# principal coordinates of numbers scaled and level indicators weighted by 1/sqrt(share)
famd <- function(x, dimensions) {
  blocks <- lapply(x, function(column) {
    if (is.numeric(column)) {
      return(scale(column))
    }
    indicator <- outer(as.integer(column), which(tabulate(column, nlevels(column)) > 0), "==")
    scale(indicator, scale = sqrt(colMeans(indicator)))
  })
  z <- do.call(cbind, blocks)
  parts <- svd(z, nu = min(dimensions, dim(z)), nv = 0)
  parts$u %*% diag(parts$d[seq_len(ncol(parts$u))], ncol(parts$u))
}
means_of_famd <- function(dimensions) {
  function(x, k) kmeans(famd(x, dimensions(k)), k, nstart = 25, iter.max = 100)$cluster
}
# mixture with independent columns, the number of groups given, without or with selection of columns
latent_class <- function(selection) {
  if (has("VarSelLCM")) {
    function(x, k) VarSelLCM::VarSelCluster(droplevels(x), k, vbleSelec = selection, nbcores = 1)@partitions@zMAP
  }
}
quiet <- function(expression) suppressWarnings(suppressMessages(expression))

methods <- list(
  "k-groups" = function(x, k) quiet(kgroups(x, k))$cluster,
  kamila = if (has("kamila")) {
    function(x, k) kamila::kamila(scaled_numbers(x), x[!is_number(x)], k, numInit = 10)$finalMemb
  },
  "k-prototypes" = if (has("clustMixType")) {
    function(x, k) {
      x[is_number(x)] <- scaled_numbers(x)
      clustMixType::kproto(x, k, nstart = 2, verbose = FALSE)$cluster
    }
  },
  "PAM on Gower" = function(x, k) cluster::pam(cluster::daisy(x, "gower"), k, diss = TRUE, pamonce = 5)$clustering,
  "k-groups on Gower" = function(x, k) quiet(kgroups(cluster::daisy(x, "gower"), k))$cluster,
  "FAMD + k-means" = means_of_famd(function(k) max(5, k - 1)),
  VarSelLCM = latent_class(FALSE)
)
methods <- Filter(Negate(is.null), methods)
harder <- c(methods, Filter(Negate(is.null), list("VarSelLCM, selection" = latent_class(TRUE))))
# the same by the number of coordinates
coordinates <- list(
  "5" = means_of_famd(function(k) 5), "k - 1" = means_of_famd(function(k) k - 1),
  "10" = means_of_famd(function(k) 10), all = means_of_famd(function(k) Inf)
)

# what failed is scored as one group, rows without a label as another
score <- function(method, x, k, truth) {
  cluster <- tryCatch(as.integer(quiet(method(x, k))), error = function(e) NULL)
  if (is.null(cluster)) {
    return(c(0, 1))
  }
  c(compare_clusters(truth, replace(cluster, is.na(cluster), 0L)), 0)
}

# One setting, all methods on the same tables from the same state of the generator.
compare_at <- function(settings, at, methods, part) {
  found <- vapply(seq_len(runs), function(run) {
    set.seed(seed + 1000 * run + at)
    one <- do.call(simulate, settings[[at]])
    state <- .Random.seed
    vapply(methods, function(method) {
      .Random.seed <<- state
      seconds <- sum(system.time(got <- score(method, one$x, one$k, one$truth), gcFirst = FALSE)[1:2])
      c(got, seconds)
    }, c(0, 0, 0))
  }, matrix(0, 3L, length(methods)))
  message(part, ": ", names(settings)[at])
  rand <- matrix(found[1L, , ], length(methods))
  apart <- rand - rep(rand[1L, ], each = nrow(rand))
  data.frame(
    part = part, setting = names(settings)[at], method = names(methods), runs = runs, rand = rowMeans(rand),
    se_apart = apply(apart, 1L, sd) / sqrt(runs), seconds = rowMeans(matrix(found[3L, , ], length(methods))),
    failed = rowSums(matrix(found[2L, , ], length(methods)))
  )
}

compare <- function(settings, methods, part) {
  do.call(rbind, lapply(seq_along(settings), compare_at, settings = settings, methods = methods, part = part))
}

# ---- missing cells ----

punch <- function(x, share) {
  holes <- matrix(runif(length(x) * nrow(x)) < share, nrow(x))
  # a row keeps one cell
  empty <- which(rowSums(!holes) == 0)
  holes[cbind(empty, sample.int(length(x), length(empty), replace = TRUE))] <- FALSE
  for (j in seq_along(x)) x[[j]][holes[, j]] <- NA
  x
}
mean_and_mode <- function(x) {
  for (j in seq_along(x)) {
    open <- is.na(x[[j]])
    x[[j]][open] <- if (is.numeric(x[[j]])) mean(x[[j]], na.rm = TRUE) else names(which.max(table(x[[j]])))
  }
  x
}
fillings <- list(
  "conditional means" = methods[["k-groups"]],
  "mean and mode" = function(x, k) methods[["k-groups"]](mean_and_mode(x), k),
  "Gower, deletion" = function(x, k) {
    d <- cluster::daisy(x, "gower")
    d[is.na(d)] <- mean(d, na.rm = TRUE)
    quiet(kgroups(d, k))$cluster
  },
  "complete rows" = function(x, k) {
    whole <- stats::complete.cases(x)
    if (sum(whole) < 5 * k) {
      return(rep(1L, nrow(x)))
    }
    fit <- quiet(kgroups(droplevels(x[whole, ]), k))
    replace(quiet(predict(fit, x)), whole, fit$cluster)
  }
)
missing_settings <- settings[c(
  "plain", "five groups", "many rows", "overlapping", "mostly numbers", "mostly categories",
  "correlated", "many columns", "heavy tails", "unequal sizes"
)]
compare_missing <- function(share) {
  rows <- lapply(names(missing_settings), function(name) {
    found <- vapply(seq_len(runs), function(run) {
      set.seed(seed + 1000 * run + 100 + match(name, names(missing_settings)))
      one <- do.call(simulate, missing_settings[[name]])
      x <- punch(one$x, share)
      state <- .Random.seed
      vapply(fillings, function(method) {
        .Random.seed <<- state
        score(method, x, one$k, one$truth)[1L]
      }, 0)
    }, numeric(length(fillings)))
    data.frame(setting = name, method = names(fillings), rand = rowMeans(found), se_apart = apply(
      found - rep(found[1L, ], each = nrow(found)), 1L, sd
    ) / sqrt(runs))
  })
  rows <- do.call(rbind, rows)
  message("missing: ", share)
  at <- factor(rows$method, names(fillings))
  data.frame(
    part = "missing", setting = format(share), method = names(fillings), runs = runs * length(missing_settings),
    rand = as.vector(tapply(rows$rand, at, mean)),
    se_apart = as.vector(tapply(rows$se_apart, at, function(s) sqrt(sum(s^2)) / length(s))), seconds = NA,
    failed = NA
  )
}

# ---- what must hold ----

same_labels <- function() {
  cases <- c(settings, hard)
  same <- numeric(2 * length(cases))
  for (i in seq_along(cases)) {
    for (share in c(0, 0.2)) {
      set.seed(seed + i)
      x <- punch(do.call(simulate, cases[[i]])$x, share)
      fit <- quiet(kgroups(x, 3))
      same[2 * i - (share == 0)] <- mean(quiet(predict(fit, x)) == fit$cluster)
    }
  }
  same
}

# Dermatology: ages and grades, these declared ordered, are the points of scale(), so the figures of
# bench/dermatology.md stand.
dermatology <- function() {
  data <- read.csv(system.file("extdata", "dermatology.csv", package = "kgroups"))
  x <- data[names(data) != "class"]
  x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
  graded <- names(x) != "age"
  ordered <- x
  ordered[graded] <- lapply(x[graded], function(v) factor(v, 0:3, ordered = TRUE))
  set.seed(1)
  fit <- kgroups(ordered, 6, semimetric = rho_power(1 / 2))
  list(
    largest = max(abs(as_points(ordered) - scale(x))), graded = sum(graded), n = nrow(x), W = fit$W,
    rand = compare_clusters(data$class, fit$cluster)
  )
}

# CPU seconds of the recipe, of the whole call on mixed columns and of that on numbers alone.
cost <- function(n = 1e5, p = 20) {
  set.seed(seed)
  truth <- sample.int(5L, n, TRUE)
  mixed <- c(
    replicate(p / 2, rnorm(n, truth), simplify = FALSE),
    replicate(p / 2, factor(letters[pmin(4L, pmax(1L, truth + sample(-1:1, n, TRUE)))]), simplify = FALSE)
  )
  mixed <- as.data.frame(stats::setNames(mixed, paste0("v", seq_len(p))))
  numbers <- as.data.frame(lapply(mixed, function(v) as.numeric(v) + rnorm(n, sd = 0.1)))
  cpu <- function(expression) sum(system.time(expression)[1:2])
  before <- sum(gc(reset = TRUE)[, 2L])
  points <- as_points(mixed)
  peak <- sum(gc()[, 6L]) - before
  recipe <- min(replicate(3, cpu(as_points(mixed))))
  call <- function(x) {
    set.seed(seed)
    cpu(quiet(kgroups(x, 5, approx = nystroem(256), standardize = TRUE)))
  }
  both <- replicate(3, c(call(mixed), call(numbers)))
  list(
    n = n, recipe = recipe, mixed = min(both[1L, ]), numbers = min(both[2L, ]), D = ncol(points),
    points = 8 * length(points) / 2^20, peak = peak
  )
}

# ---- the report ----

table_of <- function(rows, first) {
  wide <- tapply(
    rows$rand, list(factor(rows$setting, unique(rows$setting)), factor(rows$method, unique(rows$method))), sum
  )
  head <- paste("|", paste(c(first, colnames(wide)), collapse = " | "), "|")
  lines <- paste(
    "|", rownames(wide), "|", apply(wide, 1L, function(v) paste(sprintf("%.3f", v), collapse = " | ")), "|"
  )
  c(head, paste0("|", strrep(" --- |", 1L + ncol(wide))), lines)
}
print_lines <- function(...) cat(..., sep = "\n")

if (sys.nframe() == 0L) {
  simulated <- compare(settings, methods, "simulated")
  failing <- compare(hard, harder, "hard")
  shares <- c(0.05, 0.1, 0.2, 0.3, 0.4)
  missing <- do.call(rbind, lapply(shares, compare_missing))
  by_coordinates <- compare(settings, coordinates, "coordinates")
  rows <- rbind(simulated, failing, missing, by_coordinates)
  if (seed == 20261122) {
    out <- rows
    out[c("rand", "se_apart")] <- round(out[c("rand", "se_apart")], 4)
    out$seconds <- signif(out$seconds, 2)
    utils::write.csv(out, "vignettes/tables.csv", row.names = FALSE)
  }
  mean_of <- tapply(simulated$rand, factor(simulated$method, names(methods)), mean)
  se_of <- tapply(simulated$se_apart, factor(simulated$method, names(methods)), function(s) sqrt(sum(s^2)) / length(s))
  by_setting <- tapply(simulated$rand, list(simulated$setting, factor(simulated$method, names(methods))), sum)
  better <- colSums(by_setting > by_setting[, 1L])
  print_lines(
    "# Tables as they come", "",
    sprintf(
      "Written by `bench/tables.R %d`: mean adjusted Rand index, %d settings of simulated tables, %d tables a setting.",
      seed, length(settings), runs
    ), "",
    "| method | mean | difference to k-groups | standard error | better than k-groups in | CPU seconds a table |",
    "|---|---|---|---|---|---|",
    sprintf(
      "| %s | %.3f | %.3f | %.3f | %d of %d | %.3f |", names(mean_of), mean_of, mean_of - mean_of[1L], se_of,
      better, length(settings), tapply(simulated$seconds, factor(simulated$method, names(methods)), mean)
    ), "",
    "k-means on FAMD has max(5, k - 1) coordinates. The mean by another number of coordinates:", "",
    "| coordinates | mean |", "|---|---|",
    sprintf("| %s | %.3f |", names(coordinates), tapply(
      by_coordinates$rand, factor(by_coordinates$method, names(coordinates)), mean
    )), "",
    sprintf(
      "%d of %d runs in which errors were counted ended with one; these count as one cluster, index 0.",
      sum(rows$failed, na.rm = TRUE), sum(rows$runs[!is.na(rows$failed)])
    ), "",
    "## Setting by setting", "", table_of(simulated, "setting"), "",
    "## Two harder cases", "", table_of(failing, "setting"), "",
    "## Missing cells", "",
    sprintf("Ten of the settings, cells missing completely at random, %d tables a row.", missing$runs[1L]), "",
    table_of(missing, "share"), ""
  )
  same <- same_labels()
  derm <- dermatology()
  spent <- cost()
  print_lines(
    "## What must hold", "",
    sprintf(
      "- `predict()` of the rows of the data gives their labels in %.2f %% of the rows at least, without and with a fifth of the cells missing, %d tables.",
      100 * min(same), length(same)
    ),
    sprintf(
      "- Dermatology, %d rows, %d attributes ordered: the points differ from those of `scale()` by %.1g at most; W is %.4f, the adjusted Rand index %.4f.",
      derm$n, derm$graded, derm$largest, derm$W, derm$rand
    ),
    sprintf(
      "- %.0f rows, 20 mixed columns (%d coordinates): preprocessing %.2f s of CPU; %.0f MB of points, %.0f MB more at its peak.",
      spent$n, spent$D, spent$recipe, spent$points, spent$peak
    ),
    sprintf(
      "- The whole call there with 256 landmarks: %.2f s, on 20 standardised numbers %.2f s, ratio %.2f.",
      spent$mixed, spent$numbers, spent$mixed / spent$numbers
    )
  )
  # of kgroups alone; conditional means beside mean and mode for each share
  kept <- c(
    mean = mean_of[[1L]] >= 0.65, missing = all(vapply(split(missing, missing$setting), function(r) {
      r$rand[1L] - r$rand[2L] >= 2 * r$se_apart[2L]
    }, NA)),
    labels = min(same) == 1, dermatology = derm$largest < 1e-12 && abs(derm$W - 414.3205185) < 1e-6,
    preprocessing = spent$recipe <= 1, call = spent$mixed / spent$numbers <= 1.3
  )
  print_lines(
    "- The mean of k-groups is at least .65, and conditional means are ahead of means and modes by two standard errors at each share.",
    "", paste("Requirements:", if (all(kept)) "all hold" else paste("fail:", paste(names(kept)[!kept], collapse = ", ")))
  )
  if (!all(kept)) quit(status = 1)
}
