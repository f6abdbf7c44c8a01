#!/usr/bin/env bash
# The calls of same-answer.R on threads 1, 2, 4; on every instruction set; in builds by gcc and
# clang; on the reference BLAS and OpenBLAS. Compares all with the first: labels equal, values within
# 1e-10 relative. What is not here is left out, and that is said. Ends with status 1 if one differs.
#   tools/trust/same-answer.sh [library of libblas.so.3 of OpenBLAS]
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
openblas=${1:-/usr/lib/x86_64-linux-gnu/openblas-pthread}
mkdir "$work/gcc" "$work/clang" "$work/source"

build() { # compiler, library, flag of OpenMP
  rm -rf "$work/source/kgroups"
  mkdir "$work/source/kgroups"
  cp -r DESCRIPTION NAMESPACE R src inst "$work/source/kgroups/"
  rm -f "$work"/source/kgroups/src/*.o "$work"/source/kgroups/src/*.so
  printf 'CC=%s\nSHLIB_OPENMP_CFLAGS=%s\n' "$1" "$3" >"$work/Makevars"
  R_MAKEVARS_USER="$work/Makevars" R CMD INSTALL --no-docs --library="$work/$2" "$work/source/kgroups" >"$work/$2.log" 2>&1
}
run() { # name, library, arguments
  local name=$1 library=$2
  shift 2
  R_LIBS="$work/$library:${R_LIBS:-}" OPENBLAS_NUM_THREADS=1 Rscript tools/trust/same-answer.R "$@" --out "$work/$name.tsv" \
    >"$work/$name.log" 2>&1 || { echo "left out: $name: $(grep -m1 -A1 Error "$work/$name.log" | tr '\n' ' ')"; rm -f "$work/$name.tsv"; }
}

build gcc gcc -fopenmp || { cat "$work/gcc.log"; exit 1; }
run "1_gcc,_1_thread" gcc --threads 1
run "2_2_threads" gcc --threads 2
run "3_4_threads" gcc --threads 4
for simd in avx512 avx2 base; do run "4_$simd" gcc --simd $simd; done
clang=$(command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | grep -E 'clang-[0-9]+$' | head -n 1)
if [ -n "$clang" ] && { build "$clang" clang -fopenmp || build "$clang" clang ""; }; then
  run "5_clang" clang
else
  echo "left out: clang"
fi
if [ -f "$openblas/libblas.so.3" ]; then
  LD_LIBRARY_PATH="$openblas" run "6_OpenBLAS" gcc
else
  echo "left out: OpenBLAS"
fi
Rscript tools/trust/compare-answers.R "$work"
