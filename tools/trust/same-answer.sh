#!/usr/bin/env bash
# The calls of same-answer.R on threads 1, 2, 4; on every instruction set; in builds by gcc and
# clang; on the reference BLAS and OpenBLAS; on other versions of R. Compares all with the first:
# labels equal, values within 1e-10 relative. What is not here is skipped; a message reports it. Ends
# with status 1 if one differs.
#   tools/trust/same-answer.sh [--table FILE]... [folder of libblas.so.3 and liblapack.so.3 of OpenBLAS]
# Other versions of R, two ways:
#   RSCRIPTS="R-4.6=/opt/R/4.6/bin/Rscript ..." tools/trust/same-answer.sh
#     builds the package with the R beside that Rscript, which finds what the package imports in
#     its own library (R_LIBS is not passed on), and runs the calls there.
#   tools/trust/same-answer.sh --table R-4.6.tsv
#     takes a table made in another place, of the same sources and with the package installed there:
#     Rscript tools/trust/same-answer.R --out R-4.6.tsv
set -u
here=$PWD
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
openblas=/usr/lib/x86_64-linux-gnu/openblas-pthread
tables=()
while [ $# -gt 0 ]; do
  case $1 in
    --table) tables+=("${2:?--table needs a file}"); shift 2 ;;
    *) openblas=$1; shift ;;
  esac
done
rscript=Rscript
mkdir "$work/gcc" "$work/clang" "$work/source"

build() { # compiler, library, flag of OpenMP: by the R beside $rscript
  local r=R
  [ "$rscript" = Rscript ] || r=$(dirname "$rscript")/R
  rm -rf "$work/source/kgroups"
  mkdir "$work/source/kgroups"
  cp -r DESCRIPTION NAMESPACE R src inst "$work/source/kgroups/"
  rm -f "$work"/source/kgroups/src/*.o "$work"/source/kgroups/src/*.so
  printf 'CC=%s\nSHLIB_OPENMP_CFLAGS=%s\n' "$1" "$3" >"$work/Makevars"
  R_MAKEVARS_USER="$work/Makevars" "$r" CMD INSTALL --no-docs --library="$work/$2" "$work/source/kgroups" >"$work/$2.log" 2>&1
}
run() { # name, library, arguments
  local name=$1 library=$2
  shift 2
  R_LIBS="$work/$library:${R_LIBS:-}" OPENBLAS_NUM_THREADS=1 "$rscript" tools/trust/same-answer.R "$@" --out "$work/$name.tsv" \
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
  # preloaded: Debian's R puts the folder of the system's BLAS before LD_LIBRARY_PATH
  LD_PRELOAD="$openblas/libblas.so.3:$openblas/liblapack.so.3" run "6_OpenBLAS" gcc
else
  echo "left out: OpenBLAS"
fi
for one in ${RSCRIPTS:-}; do
  name=${one%%=*}
  rscript=${one#*=}
  mkdir "$work/$name"
  # `run` on a subshell's own R_LIBS
  if (unset R_LIBS && build gcc "$name" -fopenmp); then
    (unset R_LIBS && run "7_$name" "$name")
  else
    echo "left out: $name: $(tail -n 1 "$work/$name.log")"
  fi
done
for table in ${tables[@]+"${tables[@]}"}; do
  case $table in /*) ;; *) table=$here/$table ;; esac
  cp "$table" "$work/8_$(basename "$table" .tsv | tr ' ' '_').tsv" || exit 1
done
Rscript tools/trust/same-answer.R --compare "$work"
