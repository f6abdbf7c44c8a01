# SIGINT at random moments of every long routine: R stays usable, the next call is right, and
# memory does not grow over one process that is interrupted again and again.
#   Rscript tools/trust/interrupt.R [--times 200] [--seed 1]     (package installed, from the root)
source("tools/trust/common.R")
source("tests/testthat/helper-interrupt.R")
suppressPackageStartupMessages(library(kgroups))

times <- argument("times", 200)
set.seed(argument("seed", 1))

# The calls in one process, again and again in random order; the pause before the signal is
# anything from nothing to a second. Memory is read by the child after a collection.
rounds <- ceiling(times / length(long_calls))
memory <- tempfile()
record <- sprintf('{
  status <- grep("VmRSS", readLines("/proc/self/status"), value = TRUE)
  cat(sum(gc()[, 2]), as.numeric(gsub("[^0-9]", "", status)) / 1024, "\\n", file = "%s", append = TRUE)
}', memory)
turn <- unlist(lapply(seq_len(rounds), function(round) sample(length(long_calls))))[seq_len(times)]
calls <- long_calls[turn]
setup <- paste(long_setup, "invisible(gc())", sep = "\n")
calls[] <- sprintf("{ %s; %s }", record, calls)
found <- interrupt_calls(calls, setup, pause = function() stats::runif(1), patience = 60)

say <- table(found$answer)
print(say)
lines <- utils::read.table(memory, col.names = c("heap", "resident"))
# What a condition or a promise still holds when the next call begins comes and goes; a leak
# would lift the least of a quarter.
quarter <- ceiling(4 * seq_len(nrow(lines)) / nrow(lines))
least <- function(x) paste(round(tapply(x, quarter, min)), collapse = ", ")
cat(sprintf(
  "%d signals: %d calls interrupted, %d had ended before; next call right %d times\n",
  nrow(found), sum(found$answer == "interrupted"), sum(found$answer == "ended"), sum(found$right)
))
cat(sprintf(
  "answer after the signal: median %.3f s, 95 %% %.3f s, longest %.3f s (%s)\n", stats::median(found$seconds, na.rm = TRUE),
  stats::quantile(found$seconds, 0.95, na.rm = TRUE), max(found$seconds, na.rm = TRUE), found$call[which.max(found$seconds)]
))
cat(sprintf(
  "memory before a call, MB, least of each quarter of the run: heap of R %s; resident %s\n",
  least(lines$heap), least(lines$resident)
))
slowest <- stats::aggregate(seconds ~ call, found[found$answer == "interrupted", ], max)
print(utils::head(slowest[order(-slowest$seconds), ], 6), row.names = FALSE)
bad <- !found$answer %in% c("interrupted", "ended") | !found$right
if (any(bad)) {
  print(found[bad, ])
  cat(utils::tail(attr(found, "output"), 20), sep = "\n")
}
quit(status = as.integer(any(bad)))
