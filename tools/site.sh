#!/usr/bin/env bash
# Builds the site with pkgdown, formulas as MathML, and checks it; works without a network.
#   tools/site.sh [DIRECTORY]        the site goes to DIRECTORY, .build/site by default
#   tools/site.sh --quick            the package is installed already; help pages without the results
#                                    of their examples
# Ends with "site: N pages, N links, N problems". A problem is a topic or article that
# _pkgdown.yml forgets, a link or figure inside the site that leads nowhere, a figure without
# alternative text, a script or style from elsewhere, a formula that is left as TeX, a line of code
# that a page cannot hold, or a page wider than a phone of 390 px (in headless Chromium; skipped
# where there is none). Without pkgdown, pandoc or rmarkdown there is no site; a message reports it.
set -u
cd "$(dirname "$0")/.." || exit 1
quick=no
[ "${1:-}" = "--quick" ] && quick=yes && shift
site=${1:-$PWD/.build/site}

if ! { command -v pandoc >/dev/null 2>&1 &&
  Rscript -e 'q(status = !all(vapply(c("pkgdown", "rmarkdown"), requireNamespace, NA, quietly = TRUE)))'; }; then
  echo "site: left out, pkgdown, pandoc or rmarkdown is not here"
  exit 0
fi

# pkgdown writes beside the sources, so it works on a copy; what it installs goes there too.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/kgroups" "$work/lib"
cp -r DESCRIPTION NAMESPACE R src man inst vignettes README.md NEWS.md _pkgdown.yml pkgdown "$work/kgroups/"
# an icon is there already, so that pkgdown does not query a server for one: site.R sets it
mkdir -p "$work/kgroups/pkgdown/favicon"
rm -f "$work"/kgroups/src/*.o "$work"/kgroups/src/*.so
if [ $quick = no ]; then
  export R_LIBS="$work/lib${R_LIBS:+:$R_LIBS}"
  R CMD INSTALL --library="$work/lib" "$work/kgroups" >"$work/install.log" 2>&1 || {
    cat "$work/install.log"
    exit 1
  }
fi
rm -rf "$site"
(cd "$work/kgroups" && SITE="$site" QUICK=$quick Rscript -e '
  options(pkgdown.internet = FALSE)
  # links to packages that are not installed need the list of CRAN
  if (!requireNamespace("curl", quietly = TRUE) || is.null(curl::nslookup("cran.rstudio.com", error = FALSE))) {
    none <- function() data.frame(Package = character(), URL = character())
    utils::assignInNamespace("CRAN_urls", none, "downlit")
  }
  site <- pkgdown::as_pkgdown(".", override = list(destination = Sys.getenv("SITE")))
  pkgdown::check_pkgdown(site)
  pkgdown::build_site(
    site,
    examples = Sys.getenv("QUICK") == "no", install = FALSE, new_process = FALSE, preview = FALSE
  )
  ') >"$work/site.log" 2>&1 || {
  tail -n 40 "$work/site.log"
  echo "site: pkgdown stopped"
  exit 1
}
Rscript tools/site.R "$site"
