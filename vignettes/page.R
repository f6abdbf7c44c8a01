# Set-up of every vignette: format of code and figures, folded code (chunk option fold = TRUE, or its title), and the
# colour-blind safe palette of Okabe and Ito.

knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", fig.width = 7, fig.height = 4, dpi = 110
)
options(width = 74, knitr.kable.NA = "")

colours <- c(
  blue = "#0072B2", vermilion = "#D55E00", green = "#009E73",
  orange = "#E69F00", grey = "#6F7782"
)

local({
  shown <- knitr::knit_hooks$get("source")
  knitr::knit_hooks$set(source = function(x, options) {
    out <- shown(x, options)
    title <- if (isTRUE(options$fold)) "How this is drawn" else options$fold
    if (!is.character(title) || isFALSE(options$echo)) {
      return(out)
    }
    summary <- paste0("<summary>", title, "</summary>")
    paste0("\n\n<details class=\"fold\">", summary, "\n\n", out, "\n\n</details>\n\n")
  })
})

# An article of the site, which is not installed with the package: a link on the site, its title elsewhere.
article <- function(name, title) {
  if (identical(Sys.getenv("IN_PKGDOWN"), "true")) sprintf("[%s](%s.html)", title, name) else sprintf("\"%s\" of the package's site", title)
}
