#!/usr/bin/env bash
# The kernels as plain C: src/kg_*.c compiled without R's headers with every warning an
# error, then tools/ctest/test_*.c run on them under AddressSanitizer and
# UndefinedBehaviorSanitizer, with the loops in plain C (base) and with the widest vectors
# that the processor has (auto). Prints a line a run and ends with "N passed, N failed"; a
# compilation that fails counts as one failed.
#
#   tools/ctest/run.sh [NAME...]     only test_NAME.c
#   CC=clang tools/ctest/run.sh      with another compiler
set -u
cd "$(dirname "$0")" || exit 1

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
for compiler in "$cc" clang clang-14; do
  command -v "$compiler" >/dev/null 2>&1 || continue
  [ "$compiler" = "$cc" ] || can "$compiler" || continue
  for level in "-O0 $plain" "-O2 $plain" ${openmp:+"-O2 $openmp"}; do
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
  for loops in base auto; do
    [ $loops = base ] && ! grep -q reference.h "$test" && continue
    CTEST_LOOPS=$loops $limit "$program" >$build/out 2>$build/err
    code=$?
    line=$(tail -n 1 $build/out)
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
      passed=$((passed + BASH_REMATCH[1]))
      failed=$((failed + BASH_REMATCH[2]))
      printf '%-24s %-4s  %s\n' "$test" $loops "$line"
      if [ $code -ne 0 ]; then
        head -n 60 $build/err
        # A sanitizer speaks up at exit (a leak), after the last line.
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
