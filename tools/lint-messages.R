# Messages are literal templates. cli evaluates what stands in braces, so text of the user's
# that is pasted into a template, or handed over as one, would run as code. This inspects
# every call in R/ that takes a template and refuses one that is not written out: a string,
# NULL, `if` between such, or c() of such. A variable may be one only where the same function
# sets it from such alone.
#
#   Rscript tools/lint-messages.R      ends with code 1 where it refuses something

# The first argument of each is a template, or the one of that name.
raising <- list(
  kg_abort = "message", kg_warn = "message", kg_inform = "message",
  cli_abort = "message", cli_warn = "message", cli_inform = "message",
  format_inline = "...", cli_progress_step = "msg", cli_progress_bar = "name"
)
# Templates of abort_argument(x, arg, must, hint, ...): the third and fourth argument.
places <- list(abort_argument = c(must = 3L, hint = 4L))
# The raising functions themselves hand on what they were given.
own <- c("kg_abort", "kg_warn", "kg_inform", "abort_argument")

# Without the empty places of x[, 1] and of function(x).
present <- function(parts) Filter(function(part) !(is.name(part) && !nzchar(as.character(part))), parts)

# `known`: variables of the function that are templates by assignment.
is_template <- function(expression, known) {
  if (is.null(expression) || is.character(expression)) {
    return(TRUE)
  }
  if (is.name(expression)) {
    return(as.character(expression) %in% known)
  }
  if (!is.call(expression)) {
    return(FALSE)
  }
  head <- if (is.name(expression[[1L]])) as.character(expression[[1L]]) else ""
  # text with its braces doubled states just itself
  if (head == "literal") {
    return(TRUE)
  }
  parts <- as.list(expression)[-1L]
  if (head == "if") parts <- parts[-1L]
  if (head == "switch") parts <- parts[-1L]
  if (!head %in% c("c", "if", "(", "{", "switch")) {
    return(FALSE)
  }
  all(vapply(present(parts), is_template, NA, known))
}

# Variables all of whose assignments in a function are templates, and that are no arguments.
templates_of <- function(body) {
  assigned <- list()
  arguments <- character()
  walk <- function(e) {
    if (is.call(e)) {
      if (identical(e[[1L]], quote(`function`))) arguments <<- c(arguments, names(e[[2L]]))
      if (identical(e[[1L]], quote(`<-`)) && is.name(e[[2L]])) {
        name <- as.character(e[[2L]])
        assigned[[name]] <<- c(assigned[[name]], list(e[[3L]]))
      }
      for (part in present(as.list(e))) walk(part)
    }
  }
  walk(body)
  known <- setdiff(names(assigned), arguments)
  repeat {
    good <- Filter(function(name) all(vapply(assigned[[name]], is_template, NA, known)), known)
    if (length(good) == length(known)) {
      return(known)
    }
    known <- good
  }
}

refused <- character()
for (file in list.files("R", "[.]R$", full.names = TRUE)) {
  code <- parse(file, keep.source = TRUE)
  lines <- attr(code, "srcref")
  for (at in seq_along(code)) {
    top <- code[[at]]
    name <- if (is.call(top) && identical(top[[1L]], quote(`<-`))) as.character(top[[2L]])[1L] else ""
    if (name %in% own) next
    known <- templates_of(top)
    walk <- function(e) {
      if (!is.call(e)) {
        return(invisible())
      }
      head <- e[[1L]]
      called <- if (is.name(head)) as.character(head) else if (is.call(head) && length(head) == 3L) as.character(head[[3L]]) else ""
      if (called %in% names(raising)) {
        arguments <- as.list(e)[-1L]
        named <- which(names(arguments) == raising[[called]])
        template <- if (length(named)) arguments[[named[1L]]] else if (length(arguments)) arguments[[1L]]
        if (!is_template(template, known)) {
          text <- paste(deparse(e, width.cutoff = 80L)[1L], "...")
          refused <<- c(refused, sprintf("%s:%d: in %s: %s", file, lines[[at]][1L], name, text))
        }
      }
      for (name_of in names(places[[called]])) {
        arguments <- as.list(e)[-1L]
        named <- which(names(arguments) == name_of)
        unnamed <- if (is.null(names(arguments))) seq_along(arguments) else which(names(arguments) == "")
        at_place <- intersect(unnamed, places[[called]][[name_of]])
        template <- c(arguments[named], arguments[at_place])
        if (length(template) && !is_template(template[[1L]], known)) {
          refused <<- c(refused, sprintf("%s:%d: in %s: %s of abort_argument()", file, lines[[at]][1L], name, name_of))
        }
      }
      for (part in present(as.list(e))) walk(part)
    }
    walk(top)
  }
}
if (length(refused)) {
  cat("Templates that are not literal:\n", paste0(refused, "\n"), sep = "")
  quit(status = 1L)
}
cat("messages: every template is literal\n")
