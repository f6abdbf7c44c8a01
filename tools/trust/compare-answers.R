# Compares the tables that same-answer.sh wrote with the first of them.
folder <- commandArgs(TRUE)[1L]
files <- sort(list.files(folder, "[.]tsv$", full.names = TRUE))
# Its first line states in which R the table was made.
made <- sub("^# ", "", vapply(files, readLines, "", n = 1L))
tables <- lapply(files, utils::read.delim, colClasses = c("character", "numeric", "numeric"), skip = 1L)
names(tables) <- gsub("_", " ", sub("^[0-9]_", "", sub("[.]tsv$", "", basename(files))))
first <- tables[[1L]]
cat(made[1L], "; ", nrow(first), " calls, compared with ", names(tables)[1L], "\n\n", sep = "")
cat("| run | made in | labels equal | largest relative difference | call |\n|---|---|---|---|---|\n")
worst <- 0
for (i in seq_along(tables)[-1L]) {
  other <- tables[[i]]
  if (!identical(first$call, other$call)) {
    cat("| ", names(tables)[i], " | ", made[i], " | other calls: made by another version of same-answer.R | | |\n", sep = "")
    worst <- Inf
    next
  }
  same <- first$labels == other$labels
  # a count, or a statistic of 0, has no relative difference
  gap <- abs(first$value - other$value) / pmax(abs(first$value), 1e-300)
  gap[first$value == other$value] <- 0
  cat(sprintf(
    "| %s | %s | %d of %d%s | %.1e | %s |\n", names(tables)[i], made[i], sum(same), length(same),
    if (all(same)) "" else paste0(" (not: ", paste(first$call[!same], collapse = ", "), ")"), max(gap),
    if (max(gap) > 0) first$call[which.max(gap)] else ""
  ))
  worst <- max(worst, gap, !same)
}
cat(sprintf("\n%s\n", if (worst <= 1e-10) "All the same." else "DIFFERENT."))
quit(status = as.integer(worst > 1e-10))
