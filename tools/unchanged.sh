#!/usr/bin/env bash
# Whether a step of the check has run on what is here: the checksum of what it reads, of its command and of the
# tools that it uses. The steps are fuzz, kernels (coverage) and site; .ci/checked has the checksums of a run that passed.
#   tools/unchanged.sh print STEP COMMAND...   prints "STEP CHECKSUM"
#   tools/unchanged.sh check STEP COMMAND...   code 0 if .ci/checked has that line
#   tools/unchanged.sh test                    any change of a file that a step reads, or of its command, changes its line
set -u
cd "$(dirname "$0")/.." || exit 1

sources() {
  case $1 in
    kernels) echo src tools/ctest tools/coverage.sh ;;
    fuzz) echo src tools/ctest tools/fuzz ;;
    site)
      echo DESCRIPTION NAMESPACE NEWS.md README.md R _pkgdown.yml inst man pkgdown src tools/site.R tools/site.sh vignettes
      ;;
    *) echo "no step $1" >&2; return 1 ;;
  esac
}
files() { # what builds leave behind is no source
  # shellcheck disable=SC2046
  find $(sources "$1") -type d -name build -prune -o -type f ! -name '*.o' ! -name '*.so' ! -name '*.gc*' -print0 2>/dev/null |
    LC_ALL=C sort -z
}
versions() {
  case $1 in
    kernels) gcc --version ;;
    fuzz) clang --version || clang-14 --version ;;
    site)
      pandoc --version
      command -v chromium chromium-browser google-chrome chrome
      Rscript -e '
        for (one in c("base", "pkgdown", "rmarkdown", "knitr")) {
          cat(one, tryCatch(format(packageVersion(one)), error = function(e) "absent"), "\n")
        }'
      ;;
  esac 2>/dev/null
}
print() { # STEP COMMAND...
  sources "$1" >/dev/null || exit 2
  printf '%s %s\n' "$1" \
    "$({ echo "$*"; versions "$1"; files "$1" | xargs -0 sha256sum; } | sha256sum | cut -c1-64)"
}

case ${1:-} in
  print) shift; print "$@" ;;
  check)
    shift
    line=$(print "$@") || exit 2
    grep -qsxF "$line" .ci/checked
    ;;
  test)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    versions() { echo one; }
    failed=0
    for step in fuzz kernels site; do
      rm -rf "$work"/*
      # shellcheck disable=SC2046
      tar --exclude=build --exclude='*.o' --exclude='*.so' -c $(sources $step) | tar -x -C "$work"
      cd "$work" || exit 1
      before=$(print $step run)
      expect() { # expect changed|same WHAT [COMMAND]
        local now after
        after=$(print $step "${3:-run}")
        now=changed
        [ "$after" = "$before" ] && now=same
        [ $now = "$1" ] || { echo "$step: $now after $2"; failed=1; }
      }
      expect same "nothing"
      expect changed "another command" walk
      for source in $(sources $step); do
        file=$(files $step | tr '\0' '\n' | grep -m 1 "^$source")
        cp "$file" "$work.kept"
        echo >>"$file"
        expect changed "a line in $file"
        cp "$work.kept" "$file"
        mv "$file" "$file.moved"
        expect changed "a file that is moved: $file"
        mv "$file.moved" "$file"
      done
      rm -f "$work.kept"
      touch src/new.o
      expect same "an object file"
      touch src/new.c
      expect changed "a new file"
      cd - >/dev/null || exit 1
    done
    [ $failed = 0 ] && echo "unchanged: every change is seen"
    exit $failed
    ;;
  *) sed -n 's/^# *//p' "$0" >&2; exit 2 ;;
esac
