#!/usr/bin/env bash
# Compiles src/kg_*.c without R's headers, every warning an error, and runs tools/ctest/test_*.c under
# AddressSanitizer and UndefinedBehaviorSanitizer, with loops in plain C (base) and with the widest vectors
# of the processor (auto). Ends with "N passed, N failed"; a failed compilation counts as one failed.
#
#   tools/ctest/run.sh [NAME...]     only test_NAME.c
#   tools/ctest/run.sh --quick       one compiler at one level; both loops for tests under two seconds only
#   CC=clang tools/ctest/run.sh      with another compiler
set -u
cd "$(dirname "$0")" || exit 1

quick=no
[ "${1:-}" = "--quick" ] && quick=yes && shift
cc=${CC:-gcc}
src=../../src
build=build
rm -rf $build
mkdir -p $build

strict="-std=c99 -pedantic -Wall -Wextra -Werror"
sanitize="-g -O1 -DKG_CHECKS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
passed=0
failed=0

shopt -s nullglob
kernels=($src/kg_*.c)
tests=(test_*.c)
if [ $# -gt 0 ]; then
  tests=()
  for name in "$@"; do tests+=("test_$name.c"); done
fi

try() { # try LABEL COMMAND...: one passed or one failed
  local label=$1
  shift
  if "$@" >$build/log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $label"
    cat $build/log
    return 1
  fi
}

echo 'int main(void) { return 0; }' >$build/probe.c
can() { "$@" $build/probe.c -o $build/probe >/dev/null 2>&1 && $build/probe; }

# With OpenMP and without; a compiler without it may pass over its pragmas.
plain=-Wno-unknown-pragmas
openmp=
can "$cc" -fopenmp && openmp=-fopenmp
with_openmp=${openmp:-$plain}
compilers=("$cc" clang clang-14)
# The sanitized compilation below is strict as well.
[ $quick = yes ] && compilers=()
for compiler in ${compilers[@]+"${compilers[@]}"}; do
  command -v "$compiler" >/dev/null 2>&1 || continue
  [ "$compiler" = "$cc" ] || can "$compiler" || continue
  for level in "-O2 $plain" ${openmp:+"-O2 $openmp"}; do
    [ "$level" = "-O2 $openmp" ] && ! can "$compiler" "$openmp" && continue
    for kernel in "${kernels[@]}"; do
      # shellcheck disable=SC2086
      try "$compiler $level $kernel" "$compiler" $strict $level -c "$kernel" -o $build/strict.o
    done
  done
done

if ! can "$cc" $sanitize; then
  echo "$cc has no sanitizers here: the tests run without them"
  sanitize="-g -O1 -DKG_CHECKS"
fi

objects=()
for kernel in "${kernels[@]}"; do
  object=$build/$(basename "$kernel" .c).o
  # shellcheck disable=SC2086
  try "sanitized $kernel" "$cc" $strict $sanitize $with_openmp -c "$kernel" -o "$object" && objects+=("$object")
done

# A kernel that never ends is a failure, not a wait.
limit=
command -v timeout >/dev/null 2>&1 && limit="timeout 300"

[ "$(uname)" = Linux ] && export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
for test in "${tests[@]}"; do
  program=$build/$(basename "$test" .c)
  # shellcheck disable=SC2086
  try "compile $test" "$cc" $strict $sanitize $with_openmp -I$src "$test" "${objects[@]}" -o "$program" -lm || continue
  for loops in auto base; do
    if [ $loops = base ]; then
      grep -q reference.h "$test" || continue
      [ $quick = yes ] && [ $((SECONDS - begun)) -ge 2 ] && continue
    fi
    begun=$SECONDS
    CTEST_LOOPS=$loops $limit "$program" >$build/out 2>$build/err
    code=$?
    line=$(tail -n 1 $build/out)
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
      passed=$((passed + BASH_REMATCH[1]))
      failed=$((failed + BASH_REMATCH[2]))
      printf '%-24s %-4s  %s\n' "$test" $loops "$line"
      if [ $code -ne 0 ]; then
        head -n 60 $build/err
        # A sanitizer reports at exit (a leak), after the last line.
        [ "${BASH_REMATCH[2]}" -gt 0 ] || failed=$((failed + 1))
      fi
    else
      failed=$((failed + 1))
      echo "$test ($loops) ended early (exit code $code)"
      head -n 60 $build/err
    fi
  done
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
