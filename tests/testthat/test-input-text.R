test_that("text of numbers, dates and times is reported with code that reads it", {
  set.seed(5)
  n <- 40
  y <- rnorm(n)
  r <- sample(1000:9999, n)
  big <- format(r, big.mark = ",")
  day <- as.Date("2021-01-15") + sample(700, n)
  clock <- as.POSIXct("2024-03-01", tz = "UTC") + sample(86400, n)
  s <- clock - as.numeric(clock) %% 60
  english <- function(format) if (all(month.abb[1:3] == format(as.Date(c("2020-01-01", "2020-02-01", "2020-03-01")), "%b"))) format(day, format)
  cases <- list(
    list(ifelse(seq_len(n) %% 3 == 0, sprintf("(%s)", big), big), ifelse(seq_len(n) %% 3 == 0, -r, r)),
    list(paste0(format(r, big.mark = " "), ",5"), r + 0.5), list(sprintf("%d,30 \u20ac", r), r + 0.3), list(sprintf("US$ %s", big), r),
    list(sprintf("\u2212%d", r), -r), list(sprintf("%d kg/m2", r), r), list(sprintf("%d\u00a0%%", r), r), list(sprintf("~%d", r), r),
    list(sprintf("%d mmHg", r), r), list(sprintf("%d\u00b0C", r), r),
    list(sprintf("%d,%02d,%03d", r %% 9 + 1, r %% 80 + 10, r %% 800 + 100), (r %% 9 + 1) * 1e5 + (r %% 80 + 10) * 1e3 + r %% 800 + 100),
    list(sprintf("%d.5 \u00b1 0.3", r), r + 0.5), list(replace(as.character(r), 1:3, paste0(">", r[1:3])), r),
    list(paste0(r, ifelse(seq_len(n) %% 2 == 0, "+", "")), r), list(replace(as.character(r), 1:15, "n.d."), replace(r, 1:15, NA)),
    list(sprintf("%d.25, %d.5", r, r %% 7), cbind(r + 0.25, r %% 7 + 0.5)),
    list(format(clock, "%Y-%m-%dT%H:%M:%SZ"), clock), list(format(s, "%d.%m.%Y %H:%M"), s),
    list(format(s, "%I:%M PM"), (as.numeric(s) %/% 3600 %% 12 + 12) + as.numeric(s) %/% 60 %% 60 / 60),
    list(format(day, "%Y-%m"), as.Date(format(day, "%Y-%m-01"))), list(format(day, "%d.%m.%y"), day), list(format(day, "%Y%m%d"), day),
    list(format(day, "%d-%m-%Y"), day), list(english("%b %d, %Y"), day), list(english("%d %B %Y"), day), list(english("%d-%b-%Y"), day)
  )
  for (one in Filter(function(one) length(one[[1L]]) > 0L, cases)) {
    for (as_type in list(identity, factor)) {
      d <- data.frame(v = as_type(one[[1L]]), y = y, stringsAsFactors = FALSE)
      shown <- expect_message(suppressWarnings(kgroups(d, 2)), class = "kg_message_text")
      use <- gsub("\\s+", " ", sub("(?s).* use `(x[^`]*)`.*", "\\1", sub("(?s)If .*", "", conditionMessage(shown), perl = TRUE), perl = TRUE))
      x <- run_on(d, use)
      expect_equal(as.numeric(x$v), as.numeric(one[[2L]]), info = paste(one[[1L]][1:3], collapse = " | "))
      expect_false("kg_message_text" %in% conditions_of(kgroups(x, 2)))
    }
  }
})

test_that("what text leaves open is stated", {
  set.seed(6)
  text <- function(v) {
    shown <- expect_message(suppressWarnings(kgroups(data.frame(v = v, y = rnorm(30)), 2)), class = "kg_message_text")
    gsub("\\s+", " ", conditionMessage(shown))
  }
  expect_match(text(sprintf("%02d/%02d/2021", 1:30 %% 12 + 1, 1:30 %/% 3 + 1)), "month comes first, use .*%m/%d/%Y")
  expect_no_match(text(sprintf("%02d/%02d/2021", 1:30, 1:30 %/% 3 + 1)), "month")
  expect_match(text(sprintf("%d,%03d", 1:30 %% 8 + 1, 101:130)), "decimal mark, use .*sub\\(\",\", \".\"")
  expect_no_match(text(c("1,101,200", sprintf("%d,%03d", 1:29 %% 8 + 1, 101:129))), "decimal")
  expect_match(text(c("BDL", "BDL", seq(0.1, 2.8, 0.1))), "makes NA of \"BDL\"")
  expect_match(text(c("<0.1", "<0.1", seq(0.1, 2.8, 0.1))), "such as \"<0.1\"")
})

test_that("codes, categories and names are not taken for numbers or dates", {
  set.seed(7)
  y <- rnorm(60)
  others <- list(
    c("2009-10", "2010-11", "2011-12", "2012-13"), c("1.2.13", "1.10.02", "0.9.11", "2.1.12"), c("2WD", "4WD", "AWD", "6WD"),
    c("1+", "2+", "3+", "0"), c("10-20", "20-30", "30-40"), c("555-1234", "555-9876", "555-4711"), c("A12", "A13", "B7"),
    c("192.168.1.1", "10.0.0.1", "10.0.0.2"), c("01234", "04109", "99999"), c("1st", "2nd", "3rd"), c("12 Main St", "7 Oak Rd", "3 Elm St"),
    c("2023-W12", "2023-W13", "2024-W01"), c("v1", "v2", "v3"), c("5 mg", "2 g", "7 kg"), c("Q1 2020", "Q2 2020", "Q3 2020")
  )
  for (one in others) {
    expect_no_message(suppressWarnings(kgroups(data.frame(v = rep(one, length.out = 60), y), 2)), class = "kg_message_text")
  }
})

test_that("words for missing values are reported from the first cell, categories are not", {
  set.seed(8)
  y <- rnorm(60)
  code <- function(...) "kg_message_code" %in% conditions_of(kgroups(data.frame(v = c(..., sample(c("p", "q"), 60 - length(c(...)), TRUE)), y), 2))
  for (word in c("?", "N.A.", "Unknown", "MISSING", "Not stated", "#DIV/0!", "(blank)", "\u2013", "")) expect_true(code(word), info = word)
  for (word in c("None", "none", "Refused", "Other", "nothing", "0", "no")) expect_false(code(word), info = word)
  expect_false(code("+", "-"))
  shown <- expect_message(kgroups(data.frame(v = c("Don't know", "Refused", rep(c("yes", "no"), 29)), y), 2), class = "kg_message_code")
  x <- data.frame(v = c("Don't know", "Refused", rep(c("yes", "no"), 29)), y)
  x <- run_on(x, gsub("\\s+", " ", sub("(?s).*use `(.*<- NA)`.*", "\\1", conditionMessage(shown), perl = TRUE)))
  expect_identical(which(is.na(x$v)), 1:2)
})

test_that("several columns with the same word have one message", {
  set.seed(9)
  x <- data.frame(u = sample(c("p", "q", "?"), 40, TRUE), v = sample(c("a", "b", "?"), 40, TRUE), y = rnorm(40))
  expect_identical(conditions_of(kgroups(x, 2)), "kg_message_code")
  shown <- expect_message(kgroups(x, 2), class = "kg_message_code")
  x <- run_on(x, gsub("\\s+", " ", sub("(?s).*use `(.*<- NA)`.*", "\\1", conditionMessage(shown), perl = TRUE)))
  expect_false(any(c(x$u, x$v) %in% "?"))
})

test_that("texts that are no categories are named with a distance of texts", {
  words <- c("kitten", "sitting", "mitten", "carrot", "carrots", "parrot")
  expect_error(kgroups(words, 2), "as.dist(adist(x))", fixed = TRUE)
  expect_error(kgroups(as.list(words), 2), "as.dist(adist(unlist(x)))", fixed = TRUE)
  expect_error(kgroups(rep(c("a", "b"), 9), 2), "data.frame(x)", fixed = TRUE)
  expect_warning(kgroups(data.frame(w = words), 2), "adist", class = "kg_warning_levels")
  coded <- data.frame(w = sprintf("%d-%d/%d", 1:30, 31:60, 5), y = 1:30)
  expect_warning(kgroups(coded, 2), "hold numbers", class = "kg_warning_levels")
  expect_no_match(conditionMessage(expect_warning(kgroups(data.frame(w = words, y = 1:6), 2))), "numbers")
})

test_that("columns of lists are refused with a column that works", {
  x <- data.frame(y = rnorm(8))
  x$films <- lapply(1:8, seq_len)
  expect_error(kgroups(x, 2), 'lengths(x[["films"]])', fixed = TRUE)
  x[["films"]] <- lengths(x[["films"]])
  expect_length(kgroups(x, 2)$cluster, 8)
})

test_that("formulas of other classes of tables are not those of a fit", {
  grouped <- structure(as.data.frame(CO2), formula = uptake ~ conc | Plant, class = c("groupedData", "data.frame"))
  fit <- suppressMessages(kgroups(grouped, 2))
  expect_output(print(fit), "2 numbers and 1 ordered")
  expect_identical(fit$cluster, suppressMessages(kgroups(as.data.frame(CO2), 2))$cluster)
  expect_identical(unname(predict(fit, grouped[1:5, ])), unname(fit$cluster[1:5]))
})

test_that("a column of weight 0 is not taken for the known groups", {
  expect_identical(conditions_of(kgroups(iris, 3, column_weights = c(Species = 0))), "kg_message_column_weights")
})
