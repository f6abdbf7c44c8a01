#!/usr/bin/env bash
# Tests of the package under valgrind's memcheck: errors and leaks with a routine of ours on the
# stack. valgrind has AVX2 at most, and takes some fifty times as long: a process for each file of
# tests, the tests that CRAN runs too. Left out are those that measure time and memory or send signals.
#   tools/valgrind.sh [--only REGEX] [--processes 1] [--minutes 60] [--record yes]
#     --only: names of test files; --minutes: what a file may take. What a file had done when its
#     time ran out counts, and is reported.
set -u
cd "$(dirname "$0")/.." || exit 1
only=. processes=1 minutes=60 record=no
while [ $# -gt 0 ]; do
  case $1 in
    --only) only=$2 ;;
    --processes) processes=$2 ;;
    --minutes) minutes=$2 ;;
    --record) record=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
build=$PWD/.build/valgrind
rm -rf "$build"
mkdir -p "$build/lib"
printf 'CFLAGS = -g -O1\n' >"$build/Makevars"
R CMD build --no-build-vignettes . >"$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }
mv kgroups_*.tar.gz "$build/"
R_MAKEVARS_USER=$build/Makevars R CMD INSTALL --library="$build/lib" "$build"/kgroups_*.tar.gz \
  >"$build/install.log" 2>&1 || { cat "$build/install.log"; exit 1; }
cat >"$build/run.R" <<'RUN'
# a line for each test, so that what was done when a limit came is known
Lines <- R6::R6Class("Lines", inherit = testthat::Reporter, public = list(add_result = function(context, test, result) {
  kind <- sub("expectation_", "", class(result)[1L], fixed = TRUE)
  cat(kind, if (kind != "success") c(":", test, conditionMessage(result)), "\n", file = Sys.getenv("RESULTS"), append = TRUE)
}))
invisible(testthat::test_dir(
  "testthat", package = "kgroups", load_package = "installed", reporter = Lines$new(),
  filter = Sys.getenv("FILTER"), stop_on_failure = FALSE
))
RUN
export build minutes R_LIBS="$build/lib${R_LIBS:+:$R_LIBS}"

one() {
  export RESULTS=$build/$1.results FILTER="^$1\$"
  : >"$RESULTS"
  timeout "${minutes}m" R --vanilla --no-echo -d "valgrind --leak-check=full --show-leak-kinds=definite --num-callers=40 \
    --log-file=$build/memcheck.$1.%p" -f "$build/run.R" >"$build/$1.out" 2>&1
  code=$?
  state=
  [ $code -eq 124 ] && state=", its time ran out"
  [ $code -ne 0 ] && [ $code -ne 124 ] && state=", ended with code $code"
  echo "$1: $(grep -c '^success' "$RESULTS") passed, $(grep -cE '^(failure|error)' "$RESULTS") failed$state" | tee -a "$build/files.txt"
}
export -f one
cd tests || exit 1
find testthat -name 'test-*.R' | sed 's|.*/test-||; s|[.]R$||' | grep -vE '^(interrupt|large|memory)' | grep -E -- "$only" | sort |
  xargs -P "$processes" -I {} bash -c 'one {}'
cd ..

# Reports are parted by empty lines.
ours=$(cat "$build"/memcheck.* | sed 's/^==[0-9]*== \{0,1\}//' | awk '
  BEGIN { RS = "" } /(\((kg_|ffi|init)[a-z_0-9]*[.][ch]:[0-9]+\)|kgroups[.]so)/ && !/HEAP SUMMARY|Command:/ { print $0 "\n"; n++ }
  END { print n + 0 }')
printf '%s\n' "$ours" | sed '$d'
findings=$(printf '%s\n' "$ours" | tail -n 1)
grep -hE '^(failure|error)' "$build"/*.results
files=$(wc -l <"$build/files.txt")
passed=$(cat "$build"/*.results | grep -c '^success')
failed=$(cat "$build"/*.results | grep -cE '^(failure|error)')
cut=$(grep -c 'time ran out' "$build/files.txt")
result="$files files, $passed expectations passed, $failed failed; $findings findings with a routine of the package on the stack"
[ "$cut" -gt 0 ] && result="$result; the time of $cut files ran out"
echo "$result"
if [ "$record" = yes ]; then
  Rscript -e 'source("tools/trust/common.R"); a <- commandArgs(TRUE); record_row("tools/valgrind.sh", a[1L], a[2L])' \
    "$result" "$findings"
fi
[ "$findings" = 0 ]
