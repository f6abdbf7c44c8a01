#!/usr/bin/env bash
# The check of the package (make check), in two lanes for two cores.
#   1. installs what is missing (tools/install-deps.sh)
#   2. C kernels without R, under sanitizers (tools/ctest/run.sh), then 4, beside the rest
#   3. R CMD build and R CMD check --as-cran with all tests, without the vignettes; any ERROR, WARNING or
#      NOTE fails it, except the note on a new submission
#   4. roxygen2 changes nothing in man/ and NAMESPACE
# With --ci also: linters (tools/lint.sh), degenerate inputs (tools/trust/degenerate.R), fuzzed kernels (tools/fuzz/run.sh), site
# with all vignettes (tools/site.sh), 97 % of the lines of the kernels covered (tools/coverage.sh). Of these the fuzz, the site and
# the coverage are skipped if .ci/checked has their checksums (tools/unchanged.sh), those of a run that passed. A run leaves its
# checksums in .build/checked, and `make record` copies them. With --all nothing is skipped, and the tests have all their repeats.
# The last line is "N passed, N failed": expectations of testthat and checks of the kernels; any other step
# that fails counts as one failed.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
build=$root/.build
mkdir -p "$build/lib"

ci=no
all=no
for argument in "$@"; do
  case $argument in
    --ci) ci=yes ;;
    --all) all=yes ;;
    *) echo "usage: $0 [--ci [--all]]" >&2; exit 2 ;;
  esac
done

passed=0
failed=0
skipped=0
problems=()
problem() {
  problems+=("$1")
  printf 'FAILED: %s\n' "$1"
}
step() { printf '\n== %s (%d s)\n' "$1" $SECONDS; }
# begin NAME COMMAND... runs in the background; end NAME waits, prints its log and returns its code.
declare -A running
trap 'kill $(jobs -p) 2>/dev/null' EXIT
begin() {
  local name=$1
  shift
  ("$@" >"$build/$name.log" 2>&1) &
  running[$name]=$!
}
end() {
  wait "${running[$1]}"
  local code=$?
  cat "$build/$1.log"
  return $code
}
finish() {
  echo
  local p
  for p in ${problems[@]+"${problems[@]}"}; do echo "failed: $p"; done
  failed=$((failed + ${#problems[@]}))
  if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
  else
    echo "$passed passed, $failed failed"
  fi
  [ $failed -eq 0 ]
  exit
}

# Results and messages do not depend on the user's settings.
export LC_ALL=C.UTF-8 TZ=UTC

step "dependencies"
if ! tools/install-deps.sh check; then
  problem "a package that kgroups needs could not be installed"
  finish
fi
export R_LIBS="$build/lib${R_LIBS:+:$R_LIBS}"

# roxygen2 works on a copy, with the package as the check installed it.
document() {
  until [ -e "$build/kgroups.Rcheck/kgroups/Meta/package.rds" ] || [ -e "$build/check.done" ]; do sleep 1; done
  rm -rf "$build/roxygen"
  mkdir -p "$build/roxygen/kgroups"
  cp -r DESCRIPTION NAMESPACE R man inst tests "$build/roxygen/kgroups/"
  cd "$build/roxygen/kgroups" && R_LIBS="$build/kgroups.Rcheck:${R_LIBS:-}" Rscript -e '
    note <- read.dcf("DESCRIPTION", "RoxygenNote")[1]
    if (!requireNamespace("roxygen2", quietly = TRUE)) {
      cat("skipped: roxygen2 is not installed\n")
    } else if (packageVersion("roxygen2") != note) {
      cat("skipped: roxygen2", format(packageVersion("roxygen2")), "is here, the tree is by", note, "\n")
    } else {
      roxygen2::roxygenise(load_code = "installed")
      cat("roxygen2 ran\n")
    }'
}

if [ $ci = yes ]; then
  tools/install-deps.sh ci
  [ $all = yes ] && export KGROUPS_TESTS=all # the repeats that a check leaves out
  rm -rf "$build/checked" "$build/taken"
  # unless_unchanged STEP COMMAND... runs a step, and leaves the checksum if it passes.
  unless_unchanged() {
    local line
    if [ $all = no ] && tools/unchanged.sh check "$@"; then
      tools/unchanged.sh print "$@" >>"$build/checked"
      echo "skipped: the sources are those of .ci/checked"
      return
    fi
    line=$(tools/unchanged.sh print "$@")
    "${@:2}" >"$build/$1.out" 2>&1
    local code=$?
    cat "$build/$1.out"
    # a tool that is not here has checked nothing
    [ $code = 0 ] && ! grep -qE '^(skipped|site: left out)' "$build/$1.out" && echo "$line" >>"$build/checked"
    return $code
  }
  run_step() {
    case $1 in
      lint) tools/lint.sh ;;
      degenerate) Rscript tools/trust/degenerate.R --short yes ;;
      fuzz) unless_unchanged fuzz tools/fuzz/run.sh --runs 4000 ;;
      kernels) unless_unchanged kernels tools/coverage.sh kernels ;;
      site) unless_unchanged site tools/site.sh --quick ;;
    esac
  }
  # Each of the steps NAME... that the other lane has not begun.
  run_steps() {
    local name
    mkdir -p "$build/taken"
    for name in "$@"; do
      mkdir "$build/taken/$name" 2>/dev/null || continue
      R_LIBS="$build/kgroups.Rcheck:${R_LIBS:-}" run_step "$name" >"$build/$name.log" 2>&1 || touch "$build/$name.failed"
    done
  }
  steps=(site lint degenerate fuzz kernels)
  second_lane() {
    tools/ctest/run.sh >"$build/ctest.log" 2>&1
    (document) >"$build/roxygen.log" 2>&1
    run_steps "${steps[@]}"
  }
else
  second_lane() {
    tools/ctest/run.sh --quick >"$build/ctest.log" 2>&1
    (document) >"$build/roxygen.log" 2>&1
  }
fi
step "R CMD build"
rm -rf "$build"/kgroups_*.tar.gz "$build/kgroups.Rcheck"
if ! (cd "$build" && R CMD build --no-build-vignettes .. >build.log 2>&1); then
  cat "$build/build.log"
  problem "R CMD build"
  finish
fi
(cd "$build" && du -h kgroups_*.tar.gz)
tarball=$(echo "$build"/kgroups_*.tar.gz)

rm -f "$build"/*.failed "$build/check.done"
begin lane second_lane

step "R CMD check"
# NOT_CRAN runs the snapshots too. An absent Suggests, clock or network is no fault of the package.
export NOT_CRAN=true
export TESTTHAT_CPUS=2
# tools/lint.sh has codetools, which takes as long as a quarter of the tests.
export _R_CHECK_USE_CODETOOLS_=false
export _R_CHECK_FORCE_SUGGESTS_=false
export _R_CHECK_SYSTEM_CLOCK_=false
export _R_CHECK_CRAN_INCOMING_REMOTE_=false
# In MB: 2 of them are the debug sections of the library, which a distributor strips.
export _R_CHECK_PKG_SIZES_THRESHOLD_=7
export _R_CHECK_CRAN_INCOMING_USE_ASPELL_=false
# Where CRAN cannot be reached, an empty list of its packages stands in.
cran=$build/cran
mkdir -p "$cran/web/packages"
Rscript -e 'saveRDS(matrix(character(), 0, 2, dimnames = list(NULL, c("Package", "Maintainer"))), commandArgs(TRUE))' \
  "$cran/web/packages/packages.rds"
MAKEFLAGS=-j2 R_CRAN_WEB="file://$cran" R CMD check --as-cran --no-manual --ignore-vignettes \
  --output="$build" "$tarball" >"$build/check.log" 2>&1
check_code=$?
touch "$build/check.done"
log=$build/kgroups.Rcheck/00check.log
if [ ! -f "$log" ]; then
  cat "$build/check.log"
  problem "R CMD check did not start"
  finish
fi

# Titles and texts of the findings, without CRAN's note on a new package and without the effects of an
# optional package or program that is absent.
findings=$(awk '
  function flush() {
    if (title != "" && other) print title text
    title = ""; text = ""; other = 0
  }
  function allowed(line) {
    if (title ~ /CRAN incoming feasibility/)
      return line ~ /^(Maintainer: .*|New submission)$/ ||
        line ~ /VignetteBuilder field but no prebuilt vignette index/
    if (title ~ /checking package dependencies .* NOTE$/)
      return line ~ /(suggested|this enhances) but not available for checking/ || listed
    if (title ~ /checking top-level files/)
      return line ~ /cannot be checked without .*pandoc.* being installed/
    return 0
  }
  /^\* / {
    flush()
    if ($0 ~ /\.\.\.( \[[^]]*\])? (ERROR|WARNING|NOTE)$/) {
      title = $0
      # without a text there is nothing to allow
      other = (title !~ /incoming feasibility|package dependencies|top-level files/)
    }
    listed = 0
    next
  }
  title != "" {
    text = text "\n    " $0
    if ($0 ~ /^[[:space:]]*$/) { listed = 0; next }
    if (!allowed($0)) other = 1
    # a list of several packages goes on over indented lines
    if ($0 ~ /(suggested|this enhances) but not available for checking:$/) listed = 1
  }
  END { flush() }
' "$log")
grep -E '^Status' "$log"
if [ -n "$findings" ]; then
  printf '%s\n' "$findings"
  while IFS= read -r title; do
    case $title in "* "*) problem "R CMD check: ${title#\* checking }" ;; esac
  done <<<"$findings"
elif [ $check_code -ne 0 ]; then
  tail -n 30 "$log"
  problem "R CMD check ended with code $check_code"
fi

out=$(ls "$build"/kgroups.Rcheck/tests/testthat.Rout* 2>/dev/null | head -n 1)
counts=$([ -n "$out" ] && grep -E '^\[ FAIL [0-9]+ \| WARN [0-9]+ \| SKIP [0-9]+ \| PASS [0-9]+ \]' "$out" | tail -n 1)
if [[ $counts =~ FAIL\ ([0-9]+).*WARN\ ([0-9]+).*SKIP\ ([0-9]+).*PASS\ ([0-9]+) ]]; then
  echo "testthat: $counts"
  failed=$((failed + BASH_REMATCH[1]))
  skipped=$((skipped + BASH_REMATCH[3]))
  passed=$((passed + BASH_REMATCH[4]))
  if [ "${BASH_REMATCH[1]}" -gt 0 ]; then
    sed -n '/══ Failed tests/,$p' "$out" | head -n 200
  fi
  if [ "${BASH_REMATCH[3]}" -gt 0 ]; then
    sed -n '/══ Skipped tests/,/══ [^S]/p' "$out" | head -n 60
  fi
else
  [ -n "$out" ] && tail -n 40 "$out"
  problem "the testthat suite gave no summary"
fi

# Of the steps that are left this lane takes the last ones.
[ $ci = yes ] && run_steps kernels fuzz degenerate lint site
step "documentation, kernels as plain C"
end lane >/dev/null
if tail -n 1 "$build/roxygen.log" | grep -q '^skipped'; then
  tail -n 1 "$build/roxygen.log"
elif ! tail -n 1 "$build/roxygen.log" | grep -q '^roxygen2 ran'; then
  cat "$build/roxygen.log"
  problem "roxygen2 stopped"
elif diff -r man "$build/roxygen/kgroups/man" && diff NAMESPACE "$build/roxygen/kgroups/NAMESPACE"; then
  echo "man/ and NAMESPACE are what roxygen2 makes of R/"
  # roxygen2 warns about links that it cannot resolve.
  grep -A 2 -E '^(x|✖) ' "$build/roxygen.log" && problem "roxygen2 warns"
else
  problem "man/ or NAMESPACE is not what roxygen2 makes of R/ (make document)"
fi

cat "$build/ctest.log"
line=$(tail -n 1 "$build/ctest.log")
if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
else
  problem "tools/ctest/run.sh ended early"
fi

if [ $ci = yes ]; then
  for part in "${steps[@]}"; do
    step "$part"
    cat "$build/$part.log"
    [ -e "$build/$part.failed" ] && problem "$part"
  done
fi
step "end"
echo "logs: .build/"
finish
