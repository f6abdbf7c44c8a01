# Breaks one line at a time and reports which test catches it.
#   Rscript tools/trust/mutation.R [--of src] [--count 30] [--seed 1] [--write yes]
# A mutation changes a sign, a comparison, a bound or a guard, drawn at random, at most three a file. Of src/kg_*.c (`--of src`)
# the C tests run first, that of the same name before the others, with sanitizers; the tests of R run if the C tests pass. Of R/
# (`--of R`) the test file of the same name runs, or without one the tests of the core.
# `--write yes` puts the table of src into TESTING.md. The tree itself is not changed.

source("tools/trust/common.R")
count <- argument("count", 30)
seed <- argument("seed", 1)
of_r <- argument("of", "src") == "R"
write <- argument("write", "no") == "yes"
r_tests <- paste0(
  "^(search|kgroups|control|exact|connected|problem|store-sparse|negative-type|energy-statistics|energy-test|nystroem|predict|",
  "numerics|local-search|centroids|reduce)$"
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
candidates <- candidates[ave(seq_along(kind), candidates$file, FUN = seq_along) <= 3, ]
kind <- names(operators)[candidates$operator]
candidates <- candidates[order(ave(seq_along(kind), kind, FUN = seq_along)), ][seq_len(min(count, nrow(candidates))), ]

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
run_r_tests <- function(filter = r_tests) {
  installed <- quiet(
    "R",
    c(
      "CMD", "INSTALL", "--no-docs", "--no-test-load", "--no-byte-compile",
      paste0("--library=", file.path(root, "lib")), root
    )
  )
  if (installed != 0L) return("does not install")
  code <- sprintf(
    paste0(
      "r <- as.data.frame(testthat::test_local(%s, load_package = 'installed', filter = %s, reporter = 'silent', ",
      "stop_on_failure = FALSE)); cat(unique(r$file[r$failed > 0 | r$error]), '\\n')"
    ),
    deparse(root), deparse(filter)
  )
  out <- suppressWarnings(system2("timeout", c("600", "Rscript", "-e", shQuote(code)),
    stdout = TRUE, stderr = FALSE,
    env = c(paste0("R_LIBS=", file.path(root, "lib")), "NOT_CRAN=true", "KGROUPS_TESTS=all", "TESTTHAT_CPUS=2")
  ))
  if (length(attr(out, "status"))) return("a crash or a time limit")
  if (nzchar(trimws(utils::tail(out, 1L)))) trimws(utils::tail(out, 1L))
}

rows <- vapply(seq_len(nrow(candidates)), function(i) {
  one <- candidates[i, ]
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
    stem <- sub("[.]R$", "", basename(one$file))
    own <- file.exists(file.path(root, "tests", "testthat", sprintf("test-%s.R", stem)))
    caught <- run_r_tests(if (own) sprintf("^%s$", stem) else r_tests)
  } else {
    caught <- if (compile(one$file) != 0L) "does not compile" else run_c_tests(one$file)
  }
  if (!of_r && is.null(caught)) {
    caught <- run_r_tests()
    by <- "R"
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
