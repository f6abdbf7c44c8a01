#!/usr/bin/env bash
# Tests of the package under valgrind's memcheck: errors and leaks with a routine of ours on the
# stack. valgrind knows AVX2 at most, and takes some fifty times as long, so the tests are those
# that CRAN runs too, without the ones that start processes or measure time.
#   tools/valgrind.sh [FILTER]     FILTER: a regular expression for the names of test files
set -u
cd "$(dirname "$0")/.." || exit 1
filter=${1:-"^(?!chunks|fuzz|interrupt|large|plot|memory|console|select|stability|interop)"}
build=$PWD/.build/valgrind
rm -rf "$build"
mkdir -p "$build/lib"
printf 'CFLAGS = -g -O1\n' >"$build/Makevars"
R CMD build --no-build-vignettes . >"$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }
mv kgroups_*.tar.gz "$build/"
R_MAKEVARS_USER=$build/Makevars R CMD INSTALL --library="$build/lib" "$build"/kgroups_*.tar.gz \
  >"$build/install.log" 2>&1 || { cat "$build/install.log"; exit 1; }
cat >"$build/run.R" <<'RUN'
found <- as.data.frame(testthat::test_dir(
  "testthat", package = "kgroups", load_package = "installed", reporter = "summary",
  filter = Sys.getenv("FILTER"), perl = TRUE, stop_on_failure = FALSE
))
cat(sprintf("\n%d failed, %d errors, %d skipped, %d passed\n", sum(found$failed), sum(found$error),
  sum(found$skipped), sum(found$passed)))
RUN
export R_LIBS="$build/lib${R_LIBS:+:$R_LIBS}"
cd tests || exit 1
FILTER=$filter R --vanilla --no-echo -d "valgrind --leak-check=full --show-leak-kinds=definite --num-callers=40 --log-file=$build/memcheck.%p" \
  -f "$build/run.R"
# Reports are parted by empty lines.
ours=$(sed 's/^==[0-9]*== \{0,1\}//' "$build"/memcheck.* | awk '
  BEGIN { RS = "" } /(\((kg_|ffi|init)[a-z_0-9]*[.][ch]:[0-9]+\)|kgroups[.]so)/ && !/HEAP SUMMARY|Command:/ { print $0 "\n"; n++ }
  END { print n + 0 }')
printf '%s\n' "$ours" | sed '$d'
echo "$(printf '%s\n' "$ours" | tail -n 1) findings of valgrind with a routine of the package on the stack"
[ "$(printf '%s\n' "$ours" | tail -n 1)" = 0 ]
