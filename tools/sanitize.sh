#!/usr/bin/env bash
# The tests of the package on a build under AddressSanitizer and UndefinedBehaviorSanitizer:
# shims and kernels as R calls them, with the vectors of this processor. (The kernels alone, and
# their leaks: tools/ctest/run.sh.) Stops at the first finding of a process.
#   tools/sanitize.sh [FILTER]     FILTER: a regular expression for the names of test files
# Ends with the summary of testthat; code 1 for a finding or a test that fails.
set -u
cd "$(dirname "$0")/.." || exit 1
filter=${1:-}
build=$PWD/.build/sanitize
rm -rf "$build"
mkdir -p "$build/lib" "$build/log"

cat >"$build/Makevars" <<'MAKEVARS'
CC = gcc -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS = -g -O1
MAKEVARS
# From a tarball, so that no object file of another build is used or left.
R CMD build --no-build-vignettes . >"$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }
mv kgroups_*.tar.gz "$build/"
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
# R frees nothing at its end, which would all be leaks; tests ask for more memory than there is. Use of the
# stack after return is not searched for: gcc (before 14) aligns its frames to 32 bytes, AVX-512 requires for 64.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:strict_string_checks=1:log_path=$build/log/asan
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$build/log/ubsan
R_MAKEVARS_USER=$build/Makevars R CMD INSTALL --no-test-load --library="$build/lib" "$build"/kgroups_*.tar.gz \
  >"$build/install.log" 2>&1 || { cat "$build/install.log"; exit 1; }

export R_LIBS="$build/lib${R_LIBS:+:$R_LIBS}"
cd tests || exit 1
# UBSan writes its findings where errors go.
LD_PRELOAD=$preload NOT_CRAN=true FILTER=$filter Rscript -e '
  filter <- Sys.getenv("FILTER")
  found <- as.data.frame(testthat::test_dir(
    "testthat", package = "kgroups", load_package = "installed", reporter = "summary",
    filter = if (nzchar(filter)) filter, stop_on_failure = FALSE
  ))
  cat(sprintf("\n%d failed, %d errors, %d skipped, %d passed\n", sum(found$failed), sum(found$error),
    sum(found$skipped), sum(found$passed)))
  quit(status = any(found$failed > 0 | found$error))
' 2>"$build/stderr"
status=$?
cat "$build/stderr" >&2
findings=$(($(find "$build/log" -type f | wc -l) + $(grep -c "runtime error:" "$build/stderr")))
head -n 60 "$build"/log/* 2>/dev/null
echo "$findings findings of the sanitizers"
[ $status -eq 0 ] && [ "$findings" -eq 0 ]
