# Every condition goes through two functions that replace cli where nobody reads: fill_templates() and condition_text().

test_that("templates are filled with values in words, and plurals follow them", {
  two <- c("a", "b")
  many <- letters
  odd <- "{two} } {.arg x} \"\\"
  filled <- c(
    "no braces" = "no braces", "`x` of {1}" = "`x` of 1", "{two}" = "a and b", "{two[c(1, 2, 1)]}" = "a, b, and a",
    "{odd}" = odd, "{quoted(two)}" = "\"a\" and \"b\"", "{quoted(1:3)}" = "1, 2, and 3", "{ticked(two)}" = "`a` and `b`",
    "{either(quoted(two))}" = "\"a\" or \"b\"", "{character()}|" = "|", "{TRUE} {NA} {1e6} {-0.5}" = "TRUE NA 1e+06 -0.5",
    "{length(two)} row{?s}" = "2 rows", "{1} row{?s}" = "1 row", "{0} row{?s}" = "0 rows", "{two} {?is/are}" = "a and b are",
    "{2} vert{?ex/ices}" = "2 vertices", "{1} communit{?y/ies} hold{?s/}" = "1 community holds",
    "{0} {?none/one/many} {1} {?none/one/many}" = "0 none 1 one", "{cli::qty(two)}column{?s}" = "columns",
    "`x[[{quoted(two[1])}]]`" = "`x[[\"a\"]]`", "{if (TRUE) ' (as matrices)'}." = " (as matrices)."
  )
  expect_identical(unname(fill_templates(names(filled))), unname(filled))
  expect_match(fill_templates("{many}"), "^a, b, c, .*, (and )?.*$")
  expect_identical(fill_templates(c(a = "{1}", x = "b", "{odd}")), c(a = "1", x = "b", odd))
})

test_that("long text, bytes and line breaks enter messages shortened and on one line", {
  long <- strrep("a", 1e6)
  bytes <- "caf\xe9"
  expect_identical(fill_templates("{quoted(long)}"), paste0("\"", strrep("a", 390), "...\""))
  expect_identical(fill_templates("{long}"), paste0(strrep("a", 400), "..."))
  expect_true(validUTF8(fill_templates("`{bytes}`")))
  lines <- "one\ntwo"
  expect_identical(fill_templates("`{lines}`"), "`one two`")
})

test_that("the text of a condition is that of cli, at any width", {
  set.seed(1)
  x <- cbind(a = 1:20, b = 1000 * sin(1:20))
  one_line <- function(text) gsub("\\s+", " ", text)
  word <- function(n) paste(rep("some words of a line", n), collapse = " ")
  raised <- list(
    rlang::catch_cnd(kgroups(x, 0)), rlang::catch_cnd(kgroups(x, 2, init = word(20))),
    rlang::catch_cnd(kgroups(x, 2, nonsense = 1)),
    rlang::catch_cnd(kgroups(x, 2), "kg_message"),
    rlang::catch_cnd(kg_warn(c("{word(9)}", "x" = "{word(7)} {word(4)}", "{word(8)}", "i" = "{word(5)}"), "test"))
  )
  for (width in c(30, 60, 80, 200)) {
    withr::local_options(cli.width = width, cli.condition_width = NULL)
    for (one in raised) {
      text <- conditionMessage(one)
      expect_identical(
        one_line(text), one_line(cli::ansi_strip(rlang::cnd_message(one))), info = paste(class(one)[1L], width)
      )
      expect_true(all(nchar(strsplit(text, "\n")[[1L]]) <= width), info = text)
    }
  }
})

test_that("a condition shows its text wherever it is read", {
  set.seed(1)
  x <- matrix(1:20, 10)
  e <- tryCatch(kgroups(x, 0), error = identity)
  parts <- c("`k` must be a whole number from 1 to 10.", "You supplied 0.", "Give a whole number, such as `k = 3`.")
  shows <- function(text) for (part in parts) expect_match(paste(text, collapse = "\n"), part, fixed = TRUE)
  expect_identical(class(e), c("kg_error_k", "kg_error_input", "kg_error", "rlang_error", "error", "condition"))
  expect_identical(unname(e$message), parts[1L])
  shows(conditionMessage(e))
  shows(utils::capture.output(print(e)))
  shows(try(kgroups(x, 0), silent = TRUE))
  shows(utils::capture.output(try(kgroups(x, 0)), type = "message"))
  shows(utils::capture.output(print(unserialize(serialize(e, NULL)))))
  shows(conditionMessage(unserialize(serialize(e, NULL))))
  # a process in which kgroups is not loaded has the methods of rlang alone
  shows(rlang::cnd_message(e))
  e$trace <- NULL
  expect_lt(length(serialize(e, NULL)), 2000)
  skip_if_not_installed("knitr")
  shows(knitr::knit(text = c("```{r, error = TRUE}", "kgroups::kgroups(matrix(1:20, 10), 0)", "```"), quiet = TRUE))
})

test_that("two messages in a row are whole in a knitted page", {
  skip_if_not_installed("knitr")
  x <- data.frame(id = 1:40, a = c(-999, -999, 3:40), b = sqrt(1:40), c = rep(c("u", "v"), 20))
  texts <- list()
  withCallingHandlers(kgroups(x, 2), kg_message = function(m) {
    texts[[length(texts) + 1L]] <<- conditionMessage(m)
    tryInvokeRestart("muffleMessage")
  })
  expect_gt(length(texts), 1L)
  envir <- list2env(list(x = x), parent = globalenv())
  page <- knitr::knit(text = c("```{r}", "fit <- kgroups::kgroups(x, 2)", "```"), quiet = TRUE, envir = envir)
  words <- function(text) strsplit(gsub("[#`]+ |```|\\s+", " ", paste(text, collapse = " ")), " +")[[1L]]
  # every line of each message, in the order in which they were signalled
  expect_match(paste(words(page), collapse = " "), paste(words(texts), collapse = " "), fixed = TRUE)
})

test_that("code in texts of the package can be read, and its functions and arguments exist", {
  namespace <- asNamespace("kgroups")
  names <- ls(namespace, all.names = TRUE)
  code <- unique(unlist(lapply(mget(names, namespace), function(one) code_of(texts_of(one)))))
  expect_gt(length(code), 200)
  known <- unique(unlist(lapply(namespace_functions(), function(f) names(formals(f)))))
  faults <- vapply(code, function(one) {
    calls <- read_code(one)
    paste(if (is.null(calls)) "not read" else unlist(lapply(calls, faults_of, known)), collapse = ", ")
  }, "")
  expect_identical(names(faults)[nzchar(faults)], character())
  # the check has its power
  calls <- c(
    "kgroups(x, 3, size = 2)", "as_pointz(x)", "centers = 3", "stats::cutree(tree, size = 3)",
    "select_k(x, 2:4, ssizes = 3)"
  )
  for (call in calls) expect_length(faults_of(read_code(call)[[1L]], known), 1L)
})

test_that("errors within have the call that was typed", {
  set.seed(1)
  typed <- function(code) deparse(conditionCall(tryCatch(suppressMessages(code), kg_error = identity)))[1L]
  expect_identical(
    typed(kgroups(~ mpg + wt, 2, data = mtcars, weights = 1:3)),
    "kgroups(x = ~mpg + wt, k = 2, data = mtcars, weights = 1:3)"
  )
  expect_identical(typed(kernel_kmeans(mtcars, 2, nstart = -1)), "kernel_kmeans(x = mtcars, k = 2, nstart = -1)")
  blocks <- row_blocks(function(i) mtcars[1:2], 2)
  expect_identical(typed(kgroups(blocks, 0, approx = nystroem(5))), "kgroups(blocks, 0, approx = nystroem(5))")
})

test_that("characters that steer a terminal reach no line of a print and no message", {
  set.seed(1)
  x <- data.frame(rnorm(20), rep(c("u\033[31m", "v\r"), 10), rnorm(20))
  names(x) <- c("a\033[31m", "b\u202e", "c\001")
  fit <- kgroups(x, 2)
  texts <- list(
    format(fit), utils::capture.output(print(fit)), utils::capture.output(print(summary(fit))),
    utils::capture.output(print(describe_clusters(fit))),
    utils::capture.output(print(kgroups_tree(x))), shorten(c("a\u2066b", "\033[1mbold\033[22m", NA)),
    tryCatch(kgroups(x, 2, column_weights = c("q\u001b[31m\u202e" = 1)), kg_error = conditionMessage),
    tryCatch(predict(fit, x[1]), kg_error = conditionMessage)
  )
  for (text in texts) expect_false(any(grepl(steering_characters, paste(text, collapse = " "), perl = TRUE)))
  expect_identical(shorten(c("plain", "two\nlines", "\u00e9t\u00e9")), c("plain", "two\nlines", "\u00e9t\u00e9"))
})

test_that("a time limit around a function ends the call by its error, if it does not come too late", {
  skip_on_cran()
  # the compiler of functions takes an error that is raised meanwhile for one of its own
  level <- compiler::enableJIT(0L)
  withr::defer(compiler::enableJIT(level))
  for (package in c("Matrix", "ggplot2")) loadNamespace(package)
  set.seed(1)
  x <- matrix(rnorm(6000), 3000) + 3 * rep_len(1:5, 3000)
  few <- x[1:500, ]
  graph <- igraph::sample_sbm(800, diag(0.03, 4) + 0.005, rep(200, 4))
  grid <- igraph::make_lattice(c(50, 60))
  pairs <- matrix(sample(3000, 2000), ncol = 2)
  table <- data.frame(few, g = rep(c("a", "b"), 250), h = rep(1:5, each = 100))
  fit <- kgroups(few, 4, nstart = 1)
  graph_fit <- kgroups(graph, 4)
  calls <- expression(
    kgroups(x, 30), kgroups(dist(few), 20, nstart = 30), kgroups(few, 9, init = "spectral"), kernel_kmeans(x, 20, nstart = 30),
    kgroups(x, 20, approx = nystroem(300)), kgroups(x, 5, standardize = "within"), kgroups(x, 5, semimetric = rho_connected()),
    kgroups(few, 3, semimetric = rho_function(function(x, y) sum(abs(x - y)))), kgroups(x, 5, trim = "auto"),
    kgroups(x, 20, contiguous = grid, sizes = c(100, 200)), kgroups(x, 6, apart = pairs, sizes = "equal"),
    kgroups(x, 4, sizes = "equal", init = "random", nstart = 20), kgroups(row_blocks(function(i) x, 1), 20, approx = nystroem(99)),
    kgroups(table, 4), kgroups_mixture(x, 5), kgroups_tree(few), kgroups_changes(few[, 1], R = 99),
    energy_test(few, table$h, R = 1e5), energy_test(X1 ~ g + h, table, R = 9999), select_k(few, 1:6),
    select_semimetric(few, 3), stability(fit, B = 50), cluster_test(x), summary(fit), plot(fit), is_negative_type(dist(few)),
    kgroups(graph, 4), select_k(graph, 2:5), stability(graph_fit, B = 20), cluster_communities(graph), plot(graph_fit)
  )
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  ended <- 0
  limits <- exp(runif(length(calls), log(0.02), log(0.15)))
  for (at in seq_along(calls)) {
    took <- system.time(answer <- tryCatch(
      {
        setTimeLimit(elapsed = limits[at], transient = TRUE)
        quietly(eval(calls[[at]]))
        "a value"
      },
      error = conditionMessage
    ))[["elapsed"]]
    # a limit that no check of the call has met is met here
    late <- tryCatch(
      {
        for (i in 1:20) Sys.sleep(0.001)
        FALSE
      },
      error = function(e) TRUE
    )
    setTimeLimit()
    by_limit <- grepl("reached elapsed time limit", answer)
    expect_true(by_limit || answer == "a value" && (late || took < limits[at] + 0.06), info = paste(deparse(calls[[at]])[1], answer))
    ended <- ended + by_limit
  }
  expect_gt(ended, length(calls) / 2)
})

test_that("no handler of errors swallows a time limit", {
  handled <- catch_error(stop("other"), function(e) "handled")
  expect_identical(handled, "handled")
  # Rcpp and the dispatch of S4 put the text into one of their own
  for (text in c("reached elapsed time limit", "Evaluation error: reached elapsed time limit.")) {
    expect_error(catch_error(stop(text), function(e) "handled"), "time limit")
  }
  expect_identical(vapply(c("stats", "no package of this name"), has_package, NA, USE.NAMES = FALSE), c(TRUE, FALSE))
  slow <- function(x, y) {
    setTimeLimit(elapsed = 0.2, transient = TRUE)
    repeat Sys.sleep(0.01)
  }
  result <- tryCatch(kgroups(iris[1:4], 2, semimetric = rho_function(slow)), error = identity)
  setTimeLimit()
  expect_s3_class(result, "simpleError")
  expect_match(conditionMessage(result), "time limit")
})

# Every wrong input gets a classed error in three lines: what was expected, what came,
# what to do.

x <- matrix(c(1.5, 2, 3, 8, 9, 10, 1, 2, 3, 4, 5, 7), 6)

expect_classed <- function(expr, class) {
  condition <- tryCatch(expr, error = identity)
  expect_s3_class(condition, paste0("kg_error_", class))
  expect_s3_class(condition, "kg_error_input")
  expect_s3_class(condition, "kg_error")
}

test_that("wrong data", {
  list_column <- data.frame(a = 1:6)
  list_column$b <- as.list(1:6)
  expect_snapshot(error = TRUE, {
    kgroups(replace(x, 3, NA), 2, missing = "fail")
    kgroups(replace(x, 3, NaN), 2, missing = "fail")
    kgroups(replace(x, 8, Inf), 2)
    kgroups("a", 1)
    kgroups(matrix(letters[1:4], 2), 1)
    kgroups(matrix(0, 0, 2), 1)
    kgroups(matrix(0, 3, 0), 1)
    kgroups(numeric(), 1)
    kgroups(NULL, 2)
    kgroups(list_column, 3)
    kgroups(list(1, 2), 1)
    kgroups(sum, 2)
    kgroups(array(0, c(2, 2, 2)), 2)
    kgroups(1i * 1:3, 2)
    kgroups(factor(c("a", "b")), 2)
  })
  # categories and missing cells have become points; what cannot be is refused as before
  expect_classed(kgroups(replace(x, 3, NA), 2, missing = "fail"), "x")
  expect_classed(kgroups(list_column, 3), "x")
})

test_that("wrong k", {
  expect_snapshot(error = TRUE, {
    kgroups(x, 0)
    kgroups(x)
    kgroups(x, 7)
    kgroups(x, 2.5)
    kgroups(x, NULL)
    kgroups(x, NA)
    kgroups(x, Inf)
    kgroups(x, "2")
    kgroups(x, 2:3)
    kgroups(x, 3, weights = c(1, 1, 0, 0, 0, 0))
  })
  expect_classed(kgroups(x, 0), "k")
})

test_that("wrong weights", {
  expect_snapshot(error = TRUE, {
    kgroups(x, 2, weights = 1:3)
    kgroups(x, 2, weights = c(1, 1, 1, -1, 1, 1))
    kgroups(x, 2, weights = rep(0, 6))
    kgroups(x, 2, weights = c(1, NA, 1, 1, 1, 1))
    kgroups(x, 2, weights = c(1, Inf, 1, 1, 1, 1))
    kgroups(x, 2, weights = letters[1:6])
  })
  expect_classed(kgroups(x, 2, weights = 1:3), "weights")
})

test_that("wrong starts", {
  expect_snapshot(error = TRUE, {
    kgroups(x, 2, init = "best")
    kgroups(x, 2, init = 1:3)
    kgroups(x, 2, init = rep(1, 6))
    kgroups(x, 2, init = 1:6)
    kgroups(x, 2, init = c(1, 2, NA, 1, 2, 1))
    kgroups(x, 2, init = list(1, 2))
    kgroups(x, 2, init = c(1, 1, 1, 1, 1, 2), weights = c(1, 1, 1, 1, 1, 0))
    kgroups(x, 2, nstart = 0)
    kgroups(x, 2, nstart = 1.5)
    kgroups(x, 2, iter.max = 0)
    kgroups(x, 2, method = "macqueen")
    kgroups(x, 2, keep.data = NA)
    kgroups(x, 2, centers = 3)
    kernel_kmeans(x, 2, method = "hartigan")
  })
  expect_classed(kgroups(x, 2, init = 1:3), "init")
  expect_classed(kgroups(x, 2, nstart = 0), "nstart")
  expect_classed(kgroups(x, 2, method = "macqueen"), "method")
})

test_that("wrong dissimilarities", {
  d <- dist(x)
  expect_snapshot(error = TRUE, {
    kgroups(replace(d, 2, NA), 2)
    kgroups(replace(d, 2, -1), 2)
    kgroups(replace(d, 2, Inf), 2)
    kgroups(structure(d, Size = 7L), 2)
    kgroups(d, 2, semimetric = rho_function(function(x, y) 0))
  })
  expect_classed(kgroups(replace(d, 2, NA), 2), "dist")
})

test_that("wrong Gram matrices", {
  G <- tcrossprod(x)
  expect_snapshot(error = TRUE, {
    as_gram(x)
    as_gram(replace(G, 2, 0))
    as_gram(replace(G, 1, NA))
    as_gram("a")
    as_gram(matrix(letters[1:4], 2))
    as_gram(matrix(0, 0, 0))
    semimetric_matrix(as_gram(G), type = "gram")
    semimetric_matrix(x, x0 = 1:3, type = "gram")
    semimetric_matrix(dist(x), x0 = 7, type = "gram")
  })
  expect_classed(as_gram(x), "gram")
  expect_snapshot(fit <- kgroups(as_gram(G), 2, semimetric = rho_power(1)))
})

test_that("wrong semimetrics", {
  expect_snapshot(error = TRUE, {
    rho_power(0)
    rho_power(2.5)
    rho_power(NA)
    rho_power("1")
    rho_exponential(0)
    rho_gaussian(-1)
    rho_function(1)
    kgroups(x, 2, semimetric = "mahalanobis")
    kgroups(x, 2, semimetric = rho_power)
    kgroups(x, 2, semimetric = rho_function(function(x, y) NA))
    kgroups(x, 2, semimetric = rho_function(function(x, y) 1:2))
    kgroups(x, 2, semimetric = rho_function(function(x, y) sum(x) - sum(y)))
    kgroups(x, 2, semimetric = rho_function(function(x, y) 1))
    kgroups(x, 2, semimetric = rho_function(function(x, y) 1, vectorized = TRUE))
    semimetric_matrix(dist(x), x)
    semimetric_matrix(x, 1:5)
  })
  expect_classed(rho_power(0), "alpha")
  expect_classed(kgroups(x, 2, semimetric = "mahalanobis"), "semimetric")
})

test_that("wrong calls of the energy statistics", {
  expect_snapshot(error = TRUE, {
    energy_statistics(x, 1:3)
    energy_statistics(x, c(1, 1, NA, 2, 2, 2))
    energy_distance(x)
    energy_distance(x, x, g = 1:6)
    energy_distance(x, 1:5)
    energy_distance(dist(x), x)
    energy_distance(x, x, sqrt = 2)
    energy_distance(x, g = 1:6, weights_y = 1:6)
    make_negative_type(x, weights = c(0, 1, 1, 1, 1, 1))
  })
})

test_that("messages name observations and columns", {
  x <- USArrests
  d <- dist(x)
  G <- as_gram(tcrossprod(as.matrix(x)))
  odd <- replace(rep(1, 50), 35, -1)
  missing <- unclass(G)
  missing[2, 35] <- missing[35, 2] <- NA
  expect_snapshot(error = TRUE, {
    kgroups(replace(x, cbind(35, 2), Inf), 3)
    kgroups(replace(x, cbind(35, 2), NA), 3, missing = "fail")
    kgroups(x, 3, weights = odd)
    kgroups(d, 3, weights = odd)
    kgroups(G, 3, weights = odd)
    kgroups(unname(as.matrix(x)), 3, weights = setNames(odd, letters[rep(1:25, 2)]))
    kgroups(x, 3, init = replace(rep(1:3, length.out = 50), 35, NA))
    energy_test(d, replace(rep(1:2, 25), 35, NA))
    kgroups(replace(d, 3, NA), 3)
    as_gram(missing)
  })
})

test_that("the position of a wrong pair of a dist is reported", {
  for (n in 2:6) {
    pairs <- which(lower.tri(diag(n)), arr.ind = TRUE)
    x <- structure(numeric(nrow(pairs)), Size = n)
    for (at in seq_len(nrow(pairs))) {
      expected <- sprintf("between %d and %d", pairs[at, 2], pairs[at, 1])
      expect_identical(kgroups:::pair_text(x, at), expected)
    }
  }
})

test_that("errors suggest the nearest name", {
  fit <- kgroups(iris[1:4], 3)
  expect_snapshot(error = TRUE, {
    kgroups(iris[1:4], 3, method = "Lloyd")
    plot(fit, "silhouete")
    kgroups(iris[1:4], 3, semimetric = "manhattan")
    kgroups(iris[1:4], 3, semimetric = "rbf")
    kgroups(iris[1:4], 3, metric = "euclidean")
    kgroups(iris$Species, 3)
    kgroups(Titanic, 3)
    kgroups(as.dist(cor(mtcars)), 3)
    energy_test(iris[1:50, 1:4], iris[51:100, 1:4])
    kgroups(iris[1:4], 3, semimetric = "gower")
    kgroups(iris[1:4], 3, semimetric = "manhatan")
    kgroups(iris[1:4], 3, missing = "omit")
  })
})

test_that("a constant column scaled to NaN is named", {
  set.seed(1)
  expect_silent(fit <- kgroups(scale(cbind(USArrests, same = 1)), 3))
  expect_match(format(fit), "left out: same (empty)", fixed = TRUE, all = FALSE)
  expect_identical(fit$cluster, kgroups(scale(USArrests), 3)$cluster)
})

# A user at the console: input of the wrong kind, and what is reported about it.

x <- as.matrix(iris[1:4])

test_that("centres are no start", {
  set.seed(1)
  expect_snapshot(error = TRUE, kgroups(x, 3, init = x[1:3, ]))
  expect_error(kgroups(x, 3, init = iris), class = "kg_error_init")
  expect_equal(kgroups(x, 3, init = matrix(rep(1:3, 50)))$k, 3)
})

test_that("surplus arguments are counted", {
  expect_error(
    kgroups(x, 3, semimetric = rho_power(1), NULL, 2),
    "2 arguments too many",
    class = "kg_error_dots"
  )
})

test_that("the error on another kind of input names the conversion", {
  expect_snapshot(error = TRUE, {
    kgroups(~Sepal.Length, iris)
    kgroups(ts(1:9), 2)
    kgroups(array(1:8, c(2, 2, 2)), 2)
    kgroups(data.frame(), 1)
    energy_statistics(x)
    predict(kgroups(x, 3), dist(x))
  })
  expect_error(energy_statistics(x), class = "kg_error_cluster")
  expect_error(predict(kgroups(x, 3), dist(x)), "class dist", class = "kg_error_newdata")
})

test_that("braces in what the user passes are shown, not interpreted", {
  expect_error(kgroups(x, 3, weights = "{stop('no')}"), "{stop('no')}", fixed = TRUE, class = "kg_error_weights")
  expect_error(as_gram("{a"), "{a", fixed = TRUE, class = "kg_error_gram")
  braces <- rho_function(function(x, y) "{a")
  expect_error(kgroups(x, 3, semimetric = braces), "{a", fixed = TRUE, class = "kg_error_semimetric")
})

test_that("a large offset gives no warning", {
  expect_warning(kgroups(x + 1e10, 3), NA)
})

test_that("points under a semimetric not of negative type give the warning that dissimilarities give", {
  expect_warning(
    kgroups(x, 3, semimetric = rho_function(function(x, y) sum((x - y)^2)^2)), class = "kg_warning_negative_type"
  )
  expect_warning(kgroups(x, 3, semimetric = rho_gaussian(1)), NA)
})

test_that("a Gram matrix gives its own semimetric", {
  G <- semimetric_matrix(x, x0 = c(1, 0, 3, 2), type = "gram")
  expect_equal(semimetric_matrix(G), as.matrix(dist(x)), ignore_attr = TRUE)
  expect_equal(semimetric_matrix(as_gram(tcrossprod(x))), as.matrix(dist(x))^2, ignore_attr = TRUE)
})

test_that("one bad dissimilarity is reported in the singular", {
  d <- dist(x)
  d[5] <- NA
  expect_error(kgroups(d, 3), "1 of them is missing", class = "kg_error_dist")
})

test_that("the overview page names every function", {
  pages <- tools::Rd_db("kgroups")
  map <- paste(unlist(pages[["kgroups-package.Rd"]]), collapse = "")
  exports <- getNamespaceExports("kgroups")
  named <- vapply(exports, function(name) grepl(paste0("\\b", name, "\\("), map), NA)
  expect_identical(exports[!named], character())
})

test_that("dermatology holds UCI's values", {
  data <- read.csv(system.file("extdata", "dermatology.csv", package = "kgroups"))
  expect_identical(dim(data), c(366L, 35L))
  expect_identical(
    c(table(data$class)),
    c(
      "chronic dermatitis" = 52L, "lichen planus" = 72L, "pityriasis rosea" = 49L,
      "pityriasis rubra pilaris" = 20L, "psoriasis" = 112L, "seborrheic dermatitis" = 61L
    )
  )
  values <- data[names(data) != "class"]
  expect_true(all(vapply(values, is.integer, NA)))
  missing <- colSums(is.na(values))
  expect_identical(missing[missing > 0], c(age = 8))
  expect_true(all(values$family_history %in% 0:1))
  # The columns that show lichen planus is in the columns that bear its names.
  lichen <- data$class == "lichen planus"
  for (sign in c("polygonal_papules", "saw_tooth_appearance_of_retes", "band_like_infiltrate")) {
    expect_gt(mean(data[[sign]][lichen]), 2)
    expect_lt(mean(data[[sign]][!lichen]), 0.3)
  }
})

test_that("the karate club is igraph's, with Zachary's numbers", {
  edges <- read.csv(system.file("extdata", "karate_edges.csv", package = "kgroups"))
  labels <- read.csv(system.file("extdata", "karate_labels.csv", package = "kgroups"))
  graph <- igraph::graph_from_data_frame(edges, FALSE, labels)
  expect_identical(
    igraph::as_adjacency_matrix(graph, sparse = FALSE),
    igraph::as_adjacency_matrix(
      igraph::set_vertex_attr(igraph::make_graph("Zachary"), "name", value = as.character(1:34)),
      sparse = FALSE
    )
  )
  expect_identical(c(table(labels$class)), c("John A." = 18L, "Mr. Hi" = 16L))
  expect_identical(labels$class[c(1, 34)], c("Mr. Hi", "John A."))
})
