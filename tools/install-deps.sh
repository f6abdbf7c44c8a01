#!/bin/sh
# Installs what the package needs and this machine lacks, and nothing else.
#
#   tools/install-deps.sh run     R, a compiler, the packages of Depends and Imports, and ggplot2 for plot()
#   tools/install-deps.sh check   also pandoc, qpdf, all of Suggests, roxygen2
#   tools/install-deps.sh ci      the packages of CI in addition: lintr, cppcheck, clang with libFuzzer, covr, pkgdown
#
# The R packages are read from DESCRIPTION. With apt and root at hand they come from
# Debian (r-cran-*), the rest from CRAN through install.packages() into the first
# library that can be written to. A package that cannot be had stops the script only
# when the package itself needs it. With all in place it ends within seconds and requires no
# server.
set -u
cd "$(dirname "$0")/.." || exit 1

mode=${1:-check}
case $mode in
  run | check | ci) ;;
  *) echo "usage: $0 run|check|ci" >&2; exit 2 ;;
esac

say() { printf 'deps: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# --- apt ---------------------------------------------------------------------------

apt_usable=no
have apt-get && [ "$(id -u)" = 0 ] && apt_usable=yes
apt_updated=no

apt_install() {
  if [ $apt_updated = no ]; then
    say "apt-get update"
    apt-get update -qq >/dev/null 2>&1 || say "apt-get update failed; going on with the lists that are here"
    apt_updated=yes
  fi
  known=
  for p in "$@"; do
    if apt-cache show "$p" >/dev/null 2>&1; then known="$known $p"; fi
  done
  [ -n "$known" ] || return 0
  say "apt-get install$known"
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $known >/dev/null && return 0
  for p in $known; do
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$p" >/dev/null ||
      say "apt-get could not install $p"
  done
}

# --- programs ----------------------------------------------------------------------

# R on Debian links packages against the system's BLAS, LAPACK and the Fortran runtime.
can_link() {
  have gcc || return 1
  scratch=$(mktemp -d) || return 1
  echo 'int main(void) { return 0; }' >"$scratch/a.c"
  gcc "$scratch/a.c" -o "$scratch/a" -llapack -lblas -lgfortran -lm 2>/dev/null
  status=$?
  rm -rf "$scratch"
  return $status
}

has_fuzzer() {
  clang=$(command -v clang || command -v clang-14) || return 1
  [ -n "$(find "$(dirname "$("$clang" -print-libgcc-file-name 2>/dev/null)")" "$("$clang" -print-resource-dir)" \
    -name 'libclang_rt.fuzzer*' 2>/dev/null | head -n 1)" ]
}

if [ $apt_usable = yes ]; then
  missing=
  have R || missing="$missing r-base-core"
  if [ "$mode" != ci ]; then
    have gcc || missing="$missing gcc"
    have gfortran || missing="$missing gfortran"
    have make || missing="$missing make"
    can_link || missing="$missing libc6-dev libblas-dev liblapack-dev"
  fi
  if [ "$mode" = check ]; then
    have pandoc || missing="$missing pandoc"
    have qpdf || missing="$missing qpdf"
  fi
  if [ "$mode" = ci ]; then
    have cppcheck || missing="$missing cppcheck"
    # libFuzzer comes with the runtime of clang, whose package is named by its version in places
    has_fuzzer || missing="$missing clang libclang-rt-dev libclang-rt-14-dev"
  fi
  # shellcheck disable=SC2086
  [ -z "$missing" ] || apt_install $missing
fi

if ! have R; then
  say "R is not installed, and this script cannot install it here. It is at CRAN." >&2
  exit 1
fi

# --- R packages --------------------------------------------------------------------

# Prints "needed NAME" or "optional NAME" for each package that is absent or too old.
missing_r() {
  R --vanilla --no-echo --args "$mode" <<'RCODE'
  mode <- commandArgs(TRUE)[1]
  # --vanilla leaves out the user's library settings, not the user's library.
  description <- read.dcf("DESCRIPTION")[1, ]
  entries <- function(fields) {
    text <- unlist(strsplit(description[intersect(fields, names(description))], ","))
    text <- trimws(gsub("[[:space:]]+", " ", text))
    text <- text[nzchar(text)]
    name <- sub("[ (].*", "", text)
    version <- ifelse(grepl(">=", text), sub(".*>= *([^) ]+).*", "\\1", text), "0")
    base <- rownames(installed.packages(priority = "base"))
    keep <- !(name %in% c("R", base))
    data.frame(name = name[keep], version = version[keep])
  }
  usable <- function(name, version) {
    suppressWarnings(suppressMessages(requireNamespace(name, quietly = TRUE))) &&
      utils::packageVersion(name) >= version
  }
  extra <- function(name) data.frame(name = name, version = rep("0", length(name)))
  needed <- if (mode == "ci") extra(character()) else entries(c("Depends", "Imports", "LinkingTo"))
  optional <- switch(mode,
    run = extra("ggplot2"),
    check = rbind(entries("Suggests"), extra(c("roxygen2", "codetools"))),
    ci = extra(c("lintr", "covr", "pkgdown"))
  )
  report <- function(kind, packages) {
    for (i in seq_len(nrow(packages))) {
      if (!usable(packages$name[i], packages$version[i])) cat(kind, packages$name[i], "\n")
    }
  }
  report("needed", needed)
  report("optional", optional)
RCODE
}

names_of() { printf '%s\n' "$1" | awk '$2 != "" { print $2 }'; }

absent=$(missing_r)
# Debian's packages serve Debian's R only.
if [ -n "$absent" ] && [ $apt_usable = yes ] && [ "$(R RHOME 2>/dev/null)" = /usr/lib/R ]; then
  # shellcheck disable=SC2046
  apt_install $(names_of "$absent" | tr '[:upper:]' '[:lower:]' | sed 's/^/r-cran-/')
  absent=$(missing_r)
fi

if [ -n "$absent" ]; then
  # Packages from CRAN come as source, and many hold C++.
  [ $apt_usable = yes ] && ! have g++ && apt_install g++
  say "from CRAN:" $(names_of "$absent")
  # shellcheck disable=SC2046
  R --no-echo --no-save --args $(names_of "$absent") <<'RCODE'
  packages <- commandArgs(TRUE)
  library_path <- .libPaths()[file.access(.libPaths(), 2) == 0][1]
  if (is.na(library_path)) {
    library_path <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][1]
    library_path <- path.expand(library_path)
    dir.create(library_path, recursive = TRUE, showWarnings = FALSE)
  }
  if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
    utils::chooseCRANmirror(ind = 1)
  }
  options(Ncpus = 2L, timeout = 600)
  # One by one: what fails must not take the others with it.
  for (package in packages) {
    try(utils::install.packages(package, lib = library_path, quiet = TRUE))
  }
RCODE
  absent=$(missing_r)
fi

status=0
for name in $(printf '%s\n' "$absent" | awk '$1 == "optional" { print $2 }'); do
  say "$name could not be had; what uses it is left out"
done
for name in $(printf '%s\n' "$absent" | awk '$1 == "needed" { print $2 }'); do
  say "$name could not be had, and the package needs it" >&2
  status=1
done
exit $status
