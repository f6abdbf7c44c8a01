# Functions of the package that a call enters before solve_problem(): the cost of its interface.
#
#   Rscript tools/entered.R [--names]     of the installed package
library(kgroups)

# Return the names of the functions that are entered, in the order of their first calls, and how often.
entered <- function(code) {
  namespace <- asNamespace("kgroups")
  count <- new.env()
  stop_at <- FALSE
  names <- Filter(function(name) is.function(get(name, namespace)), ls(namespace, all.names = TRUE))
  for (name in names) {
    f <- get(name, namespace)
    if (is.primitive(f)) next
    note <- eval(bquote(function() {
      if (.(name) == "solve_problem") stop_at <<- TRUE
      if (!stop_at) assign(.(name), get0(.(name), count, inherits = FALSE, ifnotfound = 0L) + 1L, envir = count)
    }))
    body(f) <- call("{", as.call(list(note)), body(f))
    unlockBinding(name, namespace)
    assign(name, f, namespace)
    table <- get(".__S3MethodsTable__.", namespace)
    if (exists(name, table, inherits = FALSE)) assign(name, f, table)
  }
  force(code)
  sort(unlist(as.list(count)), decreasing = TRUE)
}

calls <- c(iris = "kgroups(iris[1:4], 3)", within = "kgroups(iris[1:4], 3, standardize = \"within\")")
for (call in names(calls)) {
  if (!"--one" %in% commandArgs(TRUE)) {
    system2(
      file.path(R.home("bin"), "Rscript"), c("tools/entered.R", "--one", call, intersect(commandArgs(TRUE), "--names"))
    )
  } else if (call %in% commandArgs(TRUE)) {
    invisible(eval(str2lang(calls[[call]]))) # caches of the first call
    found <- entered(eval(str2lang(calls[[call]])))
    cat(sprintf("%s: %d functions before solve_problem(), %d calls\n", calls[[call]], length(found), sum(found)))
    if ("--names" %in% commandArgs(TRUE)) {
      cat(strwrap(paste(names(found), found, collapse = ", "), 110, prefix = "  "), sep = "\n")
    }
  }
}
