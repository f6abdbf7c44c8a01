#!/usr/bin/env bash
# The whole check, as a newcomer and CI run it (make check):
#   1. what is missing is installed (tools/install-deps.sh)
#   2. the C kernels, without R and under sanitizers (tools/ctest/run.sh)
#   3. with --ci: lintr and cppcheck, no finding allowed (tools/lint.sh); the kernels fuzzed with
#      the same few thousand inputs each time, where clang is installed (tools/fuzz/run.sh)
#   4. roxygen2 changes nothing in man/ and NAMESPACE
#   5. R CMD build, then R CMD check --as-cran with all tests and vignettes; any ERROR,
#      WARNING or NOTE fails it, but for the note that the submission is new
#   6. the site, where pkgdown is installed: it builds, and no link in it is broken (tools/site.sh)
#   7. with --ci: 97 % of the lines are run by the tests (tools/coverage.sh)
# The last line is "N passed, N failed": the expectations of testthat plus the checks of
# the kernels; each of the steps that fails otherwise counts as one failed.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
build=$root/.build
mkdir -p "$build/lib"

ci=no
[ "${1:-}" = "--ci" ] && ci=yes

passed=0
failed=0
skipped=0
problems=()
problem() {
  problems+=("$1")
  printf 'FAILED: %s\n' "$1"
}
step() { printf '\n== %s\n' "$1"; }
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

# Results and messages must not depend on the user's settings.
export LC_ALL=C.UTF-8 TZ=UTC

step "what is missing"
if ! tools/install-deps.sh check; then
  problem "a package that kgroups needs could not be installed"
  finish
fi
export R_LIBS="$build/lib${R_LIBS:+:$R_LIBS}"

step "kernels as plain C"
tools/ctest/run.sh 2>&1 | tee "$build/ctest.log"
line=$(tail -n 1 "$build/ctest.log")
if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
else
  problem "tools/ctest/run.sh ended early"
fi

if [ $ci = yes ]; then
  tools/install-deps.sh ci
  step "linters"
  tools/lint.sh || problem "the linters have findings"
  step "kernels fuzzed"
  tools/fuzz/run.sh --runs 4000 || problem "the fuzzer has a finding"
fi

step "R CMD build"
vignettes=yes
build_flags=()
check_flags=()
if [ -d vignettes ] && ! { command -v pandoc >/dev/null 2>&1 &&
  Rscript -e 'q(status = !all(vapply(c("knitr", "rmarkdown"), requireNamespace, NA, quietly = TRUE)))'; }; then
  vignettes=no
  echo "pandoc, knitr or rmarkdown is not here: the vignettes are left out"
  build_flags=(--no-build-vignettes)
  check_flags=(--ignore-vignettes)
fi
rm -rf "$build"/kgroups_*.tar.gz "$build/kgroups.Rcheck"
# The vignettes are knitted with the package as it is, installed by R CMD build itself.
build_package() { (cd "$build" && R CMD build "$@" .. >build.log 2>&1); }
if build_package ${build_flags[@]+"${build_flags[@]}"}; then
  (cd "$build" && du -h kgroups_*.tar.gz)
else
  cat "$build/build.log"
  problem "R CMD build"
  # A vignette that fails does not hide what the tests say.
  [ $vignettes = yes ] && build_package --no-build-vignettes || finish
  vignettes=no
  check_flags=(--ignore-vignettes)
fi
tarball=$(echo "$build"/kgroups_*.tar.gz)

step "documentation"
if ! R CMD INSTALL --library="$build/lib" "$tarball" >"$build/install.log" 2>&1; then
  cat "$build/install.log"
  problem "R CMD INSTALL"
  finish
fi
# roxygen2 works on a copy: a check does not write into the tree.
rm -rf "$build/roxygen"
mkdir -p "$build/roxygen/kgroups"
cp -r DESCRIPTION NAMESPACE R "$build/roxygen/kgroups/"
for part in man inst tests; do
  [ -d "$part" ] && cp -r "$part" "$build/roxygen/kgroups/"
done
(
  cd "$build/roxygen/kgroups" && Rscript -e '
    note <- read.dcf("DESCRIPTION", "RoxygenNote")[1]
    if (!requireNamespace("roxygen2", quietly = TRUE)) {
      cat("skipped: roxygen2 is not installed\n")
    } else if (packageVersion("roxygen2") != note) {
      cat("skipped: roxygen2", format(packageVersion("roxygen2")), "is here, the tree is by", note, "\n")
    } else {
      roxygen2::roxygenise(load_code = "installed")
      cat("roxygen2 ran\n")
    }'
) >"$build/roxygen.log" 2>&1
if tail -n 1 "$build/roxygen.log" | grep -q '^skipped'; then
  tail -n 1 "$build/roxygen.log"
elif ! tail -n 1 "$build/roxygen.log" | grep -q '^roxygen2 ran'; then
  cat "$build/roxygen.log"
  problem "roxygen2 stopped"
elif diff -r man "$build/roxygen/kgroups/man" && diff NAMESPACE "$build/roxygen/kgroups/NAMESPACE"; then
  echo "man/ and NAMESPACE are what roxygen2 makes of R/"
  # roxygen2 says on the way what it could not resolve.
  grep -A 2 -E '^(x|✖) ' "$build/roxygen.log" && problem "roxygen2 has something to say"
else
  problem "man/ or NAMESPACE is not what roxygen2 makes of R/ (make document)"
fi

step "R CMD check"
# NOT_CRAN runs the snapshots too; an absent Suggests, no clock and no network are no
# fault of the package.
export NOT_CRAN=true
export _R_CHECK_FORCE_SUGGESTS_=false
export _R_CHECK_SYSTEM_CLOCK_=false
export _R_CHECK_CRAN_INCOMING_REMOTE_=false
export _R_CHECK_CRAN_INCOMING_USE_ASPELL_=false
# Where CRAN cannot be reached, an empty list of its packages stands in.
cran=$build/cran
mkdir -p "$cran/web/packages"
Rscript -e 'saveRDS(matrix(character(), 0, 2, dimnames = list(NULL, c("Package", "Maintainer"))), commandArgs(TRUE))' \
  "$cran/web/packages/packages.rds"
R_CRAN_WEB="file://$cran" R CMD check --as-cran --no-manual ${check_flags[@]+"${check_flags[@]}"} \
  --output="$build" "$tarball" >"$build/check.log" 2>&1
check_code=$?
log=$build/kgroups.Rcheck/00check.log
if [ ! -f "$log" ]; then
  cat "$build/check.log"
  problem "R CMD check did not start"
  finish
fi

# Titles and texts of what the check found. What CRAN says of a new package is left out, and
# so is what comes only of an optional package or program that is not here.
findings=$(awk -v vignettes=$vignettes '
  function flush() {
    if (title != "" && other) print title text
    title = ""; text = ""; other = 0
  }
  function allowed(line) {
    if (title ~ /CRAN incoming feasibility/)
      return line ~ /^(Maintainer: .*|New submission)$/ ||
        (vignettes == "no" && line ~ /VignetteBuilder field but no prebuilt vignette index/)
    if (title ~ /checking package dependencies .* NOTE$/)
      return line ~ /suggested but not available for checking/ || listed
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
    if ($0 ~ /suggested but not available for checking:$/) listed = 1
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

if [ $vignettes = yes ]; then
  step "site"
  tools/site.sh --quick || problem "the site"
fi
if [ $ci = yes ]; then
  step "coverage"
  tools/coverage.sh || problem "the tests run too few lines"
fi
echo "logs: .build/kgroups.Rcheck"
[ $vignettes = yes ] || echo "vignettes: left out"
finish
