# What every vignette sets up before its first line: how code and pictures look, code of pictures
# folded away (chunk option fold = TRUE, or what to say above it), and colours that most eyes can tell apart (Okabe and Ito's).

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
