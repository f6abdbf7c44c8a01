#!/usr/bin/env bash
# R CMD check where only testthat, knitr and rmarkdown of the Suggests are there. The
# library is a folder of links to these, to the packages of Imports and to all that
# they need; the recommended packages that are not among them are hidden too.
#   tools/minimum.sh             ends with R's status; an ERROR or WARNING fails it
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/library"

Rscript - "$work/library" <<'R' || exit 1
library <- commandArgs(TRUE)[1]
fields <- read.dcf("DESCRIPTION", c("Imports", "Suggests"))
names_of <- function(field) trimws(sub("[(].*", "", strsplit(gsub("\n", " ", field), ",")[[1]]))
kept <- c("testthat", "knitr", "rmarkdown")
installed <- installed.packages()
roots <- c(names_of(fields[, "Imports"]), kept)
needed <- unique(c(roots, unlist(tools::package_dependencies(
  roots, installed, c("Depends", "Imports", "LinkingTo"), recursive = TRUE
))))
base <- rownames(installed)[installed[, "Priority"] %in% "base"]
recommended <- rownames(installed)[installed[, "Priority"] %in% "recommended"]
for (package in setdiff(needed, c(base, recommended, "R"))) {
  file.symlink(system.file(package = package), file.path(library, package))
}
# R passes over a package of this kind, wherever else it may be.
for (package in setdiff(recommended, needed)) {
  dir.create(file.path(library, package))
  file.create(file.path(library, package, "dummy_for_check"))
}
away <- setdiff(names_of(fields[, "Suggests"]), needed)
cat("hidden:", away, "\n")
R

(cd "$work" && R CMD build "$root" >build.log 2>&1) || {
  cat "$work/build.log"
  exit 1
}
# Nothing else is seen: neither the user's libraries nor the site's.
export R_LIBS="$work/library" R_LIBS_USER=NULL R_LIBS_SITE="$work/library"
export R_ENVIRON="$work/none" R_ENVIRON_USER="$work/none" R_PROFILE="$work/none" R_PROFILE_USER="$work/none"
export NOT_CRAN=true _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_SYSTEM_CLOCK_=false LC_ALL=C.UTF-8
cd "$work" || exit 1
R CMD check --no-manual kgroups_*.tar.gz >check.log 2>&1
log=kgroups.Rcheck/00check.log
grep -A 30 -E '(ERROR|WARNING)$' "$log"
sed -n '/══ Failed tests/,/^\[ FAIL/p' kgroups.Rcheck/tests/testthat.Rout* | head -n 100
grep -hE '^\[ FAIL' kgroups.Rcheck/tests/testthat.Rout* | tail -n 1
grep '^Status' "$log"
! grep -qE '(ERROR|WARNING)$' "$log"
