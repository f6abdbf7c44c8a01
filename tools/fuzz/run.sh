#!/usr/bin/env bash
# The kernels under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer: every
# HARNESS(NAME) from its corpus on. Stops with code 1 at the first finding and
# leaves its input in build/. Ends with the number of executions.
#
#   tools/fuzz/run.sh [--seconds N | --runs N] [NAME...]     default: 3 seconds each
#     With --runs the inputs are the same ones whenever it runs: what passes here passes there.
#   tools/fuzz/run.sh --minimise [NAME...]   corpus/ again from what the runs have kept
#
# The inputs that the harnesses start from are one archive, corpus.tar.gz, a folder for each.
set -u
cd "$(dirname "$0")" || exit 1

limit=-max_total_time=3
minimise=no
case ${1:-} in
  --seconds) limit=-max_total_time=$2; shift 2 ;;
  --runs) limit="-runs=$2 -seed=1 -use_cmp=0"; shift 2 ;;
  --minimise) minimise=yes; shift ;;
esac

cc=
for compiler in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
  mkdir -p build
  echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n == 0 ? 0 : 0; }' >build/probe.c
  if command -v $compiler >/dev/null 2>&1 &&
    $compiler -fsanitize=fuzzer,address,undefined build/probe.c -o build/probe >/dev/null 2>&1; then
    cc=$compiler
    break
  fi
done
if [ -z "$cc" ]; then
  echo "skipped: no clang with libFuzzer here"
  exit 0
fi

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  mapfile -t names < <(sed -n 's/^HARNESS(\(.*\)) {$/\1/p' fuzz_*.c)
fi

# Comparisons are not traced: loops over doubles have nothing that the fuzzer could copy from
# them, and tracing took two thirds of the time.
cover=-fno-sanitize-coverage=trace-cmp
flags="-std=gnu99 -g -O2 -DKG_CHECKS -Wall -Wextra -Werror -Wno-unknown-pragmas -fno-omit-frame-pointer"
sanitize="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"
objects=()
for kernel in ../../src/kg_*.c; do
  object=build/$(basename "$kernel" .c).o
  # shellcheck disable=SC2086
  $cc $flags $sanitize -fsanitize=fuzzer-no-link $cover -c "$kernel" -o "$object" || exit 1
  objects+=("$object")
done

rm -rf build/corpus
mkdir -p build/corpus
tar -xzf corpus.tar.gz -C build/corpus || exit 1
export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=4
total=0
for name in "${names[@]}"; do
  program=build/fuzz_$name
  # shellcheck disable=SC2086
  $cc $flags $sanitize -fsanitize=fuzzer $cover -DFUZZ="fuzz_$name" -I../../src "$(grep -l "^HARNESS($name)" fuzz_*.c)" "${objects[@]}" -o "$program" -lm || exit 1
  [[ $limit == -runs* ]] && rm -rf "build/kept/$name"
  mkdir -p "build/kept/$name" "build/corpus/$name"
  if [ $minimise = yes ]; then
    rm -rf "build/least/$name"
    mkdir -p "build/least/$name"
    "$program" -merge=1 -max_len=512 "build/least/$name" "build/kept/$name" "build/corpus/$name" >/dev/null 2>&1 || exit 1
    # of all that reaches something new sixty of every length: CI needs no more than a start
    rm -f "build/corpus/$name"/*
    (cd "build/least/$name" && find . -type f -printf '%s %p\n' | sort -n |
      awk '{ path[NR] = $2 } END { m = NR < 60 ? NR : 60; for (i = 0; i < m; i++) print path[int((i + 0.5) * NR / m) + 1] }' |
      xargs -r cp -t "../../corpus/$name")
    echo "$name: $(find "build/corpus/$name" -type f | wc -l) inputs"
    continue
  fi
  find "build/corpus/$name" -type f | LC_ALL=C sort | paste -sd, >"build/$name.inputs"
  # shellcheck disable=SC2086
  "$program" $limit -max_len=512 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="build/$name-" \
    -seed_inputs="@build/$name.inputs" "build/kept/$name" >"build/$name.log" 2>&1
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/$name.log")
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "build/$name.log")
  total=$((total + ${runs:-0}))
  printf '%-12s %10s executions, %s a second\n' "$name" "${runs:-?}" "${rate:-?}"
  if [ $code -ne 0 ]; then
    tail -n 60 "build/$name.log"
    echo "finding in $name; its input: tools/fuzz/build/$name-*"
    exit 1
  fi
done
if [ $minimise = yes ]; then
  # the same inputs give the same archive, whenever and by whom it is made
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C build/corpus -cf - . | gzip -9n >corpus.tar.gz
else
  echo "$total executions, no finding"
fi
