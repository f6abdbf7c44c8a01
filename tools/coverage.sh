#!/usr/bin/env bash
# How much of the code the tests run, in percent of its lines; code 1 below the floor of 97.
#   kernels: src/kg_*.c and their headers, by gcov while tools/ctest runs, loops in plain C and
#            the widest vectors of this processor
#   package: R/ and the shims src/ffi*.c, by covr while testthat runs
#
#   tools/coverage.sh [kernels | package] [--list]     --list: the lines that are not run
set -u
cd "$(dirname "$0")/.." || exit 1

floor=97
which=both
list=no
for argument in "$@"; do
  case $argument in
    kernels | package) which=$argument ;;
    --list) list=yes ;;
    *) echo "usage: $0 [kernels | package] [--list]" >&2; exit 2 ;;
  esac
done
status=0
verdict() { # verdict NAME PERCENT
  if awk "BEGIN { exit !($2 >= $floor) }"; then
    echo "$1: $2 % of the lines"
  else
    echo "$1: $2 % of the lines, below the floor of $floor %"
    status=1
  fi
}

kernels() {
  local build=$PWD/.build/coverage loops name
  rm -rf "$build"
  mkdir -p "$build"
  (
    cd "$build" || exit 1
    echo 'int main(void) { return 0; }' >probe.c
    openmp=-Wno-unknown-pragmas
    gcc -fopenmp probe.c -o probe 2>/dev/null && openmp=-fopenmp
    for kernel in ../../src/kg_*.c; do
      gcc -std=c99 -O0 -DKG_CHECKS --coverage $openmp -c "$kernel" || exit 1
    done
    for test in ../../tools/ctest/test_*.c; do
      name=$(basename "$test" .c)
      gcc -std=c99 -O0 -DKG_CHECKS $openmp -I../../src "$test" kg_*.o --coverage -o "$name" -lm || exit 1
      for loops in base auto; do
        CTEST_LOOPS=$loops timeout 600 "./$name" >"$name.log" 2>&1 || { cat "$name.log"; exit 1; }
      done
    done
    gcov -l -p kg_*.o >gcov.log 2>&1
  ) || { echo "kernels: a test failed or did not compile"; status=1; return; }
  # A line of a header that is compiled for each instruction set counts once.
  awk -F: '
    $2 + 0 == 0 && $3 == "Source" { file = $4; sub(".*/", "", file); next }
    file !~ /^kg/ { next }
    { count = $1; gsub(/[ *]/, "", count) }
    count == "-" { next }
    $2 + 0 == 0 { next }
    { key = file ":" ($2 + 0); seen[key] = 1; if (count !~ /^[#=]/ && count + 0 > 0) run[key] = 1 }
    END { for (key in seen) print (key in run ? "run" : "not"), key }
  ' "$build"/*.gcov >"$build/lines"
  [ $list = yes ] && grep '^not' "$build/lines" | cut -d' ' -f2 | sort -t: -k1,1 -k2,2n
  verdict kernels "$(awk '{ n[$1]++ } END { printf "%.2f", 100 * n["run"] / (n["run"] + n["not"]) }' "$build/lines")"
}

package() {
  local out=.build/covr.log
  mkdir -p .build
  if ! Rscript -e 'q(status = !requireNamespace("covr", quietly = TRUE))' >/dev/null 2>&1; then
    echo "package: skipped, covr is not installed"
    return
  fi
  # All tests run; the check reports those that fail.
  NOT_CRAN=true LIST=$list Rscript -e '
    code <- sprintf(
      "testthat::test_dir(%s, package = \"kgroups\", load_package = \"installed\", reporter = \"check\", stop_on_failure = FALSE)",
      deparse(normalizePath("tests/testthat"))
    )
    found <- covr::package_coverage(".", type = "none", code = code, quiet = TRUE)
    files <- covr::display_name(found)
    found <- found[grepl("^R/|^src/ffi", files)]
    if (Sys.getenv("LIST") == "yes") {
      lines <- covr::tally_coverage(found)
      missed <- lines[lines$value == 0, ]
      cat(sprintf("not run: %s:%d\n", missed$filename, missed$line), sep = "")
    }
    cat(sprintf("percent %.2f\n", covr::percent_coverage(found)))
  ' >"$out" 2>&1 || { tail -n 40 "$out"; echo "package: covr failed"; status=1; return; }
  [ $list = yes ] && sed -n 's/^not run: //p' "$out"
  verdict package "$(sed -n 's/^percent //p' "$out")"
}

[ $which = package ] || kernels
[ $which = kernels ] || package
exit $status
