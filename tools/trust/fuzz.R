# Random calls of everything a user can call: each must answer with a valid result or with a
# condition of the package's own, in bounded time. The calls run in child processes, so that
# a crash or a hang is a finding and not the end.
#   Rscript tools/trust/fuzz.R [--calls 20000] [--seed 1] [--record yes]   (package installed, from the root)
# A finding is named by its seed:
#   Rscript tools/trust/fuzz.R --show SEED
# Text that might run, break or never end, in every argument, name and attribute (tests/testthat/test-texts.R, by turns):
#   Rscript tools/trust/fuzz.R --texts all [--one-in 1] [--record yes]      or --texts code,broken
source("tools/trust/common.R")

fuzz_texts <- function(chosen) {
  suppressPackageStartupMessages(library(kgroups))

  # the functions of the test file, without its tests
  for (expression in parse("tests/testthat/test-texts.R")) {
    if (identical(expression[[1L]], quote(`<-`))) eval(expression)
  }
  texts <- bad_texts()
  # megabytes of text in everything that base R does with names take hours, and its stack
  chosen <- if (chosen != "all") strsplit(chosen, ",")[[1L]] else setdiff(names(texts), "long")
  answer <- text_findings(texts[chosen], one_in = argument("one-in", 1))
  if (!is.null(answer$findings)) print(answer$findings, right = FALSE)
  cat(answer$calls, "calls,", NROW(answer$findings), "findings\n")
  record("fuzz.R", sprintf("%d calls", answer$calls), NROW(answer$findings))
  quit(status = as.integer(NROW(answer$findings) > 0))
}
if (nzchar(argument("texts", ""))) fuzz_texts(argument("texts", ""))

calls <- argument("calls", 20000)
first <- argument("seed", 1)
show <- argument("show", NA_real_)
limit <- 10
space <- load_helpers("reference", "fuzz")

if (!is.na(show)) {
  set.seed(show)
  call <- space$fuzz_call()
  cat(call$f, "\n")
  utils::str(call$args, max.level = 2, list.len = 30)
  print(space$fuzz_run(show, limit))
  quit()
}

if (argument("child", 0) == 1) {
  # One line a call: seed, function, answer, seconds, what is wrong. The line "seed" before it
  # shows the parent which call it was that did not come back.
  for (seed in seq(first, length.out = calls)) {
    cat("start", seed, "\n")
    found <- space$fuzz_run(seed, limit)
    cat(
      "done", seed, attr(found, "f"), attr(found, "answer"), format(attr(found, "seconds"), digits = 3), "\n",
      sep = "\t"
    )
    for (one in found) cat("finding", seed, attr(found, "f"), gsub("[\t\n]", " ", one), "\n", sep = "\t")
  }
  quit()
}

batch <- 500
done <- NULL
findings <- NULL
at <- first
end <- first + calls
while (at < end) {
  child <- run_child(
    "tools/trust/fuzz.R", c("--child", 1, "--seed", at, "--calls", min(batch, end - at)), quiet = 3 * limit
  )
  lines <- strsplit(grep("^(done|finding)\t", child$lines, value = TRUE), "\t")
  kind <- vapply(lines, `[[`, "", 1L)
  done <- rbind(done, do.call(rbind, lapply(lines[kind == "done"], function(x) x[2:5])))
  findings <- rbind(findings, do.call(rbind, lapply(lines[kind == "finding"], function(x) x[2:4])))
  started <- as.numeric(sub("start ", "", utils::tail(grep("^start ", child$lines, value = TRUE), 1L)))
  message("to ", min(at + batch, end) - 1, ": ", NROW(findings), " findings")
  if (child$status != 0 || !length(started)) {
    if (!length(started)) stop(paste(child$lines, collapse = "\n"))
    what <- if (child$hung) "hang" else sprintf("crash (%s)", child$status)
    findings <- rbind(findings, c(started, "?", what))
    cat("finding", started, what, "\n", sep = "\t")
    at <- started + 1
  } else {
    at <- at + batch
  }
}
unique_findings <- if (!is.null(findings)) {
  by <- split(as.numeric(findings[, 1L]), paste(findings[, 2L], gsub("[0-9.e+-]{3,}", "#", findings[, 3L]), sep = ": "))
  data.frame(finding = names(by), times = lengths(by), seed = vapply(by, min, 0), row.names = NULL)
}
if (!is.null(unique_findings)) {
  unique_findings <- unique_findings[order(-unique_findings$times), ]
  cat(
    "times, seed, finding\n",
    sprintf("%4d %6d  %s\n", unique_findings$times, unique_findings$seed, unique_findings$finding), sep = ""
  )
}
answer <- ifelse(done[, 3L] == "valid", "valid", "classed error")
answer[!done[, 3L] == "valid" & !grepl("^kg_error", done[, 3L])] <- "raw error"
print(table(call = done[, 2L], answer))
cat(
  nrow(done), "calls:", sum(answer == "valid"), "valid,", sum(answer == "classed error"), "classed errors; slowest",
  max(as.numeric(done[, 4L])), "s;", NROW(findings), "findings\n"
)
record("fuzz.R", sprintf("%d calls", nrow(done)), NROW(findings))
quit(status = as.integer(NROW(findings) > 0))
