# Compares the tables that same-answer.sh wrote with the first of them.
folder <- commandArgs(TRUE)[1L]
files <- sort(list.files(folder, "[.]tsv$", full.names = TRUE))
tables <- lapply(files, utils::read.delim, colClasses = c("character", "numeric", "numeric"))
names(tables) <- gsub("_", " ", sub("^[0-9]_", "", sub("[.]tsv$", "", basename(files))))
first <- tables[[1L]]
cat(R.version.string, "; ", nrow(first), " calls, compared with ", names(tables)[1L], "\n\n", sep = "")
cat("| run | labels equal | largest relative difference | call |\n|---|---|---|---|\n")
worst <- 0
for (name in names(tables)[-1L]) {
  other <- tables[[name]]
  same <- first$labels == other$labels
  # a count, or a statistic of 0, has no relative difference
  gap <- abs(first$value - other$value) / pmax(abs(first$value), 1e-300)
  gap[first$value == other$value] <- 0
  cat(sprintf(
    "| %s | %d of %d%s | %.1e | %s |\n", name, sum(same), length(same),
    if (all(same)) "" else paste0(" (not: ", paste(first$call[!same], collapse = ", "), ")"), max(gap),
    if (max(gap) > 0) first$call[which.max(gap)] else ""
  ))
  worst <- max(worst, gap, !same)
}
cat(sprintf("\n%s\n", if (worst <= 1e-10) "All the same." else "DIFFERENT."))
quit(status = as.integer(worst > 1e-10))
