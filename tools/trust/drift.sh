#!/usr/bin/env bash
# Drift of the sums over a million moves against their definitions in long double (drift.c).
#   tools/trust/drift.sh [moves]
set -eu
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=c99 -O2 -Wall -Wextra -Werror -pedantic -I../../src -I../ctest drift.c ../../src/kg_*.c -lm -o "$work/drift"
"$work/drift" "$@"
