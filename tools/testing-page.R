# The table of campaigns in TESTING.md, from what they have recorded in tools/trust/campaigns.csv
# (`--record yes`): the last run of every command, with its date, commit, count and findings.
#   Rscript tools/testing-page.R            writes the page
#   Rscript tools/testing-page.R --check    ends with code 1 if the page is another
file <- "TESTING.md"
runs <- utils::read.csv("tools/trust/campaigns.csv", colClasses = "character")
runs <- runs[!duplicated(runs$command, fromLast = TRUE), ]
rows <- sprintf("| `%s` | %s | %s | %s | %s | %s |", runs$command, runs$date, runs$commit, runs$count, runs$findings, runs$note)
table <- c("| command | date | commit | count | findings | note |", "|---|---|---|---|---|---|", rows)
page <- readLines(file)
begin <- match("<!-- campaigns: tools/testing-page.R -->", page)
end <- match("<!-- end of campaigns -->", page)
stopifnot(!is.na(begin), !is.na(end))
new <- c(page[seq_len(begin)], table, page[end:length(page)])
if ("--check" %in% commandArgs(TRUE)) {
  if (!identical(new, page)) stop("TESTING.md is not what tools/trust/campaigns.csv says: Rscript tools/testing-page.R")
} else {
  writeLines(new, file)
}
