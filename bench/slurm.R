# Blocks through a batch queue: the same call here, and as Slurm jobs by future.batchtools.
# Needs sbatch on the path. Writes bench/slurm.md.
#   Rscript bench/slurm.R        (from the root of the sources, package installed)
library(kgroups)

folder <- file.path(getwd(), "bench-slurm")
dir.create(folder)
template <- file.path(folder, "slurm.tmpl")
writeLines(c(
  "#!/bin/bash",
  "#SBATCH --job-name=<%= job.name %>",
  "#SBATCH --output=<%= log.file %>",
  "#SBATCH --ntasks=1",
  sprintf("export R_LIBS=%s", paste(.libPaths(), collapse = ":")),
  "Rscript -e 'batchtools::doJobCollection(\"<%= uri %>\")'"
), template)
set.seed(1)
for (i in 1:4) {
  block <- matrix(rnorm(50000), ncol = 5) + rep(c(0, 3), length.out = 10000)
  saveRDS(block, file.path(folder, sprintf("part%d.rds", i)))
}
run <- function() {
  set.seed(2)
  time <- system.time(fit <- kgroups(chunks(function(i) readRDS(list.files(folder, full.names = TRUE)[i]), length(list.files(folder))), 4, approx = nystroem(100), tol = 1e-3))
  list(fit = fit, seconds = time[["elapsed"]])
}
here <- run()
options(future.cache.path = file.path(folder, "future"))
old <- future::plan(
  future.batchtools::batchtools_slurm,
  template = template, workers = 2
)
there <- run()
future::plan(old)
jobs <- tryCatch(system2("scontrol", c("show", "jobs", "-o"), stdout = TRUE), error = function(e) "")
unlink(folder, recursive = TRUE)
lines <- c(
  "# Slurm", "",
  "Made by `bench/slurm.R`: 40000 rows in 4 files, k = 4, 100 landmarks; a one-node Slurm, two jobs at a time.", "",
  sprintf("- Slurm: %s; jobs it still lists as completed: %d.", system2("sinfo", "--version", stdout = TRUE),
    sum(grepl("JobState=COMPLETED", jobs))),
  sprintf("- Passes: %d, and one for the sample and one for the labels.", there$fit$iterations),
  sprintf("- Labels identical to those in this process: %s; W identical: %s.",
    identical(here$fit$cluster, there$fit$cluster), identical(here$fit$W, there$fit$W)),
  sprintf("- Seconds: %.1f here, %.1f through the queue.", here$seconds, there$seconds)
)
writeLines(lines, "bench/slurm.md")
cat(lines, sep = "\n")
