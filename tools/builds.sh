#!/usr/bin/env bash
# Tests on other builds, for a release; each ends with code 1 at a finding.
#   tools/builds.sh sanitize [FILTER]      all tests on a build under ASan and UBSan
#   tools/builds.sh valgrind [OPTIONS]     tests under memcheck
#   tools/builds.sh minimum                R CMD check with the fewest of Suggests
#   tools/builds.sh portable [COMPILER...] kernels for Windows, ARM and 32 bits
#   tools/builds.sh native                the same answers with all instructions of this processor
#   tools/builds.sh avx512 [NAME...]      the C tests with AVX-512 emulated, on any processor
#   tools/builds.sh sets [FILTER]         the tests of the installed package on each instruction set of the processor
#   tools/builds.sh drift [MOVES]          sums over a million moves against long double
set -u
cd "$(dirname "$0")/.." || exit 1

# The tests of the package on a build under AddressSanitizer and UndefinedBehaviorSanitizer:
# shims and kernels as R calls them, with the vectors of this processor. (The kernels alone, and
# their leaks: tools/ctest/run.sh.) Stops at the first finding of a process.
#   tools/builds.sh sanitize [FILTER]     FILTER: a regular expression for the names of test files
# Ends with the summary of testthat; code 1 for a finding or a test that fails.
sanitize() (
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
)

# Tests of the package under valgrind's memcheck: errors and leaks with a routine of ours on the
# stack. valgrind has AVX2 at most, and takes some fifty times as long: a process for each file of
# tests, the tests that CRAN runs too. Left out are those that measure time and memory or send signals.
#   tools/builds.sh valgrind [--only REGEX] [--processes 1] [--minutes 60] [--record yes]
#     --only: names of test files; --minutes: what a file may take. What a file had done when its
#     time ran out counts, and is reported.
valgrind() (
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
  Rscript -e 'source("tools/trust/common.R"); a <- commandArgs(TRUE); record_row("tools/builds.sh valgrind", a[1L], a[2L])' \
    "$result" "$findings"
fi
[ "$findings" = 0 ]
)

# R CMD check where only testthat, knitr and rmarkdown of the Suggests are there. The
# library is a folder of links to these, to the packages of Imports and to all that
# they need; the recommended packages that are not among them are hidden too.
#   tools/builds.sh minimum             ends with R's status; an ERROR or WARNING fails it
minimum() (
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
)

# The sources on other platforms, as far as this machine can show: kernels compiled without OpenMP by
# clang and by the cross-compilers for Windows, ARM and 32-bit processors that are installed,
# every warning an error. The tests of tools/ctest run on ARM where qemu can be had. On Windows the
# stack is aligned to 16 bytes only, so vectors on it must not be moved by instructions that
# ask for more: the assembler is searched for them.
#   tools/builds.sh portable [COMPILER...]
# From Debian: clang gcc-mingw-w64-x86-64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross
# qemu-user gcc-i686-linux-gnu libc6-dev-i386-cross. Ends with "N passed, N failed"; what is not installed is skipped; a message reports it.
portable() (
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict="-std=c99 -pedantic -Wall -Wextra -Werror -O2 -Isrc"
passed=0
failed=0
count() { # count LABEL COMMAND...
  local label=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $label"
    head -n 20 "$work/log"
  fi
}
unaligned() { # no aligned move between a wide register and memory
  ! grep -E 'vmov(ap[sd]|dqa|ntp[sd]|ntdq)[0-9a-z]*[[:space:]]' "$1" | grep -E '%[yz]mm' | grep '('
}

compilers=("$@")
[ $# -gt 0 ] || compilers=(clang clang-14 x86_64-w64-mingw32-gcc aarch64-linux-gnu-gcc i686-linux-gnu-gcc)
for compiler in "${compilers[@]}"; do
  if ! command -v $compiler >/dev/null 2>&1; then
    echo "$compiler is not installed: left out"
    continue
  fi
  before=$passed
  for kernel in src/kg_*.c; do
    # shellcheck disable=SC2086
    count "$compiler $kernel" $compiler $strict -c "$kernel" -o "$work/$(basename "$kernel" .c).o"
    if [ $compiler = x86_64-w64-mingw32-gcc ]; then
      # shellcheck disable=SC2086
      $compiler $strict -S "$kernel" -o "$work/asm.s" && count "stack alignment of $kernel" unaligned "$work/asm.s"
    fi
  done
  # the shims with the headers of the R that is here (whose table of routines is a cast); where R's own library for Windows is not, a
  # library cannot be linked
  if [ $compiler = x86_64-w64-mingw32-gcc ] && command -v R >/dev/null 2>&1; then
    headers=$(R --no-echo --vanilla -e 'cat(R.home("include"))')
    for shim in src/ffi_*.c src/init.c; do
      # shellcheck disable=SC2086
      count "$compiler $shim" $compiler -std=gnu99 -Wall -Wextra -Wno-cast-function-type -Werror -O2 -fopenmp -Isrc -isystem "$headers" -c "$shim" \
        -o "$work/$(basename "$shim" .c).o"
    done
  fi
  if [ $compiler = aarch64-linux-gnu-gcc ] && command -v qemu-aarch64 >/dev/null 2>&1; then
    for test in tools/ctest/test_*.c; do
      program=$work/$(basename "$test" .c)
      # shellcheck disable=SC2086
      count "ARM: compile $test" $compiler $strict -static "$test" "$work"/kg_*.o -o "$program" -lm
      count "ARM: $test" qemu-aarch64 "$program"
    done
  fi
  echo "$compiler: $((passed - before)) passed"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
)

# Drift of the sums over a million moves against their definitions in long double (tools/trust/drift.c).
drift() (
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  ${CC:-cc} -std=c99 -O2 -Wall -Wextra -Werror -pedantic -Isrc -Itools/ctest tools/trust/drift.c src/kg_*.c -lm \
    -o "$work/drift" && "$work/drift" "$@"
)

# Built for this processor alone, where the compiler may fuse products with sums: the loops with
# the same bits have no fused product, and forms, threads and instruction sets agree.
#   tools/builds.sh native [CALLS]
native() (
build=$PWD/.build/native
rm -rf "$build"
mkdir -p "$build/lib"
fused=0
for set in base avx2 avx512; do
  ${CC:-gcc} -std=gnu99 -O2 -march=native -Isrc -c "src/kg_loops_$set.c" -o "$build/$set.o" || exit 1
  fused=$((fused + $(objdump -d --no-show-raw-insn "$build/$set.o" |
    awk '/^[0-9a-f]+ <(two_nearest|scan_means)_/ { p = 1 } /^$/ { p = 0 } p' | grep -c 'vfn*m')))
done
echo "$fused fused products in loops that promise the same bits"
printf 'CFLAGS = -O2 -march=native\n' >"$build/Makevars"
R CMD build --no-build-vignettes . >"$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }
mv kgroups_*.tar.gz "$build/"
R_MAKEVARS_USER=$build/Makevars R CMD INSTALL --no-test-load --library="$build/lib" "$build"/kgroups_*.tar.gz \
  >"$build/install.log" 2>&1 || { cat "$build/install.log"; exit 1; }
R_LIBS="$build/lib${R_LIBS:+:$R_LIBS}" Rscript tools/trust/agree.R --calls "${1:-100}" && [ $fused -eq 0 ]
)

# The tests of the installed package, once on each instruction set that the processor has.
#   tools/builds.sh sets [FILTER]         only files whose name matches
sets() (
for set in base avx2 avx512; do
  Rscript - "$set" "$@" <<'R' || exit 1
args <- commandArgs(TRUE)
options(kgroups.simd = args[1L])
loadNamespace("kgroups")
if (inherits(try(kgroups::kgroups(c(1, 2, 9), 2, init = "random"), silent = TRUE), "try-error")) quit(status = 0)
message("instruction set ", args[1L])
testthat::test_local(load_package = "installed", filter = if (length(args) > 1L) args[2L], reporter = "summary")
R
done
)

# The loops for AVX-512 on a processor without it: its intrinsics in plain C (tools/ctest/avx512), lane by lane. The C
# tests run under the sanitizers with these loops as the widest of the processor, and compare them with the others.
#   tools/builds.sh avx512 [NAME...]      only test_NAME.c
avx512() (
build=$PWD/.build/avx512
mkdir -p "$build"
cat >"$build/cc" <<CC
#!/bin/sh
exec gcc -isystem "$PWD/tools/ctest/avx512" '-D__builtin_cpu_supports(of)=1' -Wno-psabi "\$@"
CC
chmod +x "$build/cc"
CC=$build/cc tools/ctest/run.sh --quick "$@"
)

case ${1:-} in
  sanitize | native | avx512 | sets | valgrind | minimum | portable | drift) "$@" ;;
  *) sed -n '2,10s/^# //p' "$0"; exit 2 ;;
esac
