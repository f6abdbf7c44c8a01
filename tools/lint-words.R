# Lists words that the field does not use, with the term to use instead, and templates of messages that are not literal.
#
#   Rscript tools/lint-words.R                     all tracked files; ends with code 1 at a finding
#   Rscript tools/lint-words.R R/search src/kg_    only files whose path begins so
#   Rscript tools/lint-words.R --count             number of findings by file
#   Rscript tools/lint-words.R --long              also comments of more than three lines
#
# Read are comments, roxygen, strings with a space, and names that are defined (R, C), prose (md, Rmd),
# names of tests and of files. Generated files are left out.

# Pattern (Perl, whole words, any case unless it begins with (?-i)) and the term instead.
words <- c(
  "looks?|looked|looking" = "pass, distance evaluation; verb: check, search, inspect",
  "visits?|visited|visiting" = "pass; verb: process, evaluate",
  "trials?" = "split-merge move",
  "dissolv(e|es|ed|ing)" = "split-merge move; verb: merge",
  "shak(e|es|en|ing)|shook" = "perturbation",
  "leaps?" = "initial pass on a subsample",
  "border moves?|borders (are|is) moved|moves? (of )?(the )?borders?|end_by_borders|borders?(?= of clusters)" = "boundary perturbation",
  "swaps? of means|swapped means" = "centroid swap",
  "cross(ed|es|ing) (the )?(partitions|means|fits)|partitions (are )?crossed|crossing" = "crossover",
  "common ground" = "evaluation sample",
  "contenders?" = "candidates",
  "basins?" = "optimum",
  "spreads" = "within-cluster sum of squares; of a column: standard deviation",
  "(?<!evenly )spread" = "within-cluster sum of squares; of a column: standard deviation",
  "descents?" = "local search (Hartigan pass for one sweep)",
  "(front )?doors?" = "interface, entry point",
  "floors?" = "layer",
  "house|houses|rooms?" = "module, layer; memory: workspace",
  "traps?" = "input check",
  "spoken|speaks?|spoke" = "warned about, mention",
  "tells?|telling|told" = "states, reports, determines",
  "says?|said|saying" = "states, reports",
  "knows" = "(data do not know) has, uses",
  # people state; data, functions and messages contain, report, return, determine or describe
  "(that|which|who|what|it|they|not|nothing|to|also|must|can) states?" = "reports, contains, determines, describes; or a sentence without it",
  "state(s|d)? (that|what|how|which|why|where|whether|so|no|nothing|its|their|the|of (the(?! field)|its)|weights|NA)" =
    "reports, contains, determines, describes; or a sentence without it",
  "asks?|asked|asking" = "requested, requires",
  "evidence" = "description length (evidence is maximised)",
  "pair values?" = "pairwise dissimilarities",
  "drop ratios?" = "elbow ratio",
  "half[- ]?splits?|halves? of the rows agree" = "split-half",
  "(?-i)disco" = "pseudo-F (DISCO)",
  "pictures?|pictured" = "plot, figure",
  "mends?|mended|mending" = "repair",
  "gives? way|gave way|giving way" = "yields",
  "spoil(s|t|ed|ing)?" = "corrupted",
  "anew" = "again, recomputed, restarted",
  "lottery|by lot|lots are drawn" = "random",
  "promis(e|es|ed|ing)" = "estimated gain, improving",
  "at rest" = "converged, at a local optimum",
  "(cut|kept|held) apart" = "split, separate",
  "went flat|goes flat" = "uninformative posterior",
  "laws? of degrees" = "degree distribution",
  "tempered" = "quasi-likelihood-adjusted",
  "meetings?" = "merge (of the tree)",
  "former(ly)?|older name|once called|earlier versions?" = "(unreleased: no past names)",
  "forgiv(e|es|ing)|forgave" = "be robust to",
  "a newcomer|strangers?" = "user, reader",
  "of old|betimes|hither|thence|whence" = "(plain English)",
  "people" = "users",
  "wants?|sees|hears?|heard|feels?|hopes?|hopeless|believes?(?! propagation)" = "(data and code do not) needs, uses, has, is",
  "half-baked|odd ones" = "(plain English)"
)
# Words in names: of a function, an argument, a variable, a file. Parts between "_", ".", "-".
in_names <- c(
  look = "pass, scan", looks = "passes", looked = "scanned", visit = "pass", visits = "passes", trial = "split_merge",
  trials = "split_merge",
  shake = "perturb", leap = "subsample_pass", house = "module", door = "interface", doors = "interfaces",
  trap = "check", traps = "checks", tell = "report", tells = "reports", told = "reported", say = "inform",
  says = "inform",
  said = "informed", speak = "warn", spoken = "warned", spoilt = "corrupted", mend = "repair", mends = "repair",
  picture = "figure",
  pictures = "figures", disco = "pseudo_f", evidence = "description_length", borders = "boundary",
  promise = "estimated_gain", promises = "estimated_gains", promising = "improving", contender = "candidate",
  contenders = "candidates", basin = "optimum", basins = "optima", lottery = "random", rooms = "workspaces",
  meetings = "merges", asked = "requested", anew = "again"
)
# Ordinary uses, taken out before the search. In bench/ a floor is a lower bound; room is that of memory.
ordinary <- c(
  "floors?", "rooms?", "look(s|ed|ing)?[- ]up", "looks?\\s+like", "(as|\\() ?dissolved", "floor(?=[ ]?\\()",
  "heavy[- ]tail\\w*", "gradient descent", "coordinate descent",
  "stochastic descent", "steepest descent", "kg_room\\w*", "room for", "clinical trials?", "spread (out )?over",
  "evenly spread", "(is|are|not) spread", "[Ss]pread (the )?(rows|within|evenly|as|is)",
  "numbers, spread", "v spread",
  "own spread",
  "(un)?less stated otherwise", "as stated", "state machine", "[Pp]aper (does not )?states?", "state of the generator",
  "hour[|]visit[|]wave",
  "no one asked", "evidence (against|for|that|of)", "no evidence", "asks? for", "is not to say", "that is to say",
  "transform(er|ers|ed|s)?", "performe?r?s?", "frequently asked questions", "ask CRAN", "trap representation",
  "`[^`]*`", "\\\\code\\{[^}]*\\}", "https?://\\S+", "\\\\link\\{[^}]*\\}", "\\[[a-z_.]+\\(\\)\\]"
)

arguments <- commandArgs(TRUE)
count_only <- "--count" %in% arguments
long_too <- "--long" %in% arguments
prefixes <- grep("^--", arguments, value = TRUE, invert = TRUE)

files <- system2("git", "ls-files", stdout = TRUE)
files <- files[file.exists(files)]
if (length(prefixes)) files <- files[Reduce(`|`, lapply(prefixes, function(p) startsWith(files, p)))]
files <- grep("^(man/|tests/testthat/_snaps/|tests/testthat/fixtures/|tools/lint-words[.]R$|data-raw/sources)", files,
  value = TRUE, invert = TRUE
)

found <- list()
add <- function(file, line, word, term) {
  found[[length(found) + 1L]] <<- data.frame(file = file, line = line, word = word, term = term)
}
patterns <- sprintf("(?i)(?<![\\w.-])(?:%s)(?![\\w(-])", names(words))
plain <- paste0("(?i)", ordinary)
search_prose <- function(file, line, text) {
  for (one in plain) text <- gsub(one, " ", text, perl = TRUE)
  for (i in seq_along(words)) {
    hits <- regmatches(text, gregexpr(patterns[i], text, perl = TRUE))
    for (j in which(lengths(hits) > 0L)) add(file, line[j], paste(unique(hits[[j]]), collapse = ", "), words[[i]])
  }
}
# A sentence of a comment that begins with a clause for its subject.
search_clauses <- function(file, line, text) {
  j <- grep("(^|[.;] )(What|Where|Of what) [^?]*$", text, perl = TRUE)
  for (i in j) add(
    file, line[i], sub(".*?((What|Where|Of what) \\w+).*", "\\1 ...", text[i], perl = TRUE), "begin with the subject"
  )
}
search_names <- function(file, line, name) {
  for (i in seq_along(name)) {
    if (name[i] == "__builtin_trap") next # of the compiler
    bad <- intersect(tolower(strsplit(name[i], "[_.-]+")[[1L]]), names(in_names))
    if (length(bad)) add(file, line[i], name[i], paste(in_names[bad], collapse = ", "))
  }
}
long_comments <- function(file, line, text) {
  if (!long_too || !length(line)) return(invisible())
  run <- cumsum(c(TRUE, diff(line) != 1L))
  for (one in split(line, run)) {
    if (length(one) > 3L && one[1L] > 1L) {
      add(file, one[1L], sprintf("comment of %d lines", length(one)), "at most three")
    }
  }
}

read_r <- function(file) {
  parsed <- tryCatch(parse(file, keep.source = TRUE), error = function(e) NULL)
  if (is.null(parsed)) return(invisible())
  data <- utils::getParseData(parsed, includeText = TRUE)
  data <- data[data$terminal, ]
  comments <- data[data$token == "COMMENT", ]
  text <- sub("^#+'?\\s*", "", comments$text)
  code <- grepl("^#+'?\\s*(@examples|@usage|kgroups\\(|nolint)", comments$text)
  search_prose(file, comments$line1[!code], text[!code])
  plain_comment <- !grepl("^#'", comments$text)
  search_clauses(file, comments$line1[!code], text[!code])
  long_comments(file, comments$line1[plain_comment], text[plain_comment])
  strings <- data[data$token == "STR_CONST" & grepl(" ", data$text), ]
  search_prose(file, strings$line1, gsub("\\{\\.?[a-z_]+ [^}]*\\}|\\{[^}]*\\}", " ", strings$text))
  after <- c(data$token[-1L], "")
  names <- data[data$token == "SYMBOL_FORMALS" | (data$token == "SYMBOL" & after == "LEFT_ASSIGN"), ]
  names <- names[!duplicated(names$text), ]
  search_names(file, names$line1, names$text)
}

read_c <- function(file) {
  lines <- readLines(file, warn = FALSE)
  inside <- FALSE
  comment <- code <- character(length(lines))
  for (i in seq_along(lines)) {
    rest <- lines[i]
    while (nzchar(rest)) {
      at <- if (inside) regexpr("*/", rest, fixed = TRUE) else regexpr("/*", rest, fixed = TRUE)
      here <- if (at > 0L) substr(rest, 1L, at - 1L) else rest
      if (inside) comment[i] <- paste(comment[i], here) else code[i] <- paste(code[i], here)
      if (at < 0L) break
      inside <- !inside
      rest <- substr(rest, at + 2L, nchar(rest))
    }
  }
  comment <- paste(comment, ifelse(grepl("//", code), sub(".*//", "", code), ""))
  text <- trimws(sub("^\\s*[*]\\s?", "", comment))
  some <- which(nzchar(text))
  search_prose(file, some, text[some])
  search_clauses(file, some, text[some])
  long_comments(file, some, text[some])
  strings <- regmatches(code, gregexpr('"[^"]* [^"]*"', code))
  for (i in which(lengths(strings) > 0L)) search_prose(file, i, paste(strings[[i]], collapse = " "))
  identifiers <- regmatches(code, gregexpr("[A-Za-z_][A-Za-z0-9_]*", code))
  line <- rep(seq_along(code), lengths(identifiers))
  name <- unlist(identifiers)
  first <- !duplicated(name)
  search_names(file, line[first], name[first])
}

read_text <- function(file) {
  lines <- readLines(file, warn = FALSE)
  fence <- cumsum(grepl("^\\s*```", lines)) %% 2L == 1L | grepl("^\\s*```", lines)
  search_prose(file, which(!fence), lines[!fence])
  comments <- which(fence & grepl("^\\s*#|\\s# ", lines))
  search_prose(file, comments, sub(".*?#", "", lines[comments]))
}

read_shell <- function(file) {
  lines <- readLines(file, warn = FALSE)
  comments <- grep("^\\s*#", lines)
  search_prose(file, comments, sub("^\\s*#+\\s*", "", lines[comments]))
}

for (file in files) {
  stem <- sub("[.][A-Za-z]+$", "", basename(file))
  search_names(file, 0L, sub("^(test|helper)-", "", stem))
  if (grepl("[.]R$", file)) {
    read_r(file)
  } else if (grepl("[.][ch]$", file)) {
    read_c(file)
  } else if (grepl("[.]R?md$", file)) {
    read_text(file)
  } else if (grepl("([.]sh|Makefile|[.]ci/run)$", file)) {
    read_shell(file)
  }
}

# ---- messages: cli evaluates what stands in braces, so a template is a literal, never text of the user ----

# Literal: a string, NULL, `if` between such, c() or paste() of such; a variable that the same function sets from such alone.
# The first argument of each is a template, or the one of that name.
raising <- list(
  kg_warn = "message", kg_inform = "message",
  cli_abort = "message", cli_warn = "message", cli_inform = "message",
  fill_templates = "templates", cli_progress_step = "msg", cli_progress_bar = "name"
)
# Templates of abort_argument(x, arg, must, hint, ...) and abort_input(what, call, must, came, hint) by their places.
places <- list(abort_argument = c(must = 3L, hint = 4L), abort_input = c(must = 3L, came = 4L, hint = 5L))
# The raising functions themselves hand on what they were given.
own <- c("kg_warn", "kg_inform", "abort_argument", "abort_input", "report", "fill_templates")

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
  if (!head %in% c("c", "if", "(", "{", "switch", "paste") || head == "paste" && !is.null(names(parts))) {
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

refused_templates <- function() {
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
        called <- if (is.name(head)) {
          as.character(head)
        } else if (is.call(head) && length(head) == 3L) {
          as.character(head[[3L]])
        } else {
          ""
        }
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
            refused <<- c(refused, sprintf("%s:%d: in %s: %s of %s()", file, lines[[at]][1L], name, name_of, called))
          }
        }
        for (part in present(as.list(e))) walk(part)
      }
      walk(top)
    }
  }
  refused
}

# ---- result ----

refused <- refused_templates()
if (length(refused)) cat("Templates that are not literal:\n", paste0(refused, "\n"), sep = "")
status <- as.integer(length(refused) > 0L)
found <- do.call(rbind, found)
if (is.null(found)) {
  cat("words:", length(files), "files, no finding\n")
  quit(status = status)
}
if (count_only) {
  counts <- sort(table(found$file), decreasing = TRUE)
  cat(sprintf("%5d %s\n", counts, names(counts)), sep = "")
} else {
  cat(sprintf("%s:%d: %s -> %s\n", found$file, found$line, found$word, found$term), sep = "")
}
cat(sprintf("words: %d files, %d findings\n", length(files), nrow(found)))
quit(status = 1L)
