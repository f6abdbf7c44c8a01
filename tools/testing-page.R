# What TESTING.md says was run and what came of it, from tools/trust/campaigns.csv: nothing in its two tables
# is written by hand.
#   Rscript tools/testing-page.R             writes the tables
#   Rscript tools/testing-page.R --check     ends with code 1 if the page is another
#   Rscript tools/testing-page.R --ci LOG    takes the results out of what .ci/run printed, then writes them
# Campaigns write their rows themselves (`--record yes`); of the others a row is one line of the file.
# Of a command that ran with several seeds at its last commit the counts are added up; of campaigns that draw
# at random the page says beside the last run what all of them did, on this state and on earlier ones, and
# beside its findings how many the earlier ones had.
file <- "TESTING.md"
records <- "tools/trust/campaigns.csv"

# What is run, by the first words of its command, in the order of the page.
checks <- c(
  "tools/ctest/run.sh" = "kernels as strict C99, then against the definitions in long double under ASan and UBSan, loops in plain C and the widest vectors",
  "make test" = "testthat: definitions, brute force, invariants, every error, every routine misused and under gctorture, interrupts, 200 random calls",
  "make check" = "`R CMD check --as-cran`, vignettes built, roxygen2 changes nothing",
  "make lint" = "lintr over R, cppcheck over C",
  "tools/fuzz/run.sh --runs" = "kernels under libFuzzer, ASan, UBSan, from `tools/fuzz/corpus.tar.gz`, the same inputs each time",
  "tools/site.sh" = "the site: every page built, no broken link, no formula left as TeX",
  "tools/coverage.sh" = "coverage, at least 97 % of the lines: kernels by gcov on the C tests, R and shims by covr"
)
campaigns <- c(
  "Rscript tools/trust/agree.R" = "one problem as matrix, table, dist, Gram matrix, landmarks, blocks, graph, shifted, permuted, doubled: the same answers",
  "Rscript tools/trust/metamorphic.R" = "halved weights, weights of 0, shifts, scales, permutations, constant and renamed columns, more starts: answers as told",
  "Rscript tools/trust/texts.R" = "braces, percent signs, newlines, megabytes in every text, name and attribute",
  "Rscript tools/trust/fuzz.R" = "random calls of all that is exported, with random types, sizes and arguments: a valid result or a classed error in bounded time",
  "Rscript tools/trust/interrupt.R --gaps" = "the longest time that a call goes without looking for Ctrl-C, every function that can run for seconds",
  "Rscript tools/trust/interrupt.R --times" = "SIGINT at random moments of every long routine",
  "Rscript tools/trust/memory.R" = "memory that ends at random points",
  "Rscript tools/trust/sizes.R" = "more than 2^31 pairs, n - 1 clusters, 20,000 columns, 10,000,000 numbers: right or refused; seconds and peak memory",
  "tools/fuzz/run.sh --seconds" = "kernels fuzzed, guided by coverage: finite results, sums as defined, W never rises, labels in range, no empty cluster",
  "tools/sanitize.sh" = "whole testthat on a build under ASan and UBSan",
  "tools/valgrind.sh" = "tests under valgrind (AVX2 at most; AVX-512 has the sanitizers)",
  "Rscript tools/rchk.R" = "rchk's rules over the shims: fresh objects protected, balanced on all ways out, no memory of C held",
  "tools/portable.sh" = "other platforms: Windows, ARM, 32 bits, without OpenMP",
  "tools/minimum.sh" = "R CMD check with the fewest of Suggests",
  "tools/trust/drift.sh" = "sums over a million moves against recomputation in long double",
  "tools/trust/same-answer.sh" = "the same answer on threads, instruction sets, compilers, BLAS, versions of R"
)

# Those that draw other problems each time.
drawn <- c("Rscript tools/trust/agree.R", "Rscript tools/trust/metamorphic.R", "Rscript tools/trust/fuzz.R", "tools/fuzz/run.sh --seconds")

read_records <- function() utils::read.csv(records, colClasses = "character")

append_record <- function(command, count, findings = "0", note = "") {
  source("tools/trust/common.R")
  record_row(command, count, findings, note)
}

# The last line of a log that matches, without what is before `from`.
line_of <- function(log, pattern) utils::tail(grep(pattern, log, value = TRUE), 1L)

take_ci <- function(log) {
  log <- readLines(log)
  findings <- function(text, pattern = "([0-9]+) (failed|problems)") {
    if (grepl(pattern, text)) sub(paste0(".*?", pattern, ".*"), "\\1", text, perl = TRUE) else "0"
  }
  put <- function(command, line, text = line) {
    if (length(line)) append_record(command, text, findings(text))
  }
  put("tools/ctest/run.sh", utils::head(grep("^[0-9]+ passed, [0-9]+ failed$", log, value = TRUE), 1L))
  line <- line_of(log, "^testthat: ")
  if (length(line)) {
    numbers <- regmatches(line, gregexpr("[0-9]+", line))[[1L]]
    append_record("make test", sprintf("%s passed, %s failed, %s skipped", numbers[4L], numbers[1L], numbers[3L]), numbers[1L])
  }
  put("make check", line_of(log, "^Status: "))
  lint <- line_of(log, "^lintr: ")
  if (length(lint)) put("make lint", lint, paste(c(lint, line_of(log, "^cppcheck: ")), collapse = "; "))
  put("tools/fuzz/run.sh --runs 4000", line_of(log, "executions, no finding$"))
  put("tools/site.sh", line_of(log, "^site: .*links"))
  covered <- grep("^(kernels|package): .* of the lines", log, value = TRUE)
  if (length(covered)) put("tools/coverage.sh", covered, paste(covered, collapse = "; "))
}

# Counts of runs that differ in their seeds alone, added up number by number.
add_up <- function(counts) {
  shape <- gsub("[0-9]+", "#", counts)
  if (length(counts) == 1L || length(unique(shape)) > 1L) {
    return(paste(unique(counts), collapse = "; "))
  }
  numbers <- vapply(regmatches(counts, gregexpr("[0-9]+", counts)), as.numeric, numeric(nchar(gsub("[^#]", "", shape[1L]))))
  sums <- format(rowSums(matrix(numbers, ncol = length(counts))), big.mark = ",", trim = TRUE, scientific = FALSE)
  out <- shape[1L]
  for (one in sums) out <- sub("#", one, out, fixed = TRUE)
  out
}

# What all runs of a campaign did: their counts begin with the number of what they tried.
in_all <- function(runs) {
  counted <- regmatches(runs$count, regexec("^([0-9]+) ([a-z]+)", runs$count))
  number <- sum(as.numeric(vapply(counted, `[`, "", 2L)))
  sprintf(
    "in all %s %s in %d runs from %s on", format(number, big.mark = ",", scientific = FALSE), counted[[nrow(runs)]][3L],
    nrow(runs), runs$commit[1L]
  )
}

row_of <- function(command, what, runs) {
  # the longest beginning that fits, so that "run.sh --runs" is not "run.sh --seconds"
  runs <- runs[startsWith(runs$command, command), ]
  if (!nrow(runs)) {
    return(NULL)
  }
  shown <- sub(" --seed [0-9]+", " --seed S", runs$command)
  several <- shown == utils::tail(shown, 1L) & grepl("--seed S", shown) & runs$commit == utils::tail(runs$commit, 1L)
  last <- if (any(several)) runs[several, ] else utils::tail(runs, 1L)
  shown <- utils::tail(shown, 1L)
  note <- unique(last$note[nzchar(last$note)])
  if (all(grepl("^[0-9]+ ", note)) && length(note) > 1L) note <- add_up(last$note[nzchar(last$note)])
  result <- add_up(last$count)
  findings <- add_up(last$findings)
  if (command %in% drawn && nrow(runs) > nrow(last)) {
    result <- paste0(result, "; ", in_all(runs))
    findings <- sprintf("%s; %g before", findings, sum(as.numeric(runs$findings)) - sum(as.numeric(last$findings)))
  }
  sprintf(
    "| %s | `%s` | %s | %s | %s | %s | %s |", what, shown, result, findings, paste(note, collapse = "; "),
    utils::tail(last$date, 1L), paste(unique(last$commit), collapse = ", ")
  )
}

table_of <- function(rows, runs) {
  c(
    "| what | command | result | findings | note | date | commit |", "|---|---|---|---|---|---|---|",
    unlist(Map(row_of, names(rows), rows, MoreArgs = list(runs = runs)), use.names = FALSE)
  )
}

between <- function(page, name, table) {
  begin <- match(sprintf("<!-- %s: tools/testing-page.R -->", name), page)
  end <- match(sprintf("<!-- end of %s -->", name), page)
  stopifnot(!is.na(begin), !is.na(end))
  c(page[seq_len(begin)], table, page[end:length(page)])
}

given <- commandArgs(TRUE)
if ("--ci" %in% given) take_ci(given[match("--ci", given) + 1L])
runs <- read_records()
known <- vapply(runs$command, function(command) any(startsWith(command, c(names(checks), names(campaigns)))), NA)
if (any(!known)) stop("The page has no row for ", paste(unique(runs$command[!known]), collapse = ", "))
page <- readLines(file)
new <- between(between(page, "checks", table_of(checks, runs)), "campaigns", table_of(campaigns, runs))

# Every file that the page names in code marks, such as a test or a script, is there.
named <- unique(unlist(regmatches(new, gregexpr("(?<=`)[^` ]*[a-z-]+[.](R|c|sh|csv)(?=[` ])", new, perl = TRUE))))
there <- list.files(c("tests", "tools", "bench"), recursive = TRUE, full.names = TRUE)
gone <- named[!named %in% c(there, basename(there))]
if (length(gone)) stop("TESTING.md names what is not there: ", paste(gone, collapse = ", "))

if ("--check" %in% given) {
  if (!identical(new, page)) stop("TESTING.md is not what tools/trust/campaigns.csv says: Rscript tools/testing-page.R")
} else {
  writeLines(new, file)
}
