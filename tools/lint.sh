#!/usr/bin/env bash
# lintr (.lintr), codetools over the installed package, templates of messages, words, sizes, seeds of tests, rchk's rules,
# TESTING.md against its records, layers and long lines of R/, names of test files, cppcheck over src/. No finding is allowed. What is not installed is skipped.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

if Rscript -e 'q(status = !requireNamespace("lintr", quietly = TRUE))'; then
  Rscript -e '
    paths <- c("R", "tests", "data-raw", "tools", "bench")
    files <- list.files(paths[dir.exists(paths)], "[.]R$", recursive = TRUE, full.names = TRUE)
    found <- do.call(rbind, lapply(files, function(file) {
      as.data.frame(lintr::lint(file))[c("filename", "line_number", "linter", "message")]
    }))
    if (!is.null(found) && nrow(found)) {
      cat(sprintf("%s:%d: [%s] %s\n", found$filename, found$line_number, found$linter, found$message), sep = "")
      q(status = 1)
    }
    cat("lintr:", length(files), "files, no finding\n")' || status=1
else
  echo "lintr is not installed: skipped"
fi

# What R CMD check calls "R code for possible problems".
if Rscript -e 'q(status = !requireNamespace("kgroups", quietly = TRUE))'; then
  Rscript -e '
    found <- tools:::.check_code_usage_in_package("kgroups")
    cat(found, sep = "\n")
    cat("codetools:", length(found), "findings\n")
    q(status = length(found) > 0)' || status=1
else
  echo "kgroups is not installed: codetools skipped"
fi

Rscript tools/lint-words.R || status=1
Rscript tools/lint-sizes.R || status=1
Rscript tools/lint-seeds.R || status=1
Rscript tools/check-numbers.R || status=1
Rscript tools/rchk.R || status=1
Rscript tools/layers.R >/dev/null || { Rscript tools/layers.R | tail -n 20; status=1; }
Rscript tools/layers-c.R >/dev/null || { Rscript tools/layers-c.R | tail -n 20; status=1; }

# Lines of R/ have at most 120 characters, but for one string, and rows of tables in the help; 10 more are no finding.
string='^ *(c\()?([a-z_.]+ = |"[xi]" = )*"([^"\\]|\\.)*"[,)]*$'
grep -nE '^.{131}' R/*.R | grep -vE "^[^:]*:[0-9]*:#' [|]" | while IFS= read -r line; do
  echo "${line#*:*:}" | grep -qE "$string" || echo "$line"
done | grep . && { echo "lines of more than 130 characters"; status=1; }

# A test file has the stem of its file in R/, or TESTING.md names it; a snapshot has its test file.
for file in tests/testthat/test-*.R tests/testthat/_snaps/*.md; do
  stem=$(basename "${file%.*}")
  case $file in
    *.md) [ -e "tests/testthat/test-$stem.R" ] ;;
    *) [ -e "R/${stem#test-}.R" ] || grep -qF "\`$stem.R\` (" TESTING.md ;;
  esac || { echo "$file: no file has its stem"; status=1; }
done
tools/unchanged.sh test || status=1

if command -v cppcheck >/dev/null 2>&1; then
  # The shims include R's headers, which are not checked here: unknown macros of R are
  # spelled out so that the code between them is still read.
  if cppcheck --quiet --std=c99 --language=c --enable=warning,performance,portability \
    --inline-suppr --suppress=missingIncludeSystem --error-exitcode=1 \
    -Dattribute_visible= -Isrc src tools/ctest; then
    echo "cppcheck: no finding"
  else
    status=1
  fi
else
  echo "cppcheck is not installed: skipped"
fi
exit $status
