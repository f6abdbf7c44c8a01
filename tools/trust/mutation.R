# Breaks one line at a time and reports which test catches it.
#   Rscript tools/trust/mutation.R [--of src] [--count 30] [--seed 1] [--files REGEX] [--each 3]
#     [--tests REGEX] [--write yes]
# A mutation changes a sign, a comparison, a bound or a guard, drawn at random, at most `--each` a file. Of src/kg_*.c
# (`--of src`) the C tests run first, that of the same name before the others, with sanitizers; the tests of R run if the
# C tests pass. Of R/ (`--of R`, on the installed package) the test file of the same name runs, or without one the two
# that name most of its functions; what they do not catch meets all repeats (KGROUPS_TESTS=all) if `--repeats all`.
# `--files` is a pattern for the names of files, `--tests` one for the test files of R/ that run instead.
# `--write yes` puts the table of src into TESTING.md. The tree itself is not changed.

source("tools/trust/common.R")
count <- argument("count", 30)
each <- argument("each", 3)
seed <- argument("seed", 1)
of_r <- argument("of", "src") == "R"
write <- argument("write", "no") == "yes"
repeats <- argument("repeats", "quick")
r_tests <- paste0(
  "^(search|kgroups|settings|exact|connected|problem|store-sparse|negative-type|energy-distance|energy-test|landmarks|",
  "predict|numerics|engine|centroids|reduce)$"
)

root <- tempfile("mutation")
dir.create(root)
invisible(file.copy(c("DESCRIPTION", "NAMESPACE", "R", "src", "inst", "tests", "tools"), root, recursive = TRUE))
if (!of_r) invisible(file.remove(list.files(file.path(root, "src"), "[.](o|so)$", full.names = TRUE)))
dir.create(file.path(root, "lib"))
build <- file.path(root, "build")
dir.create(build)
object_of <- function(file) file.path(build, sub("c$", "o", basename(file)))
kernels <- list.files(file.path(root, "src"), "^kg_.*[.]c$", full.names = TRUE)
tests <- list.files(file.path(root, "tools", "ctest"), "^test_.*[.]c$", full.names = TRUE)
flags <- c(
  "-std=c99", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fopenmp", "-DKG_CHECKS"
)
quiet <- function(command, arguments, ...) system2(command, arguments, stdout = FALSE, stderr = FALSE, ...)
compile <- function(file) quiet("gcc", c(flags, "-I", file.path(root, "src"), "-c", file, "-o", object_of(file)))
if (!of_r) stopifnot(all(vapply(c(kernels, tests), compile, 0L) == 0L))

# Places where a line may be broken: pattern, replacement.
operators <- list(
  sign = c(" [+] ", " - "), sign = c(" - ", " + "), sign = c(" [+]= ", " -= "), sign = c(" -= ", " += "),
  comparison = c(" < ", " >= "), comparison = c(" > ", " <= "), comparison = c(" <= ", " > "),
  comparison = c(" == ", " != "),
  bound = c(" < ", " <= "), bound = c(" <= ", " < "), bound = c(" > ", " >= "), product = c(" [*] ", " + "),
  guard = c("if \\((.*)\\) (return|continue|break)", "if (0 && (\\1)) \\2"), guard = c(" && ", " || ")
)
if (of_r) {
  operators <- c(
    operators[!grepl("=", vapply(operators, `[[`, "", 1L)) | names(operators) %in% c("comparison", "bound")],
    list(guard = c("^( *)if \\((.*)\\) [{]$", "\\1if (FALSE \\&\\& (\\2)) {"), guard = c(" [|][|] ", " \\&\\& "))
  )
}
# Lines of code; of R those without text, whose words have the same signs.
no_code <- if (of_r) {
  "^\\s*#|[\"']"
} else {
  "^\\s*(/?[*]|//|#|for )|/[*]|KG_CHECK|^(static|typedef|struct|size_t|double|void|int)[^=]*\\($"
}
sources <- if (of_r) list.files(file.path(root, "R"), "[.]R$", full.names = TRUE) else kernels
sources <- grep(argument("files", ""), sources, value = TRUE)
candidates <- do.call(rbind, lapply(sources, function(file) {
  lines <- readLines(file)
  code <- which(!grepl(no_code, lines) & grepl("^  ", lines))
  do.call(rbind, lapply(seq_along(operators), function(o) {
    hit <- code[grepl(operators[[o]][1L], lines[code])]
    if (length(hit)) data.frame(file = file, line = hit, operator = o)
  }))
}))
set.seed(seed)
candidates <- candidates[sample(nrow(candidates)), ]
candidates <- candidates[!duplicated(candidates[c("file", "line")]), ]
kind <- names(operators)[candidates$operator]
candidates <- candidates[ave(seq_along(kind), candidates$file, FUN = seq_along) <= each, ]
kind <- names(operators)[candidates$operator]
# of R all lines of a file after each other, so that its tests run once unbroken
by <- if (of_r) match(candidates$file, unique(candidates$file)) else ave(seq_along(kind), kind, FUN = seq_along)
candidates <- candidates[order(by), ][seq_len(min(count, nrow(candidates))), ]

run_c_tests <- function(file) {
  stem <- sub("^kg_(.*)[.]c$", "\\1", basename(file))
  of <- sub("^test_(.*)[.]c$", "\\1", basename(tests))
  for (test in tests[order(of != stem, !vapply(of, function(name) startsWith(stem, name), NA))]) {
    program <- file.path(build, "program")
    if (quiet("gcc", c(flags, object_of(test), object_of(kernels), "-o", program, "-lm"))) return("does not link")
    code <- quiet("timeout", c("60", program), env = "CTEST_LOOPS=auto")
    if (code != 0L) return(basename(test))
  }
  NULL
}
run_r_tests <- function() {
  installed <- quiet("R", c(
    "CMD", "INSTALL", "--no-docs", "--no-test-load", "--no-byte-compile",
    paste0("--library=", file.path(root, "lib")), root
  ))
  if (installed != 0L) return("does not install")
  code <- sprintf(
    paste0(
      "r <- as.data.frame(testthat::test_local(%s, load_package = 'installed', filter = %s, reporter = 'silent', ",
      "stop_on_failure = FALSE)); cat(unique(r$file[r$failed > 0 | r$error]), '\\n')"
    ),
    deparse(root), deparse(r_tests)
  )
  out <- suppressWarnings(system2("timeout", c("600", "Rscript", "-e", shQuote(code)),
    stdout = TRUE, stderr = FALSE,
    env = c(paste0("R_LIBS=", file.path(root, "lib")), "NOT_CRAN=true", "KGROUPS_TESTS=all", "TESTTHAT_CPUS=2")
  ))
  if (length(attr(out, "status"))) return("a crash or a time limit")
  if (nzchar(trimws(utils::tail(out, 1L)))) trimws(utils::tail(out, 1L))
}

# ---- R: a fork of this session with the package loaded evaluates all of R/ again, one line broken ----

if (of_r) {
  space <- loadNamespace("kgroups")
  invisible(loadNamespace("testthat"))
  collate <- trimws(strsplit(read.dcf("DESCRIPTION", "Collate")[1L], "['[:space:]]+")[[1L]])
  parsed <- lapply(stats::setNames(nm = Filter(nzchar, collate)), function(file) parse(file.path(root, "R", file)))
  test_texts <- lapply(
    stats::setNames(nm = list.files(file.path(root, "tests", "testthat"), "^test-.*[.]R$", full.names = TRUE)),
    function(file) paste(readLines(file), collapse = "\n")
  )
  names(test_texts) <- sub("^test-(.*)[.]R$", "\\1", basename(names(test_texts)))
}
tests_of <- function(file) {
  stem <- sub("[.]R$", "", basename(file))
  given <- argument("tests", "")
  if (nzchar(given)) return(grep(given, names(test_texts), value = TRUE))
  if (stem %in% names(test_texts)) return(stem)
  own <- vapply(as.list(parsed[[basename(file)]]), function(one) {
    if (identical(one[[1L]], quote(`<-`)) && is.name(one[[2L]])) as.character(one[[2L]]) else NA_character_
  }, "")
  hits <- vapply(test_texts, function(text) {
    names <- paste0("(?<![\\w.])\\Q", stats::na.omit(own), "\\E(?![\\w.])")
    sum(vapply(names, grepl, NA, x = text, perl = TRUE))
  }, 0L)
  names(utils::head(sort(hits[hits > 0L], decreasing = TRUE), 2L))
}
replace_sources <- function(file) {
  parsed[[basename(file)]] <- parse(file)
  for (name in ls(space, all.names = TRUE)) unlockBinding(name, space)
  for (expression in unlist(lapply(parsed, as.list))) {
    if (!is.call(expression) || !identical(expression[[1L]], quote(`<-`))) next
    # an element of a table is set beside the namespace, which takes no temporary names
    beside <- if (is.name(expression[[2L]])) space else new.env(parent = space)
    eval(expression, beside)
    if (!identical(beside, space)) for (name in setdiff(ls(beside), "*tmp*")) assign(name, beside[[name]], space)
  }
  space$.onLoad()
  methods <- getNamespaceInfo(space, "S3methods")
  for (i in seq_len(nrow(methods))) {
    package <- methods[i, 4L]
    if (!is.na(package) && !requireNamespace(package, quietly = TRUE)) next
    registerS3method(
      methods[i, 1L], methods[i, 2L], get(methods[i, 3L], space),
      envir = if (is.na(package)) space else asNamespace(package)
    )
  }
}
# The child ends with the first expectation that fails, whose test it leaves in the file `reported`.
first_failure <- function(reported) {
  R6::R6Class("first_failure", inherit = testthat::Reporter, public = list(
    add_result = function(context, test, result) {
      if (inherits(result, c("expectation_failure", "expectation_error"))) {
        writeLines(sprintf("\"%s\"", test), reported)
        tools::pskill(Sys.getpid(), tools::SIGKILL)
      }
    }
  ))$new()
}
# The test that catches the file as it stands now, or NULL.
run_broken <- function(file, stems, all = FALSE) {
  reported <- tempfile("reported")
  job <- parallel::mcparallel({
    compiler::enableJIT(0L) # it costs more than the tests
    sink(nullfile())
    sink(file(nullfile(), "w"), type = "message")
    Sys.setenv(NOT_CRAN = "true", TESTTHAT_PARALLEL = "false", KGROUPS_TESTS = if (all) "all" else "")
    setTimeLimit(cpu = if (all) 300 else 100)
    copy <- tempfile("tests")
    dir.create(copy)
    file.copy(file.path(root, c("DESCRIPTION", "NAMESPACE", "tests")), copy, recursive = TRUE)
    tryCatch(
      {
        replace_sources(file)
        testthat::test_local(
          copy, load_package = "installed", filter = sprintf("^(%s)$", paste(stems, collapse = "|")),
          reporter = first_failure(reported)
        )
        ""
      },
      error = function(e) paste("an error,", conditionMessage(e))
    )
  })
  from <- Sys.time()
  repeat {
    found <- suppressWarnings(parallel::mccollect(job, wait = FALSE, timeout = 5))
    if (!is.null(found) || !dir.exists(file.path("/proc", job$pid))) break
    if (Sys.time() - from > as.difftime(20, units = "mins")) {
      tools::pskill(job$pid, tools::SIGKILL)
      return("a time limit")
    }
  }
  of <- paste(stems, collapse = ", ")
  if (file.exists(reported)) return(paste0(of, ": ", readLines(reported)))
  if (is.null(found[[1L]])) "a crash" else if (nzchar(found[[1L]])) paste0(of, ": ", found[[1L]])
}

passed <- character()
rows <- vapply(seq_len(nrow(candidates)), function(i) {
  one <- candidates[i, ]
  stems <- if (of_r) tests_of(one$file)
  if (length(stems) && !all(stems %in% passed)) {
    caught <- run_broken(one$file, stems)
    if (!is.null(caught)) stop("the tests fail without a mutation: ", caught)
    passed <<- c(passed, stems)
  }
  lines <- readLines(one$file)
  broken <- lines
  broken[one$line] <- sub(operators[[one$operator]][1L], operators[[one$operator]][2L], lines[one$line])
  writeLines(broken, one$file)
  on.exit({
    writeLines(lines, one$file)
    if (!of_r) compile(one$file)
  })
  by <- if (of_r) "R" else "C"
  if (of_r) {
    caught <- if (length(stems)) run_broken(one$file, stems)
    if (is.null(caught) && length(stems) && repeats == "all") {
      caught <- run_broken(one$file, stems, all = TRUE)
      if (!is.null(caught)) caught <- paste(caught, "with all repeats")
    }
  } else {
    caught <- if (compile(one$file) != 0L) "does not compile" else run_c_tests(one$file)
    if (is.null(caught)) {
      caught <- run_r_tests()
      by <- "R"
    }
  }
  row <- sprintf(
    "| `%s:%d` | %s | `%s` | %s |", basename(one$file), one$line, names(operators)[one$operator],
    gsub("|", "&#124;", trimws(broken[one$line]), fixed = TRUE),
    if (is.null(caught)) "**no test**" else sprintf("%s: %s", by, caught)
  )
  cat(row, "\n")
  row
}, "")

missed <- sum(grepl("**no test**", rows, fixed = TRUE))
summary <- sprintf(
  "%d mutations (seed %s): %d caught, %d not.", length(rows), format(seed), length(rows) - missed, missed
)
cat(summary, "\n")
if (write) {
  page <- readLines("TESTING.md")
  marks <- match(sprintf("<!-- mutations: %s -->", c("begin", "end")), page)
  table <- c("", summary, "", "| line | kind | broken line | caught by |", "|---|---|---|---|", rows, "")
  writeLines(c(page[seq_len(marks[1L])], table, page[marks[2L]:length(page)]), "TESTING.md")
}
unlink(root, recursive = TRUE)
quit(status = if (missed) 1L else 0L)
