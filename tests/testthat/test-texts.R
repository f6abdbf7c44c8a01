# Text of the user's is data wherever it stands: as an argument, a name, a level, a class, a
# label. It is never run as code, never takes an R process down, and what is reported of it is
# short and has a class of ours. Every exported function is called with such text in every
# argument: here by turns, in tools/trust/fuzz.R --texts all all of it.

bad_texts <- function() {
  latin <- "caf\xe9 {options(kgroups.evaluated = TRUE)}"
  Encoding(latin) <- "latin1"
  broken <- "\xff\xfe {options(kgroups.evaluated = TRUE)} \xe9%s"
  list(
    code = "{options(kgroups.evaluated = TRUE)} {.val {options(kgroups.evaluated = TRUE)}} %s %d %n %% \n\t\"'`\\ {",
    broken = broken,
    long = paste0("{options(kgroups.evaluated = TRUE)}%s\u00e9", strrep("a{b} %s ", 1250000)),
    foreign = "\u00e9\u00df\u4e2d\u6587\U1F600 {?s}{qty(2)}{.cls a} <a> }{",
    latin = latin,
    bytes = `Encoding<-`(latin, "bytes"),
    braces = "}}{{{",
    blank = "",
    escape = "\u001b[31m\a\b\r\u202e"
  )
}

# `base` with text in one argument, in every way that an argument can carry it.
with_text <- function(valid, text) {
  other <- paste0(text, 1:2)
  many <- rep_len(other, max(1, length(valid)))
  out <- list(
    text = text, many = many, list = stats::setNames(list(text), text), class = structure(list(a = 1), class = text)
  )
  out$number <- structure(1, class = text)
  # R itself checks for no method of such a class
  if (Encoding(text) == "bytes" || nchar(text, "bytes") > 500) out$class <- out$number <- NULL
  # R itself takes no symbol that is longer, and none of unknown bytes
  sayable <- nzchar(text) && nchar(text, "bytes") < 9000 && Encoding(text) != "bytes"
  out$name <- as.name(if (sayable) text else "a")
  if (length(valid)) {
    if (!is.null(out$class)) {
      out$dressed <- tryCatch(structure(valid, class = c(text, oldClass(valid))), error = function(e) NULL)
    }
    out$attributes <- tryCatch(structure(valid, comment = text, label = text, other = text), error = function(e) NULL)
  }
  if (is.atomic(valid) && is.null(dim(valid)) && length(valid) > 1) {
    out$names <- stats::setNames(valid, many_names(text, length(valid)))
    out$factor <- structure(1L + as.integer(valid) %% 2L, levels = many_names(text, 2), class = "factor")
  }
  if (is.list(valid) && length(valid)) out$fields <- stats::setNames(unclass(valid), rep_len(other, length(valid)))
  if (is.function(valid)) {
    out$stops <- function(...) stop(text)
    out$warns <- function(...) warning(text)
    out$gives <- function(...) text
    out$formals <- function(i) as.list(stats::setNames(list(1), text))
  }
  if (is.matrix(valid) || is.data.frame(valid)) out <- c(out, data_with_text(as.matrix(valid), text))
  if (inherits(valid, "igraph")) {
    if (Encoding(text) != "bytes") {
      out$vertices <- igraph::set_vertex_attr(valid, "name", value = many_names(text, igraph::vcount(valid)))
      out$edges <- igraph::set_edge_attr(valid, "weight", value = rep_len(other, igraph::ecount(valid)))
    }
    if (sayable) out$attribute <- igraph::set_vertex_attr(valid, text, value = text)
  }
  Filter(Negate(is.null), out)
}

many_names <- function(text, n) paste0(text, seq_len(n))

data_with_text <- function(x, text) {
  n <- nrow(x)
  rows <- many_names(text, n)
  named <- x
  dimnames(named) <- list(rows, many_names(text, ncol(x)))
  frame <- as.data.frame(x)
  names(frame) <- many_names(text, ncol(x))
  odd <- cbind(frame, z = 1i)
  names(odd)[ncol(odd)] <- text
  listed <- frame
  if (Encoding(text) != "bytes") {
    listed$z <- rep(list(text), n)
    names(listed)[3] <- text
  }
  labelled <- frame
  for (j in seq_along(labelled)) attr(labelled[[j]], "label") <- text
  d <- stats::dist(x)
  missing <- frame
  missing[2, 1] <- NA
  constant <- frame
  constant[[1]] <- 1
  G <- tcrossprod(x)
  dimnames(G) <- list(rows, rows)
  classed <- unclass(frame)
  classed[[1]] <- structure(classed[[1]], class = text)
  class(classed) <- "data.frame"
  if (Encoding(text) == "bytes" || nchar(text, "bytes") > 500) classed <- frame
  # factor() sorts, which R refuses to do with unknown bytes
  levels <- structure(rep_len(1:2, n), levels = many_names(text, 2), class = "factor")
  list(
    named = named, infinite = replace(named, 3, Inf), words = matrix(text, n, 2), frame = frame, odd = odd,
    listed = listed,
    labelled = labelled, missing = missing, constant = constant, classed = classed,
    levels = data.frame(a = levels, b = seq_len(n)), one_level = data.frame(a = levels[rep(1, n)], b = seq_len(n)),
    characters = data.frame(a = c(many_names(text, n - 1), NA), b = seq_len(n)),
    dist = structure(d, Labels = rows, method = text), bad_dist = structure(replace(d, 2, NA), Labels = rows),
    gram = as_gram(G), bad_gram = replace(G, 2, -50), sparse = Matrix::Matrix(G, sparse = TRUE),
    bad_sparse = Matrix::Matrix(replace(G, 2, 0), sparse = TRUE, doDiag = FALSE)
  )
}

# Everything that can be requested of a result.
text_questions <- function(value) {
  if (is.environment(value) || is.function(value) || inherits(value, c("igraph", "Matrix", "dist"))) {
    return(list())
  }
  ours <- any(startsWith(class(value), "kgroups")) || inherits(value, c("energy_statistics", "htest"))
  if (!ours) {
    return(list())
  }
  fit <- inherits(value, "kgroups_fit")
  drawn <- fit ||
    inherits(value, c("kgroups_selection", "kgroups_stability", "kgroups_description", "kgroups_communities"))
  requested <- list(print = quote(print(value)), summary = quote(print(summary(value))))
  # for other classes format() is R's own, of a list
  own <- vapply(class(value), function(class) !is.null(utils::getS3method("format", class, optional = TRUE)), NA)
  if (any(own)) requested$format <- quote(format(value))
  if (drawn) {
    requested$plot <- quote(plot(value))
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      requested$autoplot <- quote(ggplot2::ggplot_build(ggplot2::autoplot(value)))
    }
  }
  if (fit) {
    requested <- c(requested, list(
      frame = quote(as.data.frame(value)), tidy = quote(tidy(value)), glance = quote(glance(value)),
      augment = quote(augment(value)), predict = quote(predict(value)), silhouette = quote(cluster::silhouette(value)),
      stability = quote(stability(value, B = 2))
    ))
  }
  requested
}

# The defects with one call: text that was run, a raw error, a long message, a long wait.
# `raw`: errors that are R's own to raise.
report_wrong <- function(expression, envir = parent.frame(), most = 6000, wait = 20) {
  options(kgroups.evaluated = NULL)
  wrong <- character()
  inspect <- function(condition) {
    size <- nchar(conditionMessage(condition), "bytes")
    if (size > most) wrong <<- c(wrong, sprintf("%s of %.0f bytes", class(condition)[1L], size))
  }
  start <- proc.time()[["elapsed"]]
  value <- tryCatch(
    withCallingHandlers(
      {
        out <- utils::capture.output(value <- eval(expression, envir))
        value
      },
      warning = function(w) {
        inspect(w)
        invokeRestart("muffleWarning")
      },
      message = function(m) {
        inspect(m)
        invokeRestart("muffleMessage")
      }
    ),
    error = function(e) {
      inspect(e)
      if (!inherits(e, "kg_error")) wrong <<- c(wrong, paste("raw error:", substr(conditionMessage(e), 1, 300)))
      NULL
    }
  )
  seconds <- proc.time()[["elapsed"]] - start
  if (seconds > wait) wrong <- c(wrong, sprintf("%.1f s", seconds))
  if (!is.null(getOption("kgroups.evaluated"))) wrong <- c(wrong, "TEXT WAS RUN")
  list(value = value, wrong = wrong)
}

# Text in every argument of every function: list(findings, calls), a row a finding. One call in
# `one_in` is made, by turns.
text_findings <- function(texts, functions = names(valid_arguments()), one_in = 1) {
  bases <- valid_arguments()
  findings <- NULL
  calls <- 0
  turn <- 0
  note <- function(f, argument, form, text, question, wrong) {
    if (length(wrong)) {
      wrong <- iconv(wrong, to = "UTF-8", sub = "?")
      findings <<- rbind(findings, data.frame(f, argument, form, text, question, wrong = substr(wrong, 1, 200)))
    }
  }
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (f in functions) {
    base <- bases[[f]]
    fun <- getExportedValue("kgroups", f)
    for (text in names(texts)) {
      for (argument in names(base)) {
        forms <- with_text(base[[argument]], texts[[text]])
        for (form in names(forms)) {
          turn <- turn + 1
          if (turn %% one_in != 0) next
          args <- base
          args[argument] <- forms[form]
          if (f == "kgroups" && argument != "approx") args$approx <- NULL
          calls <- calls + 1
          answer <- report_wrong(quote(do.call(fun, args, quote = TRUE)))
          note(f, argument, form, text, "", answer$wrong)
          value <- answer$value
          if (f == "row_blocks" && !is.null(value)) {
            calls <- calls + 1
            note(f, argument, form, text, "fit", report_wrong(quote(kgroups(value, 2, approx = nystroem(4))))$wrong)
          }
          requested <- text_questions(value)
          for (question in names(requested)) {
            calls <- calls + 1
            note(f, argument, form, text, question, report_wrong(requested[[question]])$wrong)
          }
        }
      }
      turn <- turn + 1
      # R itself takes no such name of an argument
      sayable <- nzchar(texts[[text]]) && nchar(texts[[text]], "bytes") < 9000 && Encoding(texts[[text]]) != "bytes"
      if (turn %% one_in == 0 && "..." %in% names(formals(fun)) && length(base) && sayable) {
        calls <- calls + 1
        args <- c(base, stats::setNames(list(1), texts[[text]]))
        note(f, "...", "name", text, "", report_wrong(quote(do.call(fun, args, quote = TRUE)))$wrong)
      }
    }
  }
  options(kgroups.evaluated = NULL)
  list(findings = findings, calls = calls)
}

test_that("every exported function is called with text", {
  bases <- valid_arguments()
  expect_setequal(names(bases), getNamespaceExports("kgroups"))
  generics <- c("tidy", "glance", "augment")
  for (f in setdiff(names(bases), generics)) {
    expect_length(setdiff(names(formals(getExportedValue("kgroups", f))), c(names(bases[[f]]), "...")), 0)
  }
})

test_that("text is never evaluated, and messages about it are short and classed", {
  skip_on_cran()
  for (package in c("ggplot2", "cluster")) skip_if_not_installed(package)
  texts <- bad_texts()
  found <- text_findings(texts[names(texts) != "long"], one_in = repeats(499, 61))
  expect_gt(found$calls, 30)
  expect_null(found$findings, info = utils::capture.output(print(found$findings)))
})

test_that("messages show the beginning of long text", {
  set.seed(1)
  long <- bad_texts()$long
  x <- cbind(c(1, 2, 3, 11, 12, 13), c(0, 1, 0, 5, 6, 5))
  named <- x
  colnames(named) <- paste0(long, 1:2)
  with_column <- function(column) stats::setNames(data.frame(x[, 1], column), colnames(named))
  calls <- expression(
    kgroups(replace(named, 3, Inf), 2), kgroups(with_column(1i), 2), kgroups(x, 2, init = long), kgroups(x, long),
    kgroups(x, 2, weights = long), kgroups(x, 2, semimetric = structure(list(), class = "a"), nonsense = long),
    energy_test(x, c(long, "b", "c", "d", "e", "f"), R = 3), kgroups(x, 2, column_weights = long),
    kgroups(row_blocks(function(i) stop(long), 1), 2, approx = nystroem(2)),
    as_points(named, column_weights = c(a = long)),
    kgroups(x, 2, semimetric = rho_function(function(x, y) stop(long))),
    kgroups(stats::setNames(data.frame(1:6, NA_real_), colnames(named)), 2, missing = "fail")
  )
  for (at in seq(1, length(calls), by = repeats(4, 1))) expect_identical(
    report_wrong(calls[[at]])$wrong, character(), info = deparse(calls[[at]])[1L]
  )
  expect_identical(
    report_wrong(quote(print(describe_clusters(rep(1:2, each = 3), as.data.frame(named)))))$wrong, character()
  )
})
