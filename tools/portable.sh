#!/usr/bin/env bash
# The sources on other platforms, as far as this machine can show: kernels compiled without OpenMP by
# clang and by the cross-compilers for Windows, ARM and 32-bit processors that are installed,
# every warning an error. The tests of tools/ctest run on ARM where qemu can be had. On Windows the
# stack is aligned to 16 bytes only, so vectors on it must not be moved by instructions that
# ask for more: the assembler is searched for them.
#   tools/portable.sh [COMPILER...]
# From Debian: clang gcc-mingw-w64-x86-64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross
# qemu-user gcc-i686-linux-gnu libc6-dev-i386-cross. Ends with "N passed, N failed"; what is not installed is skipped; a message reports it.
set -u
cd "$(dirname "$0")/.." || exit 1
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
