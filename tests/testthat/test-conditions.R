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

test_that("no handler of errors swallows a time limit", {
  handled <- catch_error(stop("other"), function(e) "handled")
  expect_identical(handled, "handled")
  expect_error(catch_error(stop("reached elapsed time limit"), function(e) "handled"), "time limit")
  slow <- function(x, y) {
    setTimeLimit(elapsed = 0.2, transient = TRUE)
    repeat Sys.sleep(0.01)
  }
  result <- tryCatch(kgroups(iris[1:4], 2, semimetric = rho_function(slow)), error = identity)
  setTimeLimit()
  expect_s3_class(result, "simpleError")
  expect_match(conditionMessage(result), "time limit")
})
