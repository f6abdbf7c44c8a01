# The rules of rchk over the shims, src/ffi_*.c and src/init.c, as far as text shows:
#   fresh    what an allocating call gives is protected, put into a protected object or returned before
#            anything else allocates
#   balance  on every way out of a function as many objects are unprotected as were protected
#   nested   no call has two fresh objects among its arguments that nothing protects
#   held     no memory of C's own is held where R may jump
# Allocating are the functions of R's own list, and every function here that calls one of these; fresh is what those
# return that have not put it into another object.
#   Rscript tools/rchk.R        ends with code 1 at a finding

read_code <- function(file) {
  text <- paste(readLines(file), collapse = "\n")
  keep_lines <- function(found) gsub("[^\n]", " ", found)
  for (pattern in c("(?s)/\\*.*?\\*/", "//[^\n]*", "\"(\\\\.|[^\"\\\\])*\"")) {
    at <- gregexpr(pattern, text, perl = TRUE)
    regmatches(text, at) <- lapply(regmatches(text, at), keep_lines)
  }
  text
}

# Functions of a file: name, the type they return, body and its first line. A body begins with a brace at the
# end of a line that began in the first column, and ends with one in the first column.
functions_of <- function(file) {
  lines <- strsplit(read_code(file), "\n")[[1L]]
  ends <- which(lines == "}")
  lapply(ends, function(end) {
    begin <- max(c(0L, ends[ends < end])) + 1L
    part <- lines[begin:end]
    open <- max(
      which(
        grepl("[)] *[{]$", part) & cumsum(grepl("^[^ #}]", part)) > 0 & !grepl("^ *(if|for|while|switch)\\b", part)
      )[1L],
      1L, na.rm = TRUE
    )
    head <- paste(part[seq_len(open)], collapse = " ")
    name <- sub(".*?([A-Za-z_][A-Za-z_0-9]*) *[(].*", "\\1", sub(".*;", "", head), perl = TRUE)
    list(
      file = basename(file), name = name, gives = grepl(paste0("\\bSEXP +", name, " *[(]"), head),
      first = begin + open - 1L, lines = part[-seq_len(open)]
    )
  })
}

files <- Sys.glob(c("src/ffi_*.c", "src/init.c"))
functions <- Filter(function(f) grepl("^[A-Za-z_]", f$name), unlist(lapply(files, functions_of), recursive = FALSE))
allocating <- c(
  "Rf_allocVector", "Rf_allocMatrix", "Rf_alloc3DArray", "Rf_mkNamed", "Rf_coerceVector", "Rf_duplicate", "Rf_mkString",
  "Rf_cons", "Rf_lcons", "Rf_list1", "Rf_list2", "Rf_lang1", "Rf_lang2", "Rf_lang3", "Rf_eval", "Rf_ScalarReal",
  "Rf_ScalarInteger",
  "Rf_ScalarLogical", "Rf_ScalarString", "R_MakeExternalPtr"
)
any_of <- function(names) paste0("\\b(", paste(names, collapse = "|"), ") *[(]")
body <- function(f) paste(f$lines, collapse = " ")
names_of <- vapply(functions, `[[`, "", "name")
giving <- allocating
repeat {
  new <- setdiff(
    names_of[vapply(functions, function(f) grepl(any_of(allocating), body(f), perl = TRUE), NA)], allocating
  )
  if (!length(new)) break
  allocating <- c(allocating, new)
}
kept_inside <- vapply(functions, function(f) {
  given <- sub(".*return +([A-Za-z_]+) *;.*", "\\1", body(f))
  given != body(f) && grepl(paste0("SET_VECTOR_ELT *[(][^;]*, *", given, " *[)]"), body(f))
}, NA)
is_giving <- vapply(functions, `[[`, NA, "gives") & names_of %in% allocating & !kept_inside
giving <- c(giving, names_of[is_giving])
fresh <- any_of(giving)
protected <- c("PROTECT", "SET_VECTOR_ELT", "Rf_setAttrib", "SETCAR", "Rf_dimgets", "Rf_namesgets")

# The text before place `at`: the innermost calls that are open there.
open_calls <- function(text, at) {
  depth <- 0L
  calls <- character()
  for (i in rev(seq_len(at - 1L))) {
    c <- substr(text, i, i)
    if (c == ")") depth <- depth + 1L
    if (c == "(" && depth == 0L) {
      calls <- c(calls, sub(".*?([A-Za-z_0-9]*) *$", "\\1", substr(text, 1L, i - 1L), perl = TRUE))
    }
    if (c == "(" && depth > 0L) depth <- depth - 1L
  }
  calls
}

# `x = fresh(...)`: is x protected, put away or returned before another allocation?
kept_soon <- function(statements, s) {
  name <- sub("^.*?\\b([A-Za-z_]+) = .*$", "\\1", statements[s], perl = TRUE)
  for (next_one in statements[-seq_len(s)]) {
    if (
      grepl(paste0("\\b(", paste(protected, collapse = "|"), ") *[(]([^;]*, *)?", name, " *[)]"), next_one, perl = TRUE)
    ) {
      return(TRUE)
    }
    if (grepl(paste0("return ", name, " *;"), next_one)) {
      return(TRUE)
    }
    if (grepl(any_of(allocating), next_one, perl = TRUE)) {
      return(FALSE)
    }
  }
  FALSE
}

findings <- list()
report <- function(f, line, rule, text) {
  findings[[length(findings) + 1L]] <<- sprintf("%s:%d: %s: %s: %s", f$file, f$first + line, f$name, rule, trimws(text))
}
for (f in functions) {
  # statements, each with the line where it ends
  text <- paste(f$lines, collapse = "\n")
  ends <- gregexpr("[;{}]", text)[[1L]]
  begins <- c(1L, utils::head(ends, -1L) + 1L)
  statements <- gsub("\\s+", " ", substring(text, begins, ends))
  held <- 0
  for (s in seq_along(ends)) {
    statement <- statements[s]
    line <- nchar(gsub("[^\n]", "", substr(text, 1L, ends[s]))) + 1L
    at <- gregexpr(fresh, statement, perl = TRUE)[[1L]]
    loose <- 0L
    for (place in at[at > 0L]) {
      around <- open_calls(statement, place)
      kept <- length(around) && around[1L] %in% protected
      given <- grepl("^ *(else |if [(].*[)] )?return\\b", statement)
      if (!kept && !given && !kept_soon(statements, s)) report(f, line, "fresh", statement)
      if (!kept && length(around)) loose <- loose + 1L
    }
    if (loose > 1L) report(f, line, "nested", statement)
    if (grepl("\\b(malloc|calloc|realloc|strdup|R_Calloc|Calloc) *[(]", statement)) report(f, line, "held", statement)
    held <- held + lengths(regmatches(statement, gregexpr("\\bPROTECT *[(]", statement)))
    freed <- regmatches(statement, gregexpr("\\bUNPROTECT *[(] *([0-9]+) *[)]", statement))[[1L]]
    if (length(freed)) {
      count <- sum(as.numeric(gsub("[^0-9]", "", freed)))
      left <- held - count
      if (left < 0) report(f, line, "balance", statement)
      # a way out in a block of its own leaves the count as it was for what follows
      following <- substr(text, ends[s] + 1L, nchar(text))
      if (!grepl("^\\s*return[^;]*;\\s*\\}\\s*\\S", following, perl = TRUE)) held <- left
    } else if (grepl("^ *(else |if [(].*[)] )?return\\b", statement) && held > 0) {
      before <- gsub("\\s+", " ", substr(text, 1L, begins[s] - 1L))
      if (!grepl("UNPROTECT *[(] *[0-9]+ *[)]; *$", before)) report(f, line, "balance", statement)
    }
  }
  if (held > 0) report(f, length(f$lines), "balance", sprintf("%d still protected at the end", held))
}
if (length(findings)) cat(unlist(findings), sep = "\n")
cat(length(functions), "functions,", length(allocating), "that allocate,", length(findings), "findings\n")
source("tools/trust/common.R")
if (argument("record", "no") == "yes") {
  record_row("Rscript tools/rchk.R", sprintf("%d functions", length(functions)), length(findings))
}
quit(status = as.integer(length(findings) > 0))
