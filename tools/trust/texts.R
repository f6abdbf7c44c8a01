# Text that might run, break or never end, in every argument, name and attribute of every exported
# function, and in everything that is requested of the results (tests/testthat/test-texts.R does it by
# turns). Prints what was wrong, ends with code 1 if anything was.
#   Rscript tools/trust/texts.R [--texts code,broken,...] [--one-in 1] [--record yes]
source("tools/trust/common.R")
suppressPackageStartupMessages(library(kgroups))

# the functions of the test file, without its tests
for (expression in parse("tests/testthat/test-texts.R")) {
  if (identical(expression[[1L]], quote(`<-`))) eval(expression)
}
texts <- bad_texts()
chosen <- argument("texts", "")
# megabytes of text in everything that base R does with names take hours, and its stack
chosen <- if (nzchar(chosen)) strsplit(chosen, ",")[[1L]] else setdiff(names(texts), "long")
answer <- text_findings(texts[chosen], one_in = argument("one-in", 1))
if (!is.null(answer$findings)) print(answer$findings, right = FALSE)
cat(answer$calls, "calls,", NROW(answer$findings), "findings\n")
record("texts.R", sprintf("%d calls", answer$calls), NROW(answer$findings))
quit(status = as.integer(NROW(answer$findings) > 0))
