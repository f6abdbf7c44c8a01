# Code in hints: found, read and checked by the tests of the other names.

# All texts within functions and tables.
texts_of <- function(x) {
  if (is.character(x)) {
    x
  } else if (is.function(x)) {
    texts_of(c(as.list(formals(x)), list(body(x))))
  } else if (is.call(x) || is.pairlist(x) || is.list(x)) {
    unlist(lapply(as.list(x), function(part) if (!missing(part)) texts_of(part)), use.names = FALSE)
  }
}

# The code of texts, in backticks; values in braces or of sprintf() become the name `value`.
code_of <- function(text) {
  code <- gsub("`", "", unlist(regmatches(text, gregexpr("`[^`]+`", text))))
  code <- gsub("(\\{(?:[^{}]|(?1))*\\})", "value", code, perl = TRUE)
  code <- gsub("%%", "%", gsub("%(\\d\\$)?[sd]", "value", code))
  setdiff(sub("^\\$", "fit$", code), "value()")
}

# The expressions of code, or the arguments that it names; NULL if it is none.
read_code <- function(code) {
  tryCatch(as.list(str2expression(code)), error = function(e) {
    tryCatch(list(str2lang(sprintf("list(%s)", code))), error = function(e) NULL)
  })
}

namespace_functions <- function() {
  names <- ls(asNamespace("kgroups"), all.names = TRUE)
  Filter(is.function, mget(names, asNamespace("kgroups")))
}

# Return what is wrong with a call: functions and arguments that do not exist. `f` and `reader` are functions of the user.
faults_of <- function(x, known) {
  if (!is.call(x)) {
    return(NULL)
  }
  given <- setdiff(names(x)[-1L], c("", "value"))
  head <- x[[1L]]
  name <- as.character(if (is.call(head)) head[[3L]] else head)
  homes <- c("kgroups", "base", "stats", "utils", "graphics", "methods")
  if (is.call(head) && identical(head[[1L]], quote(`::`))) {
    homes <- as.character(head[[2L]])
    if (!requireNamespace(homes, quietly = TRUE)) {
      return(NULL)
    }
  }
  home <- Find(
    function(package) exists(name, asNamespace(package), mode = "function", inherits = package == "base"), homes
  )
  out <- if (name %in% c("=", "list")) {
    if (name == "=") given <- as.character(x[[2L]])
    setdiff(given, known)
  } else if (is.null(home) && !name %in% c("f", "reader", "library")) {
    paste0(name, "()")
  } else if (identical(home, "kgroups")) {
    functions <- namespace_functions()
    own <- unlist(
      lapply(functions[grepl(sprintf("^%s([.]|$)", name), names(functions))], function(f) names(formals(f)))
    )
    if (name != "kgroups") own <- c(own, fit_settings, table_settings)
    setdiff(given, own)
  } else if (length(given)) {
    own <- names(formals(args(get(name, asNamespace(home), mode = "function"))))
    if (!"..." %in% own) setdiff(given, own)
  }
  c(out, unlist(lapply(as.list(x)[-1L], function(part) if (!missing(part)) faults_of(part, known))))
}
