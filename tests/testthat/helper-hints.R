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

# One row a hint: the call, a part of its hint, and the call that the hint names. test-check.R makes the objects.
hints_followed <- c(
  data = expression(
    c(kgroups(units, 2), "units = rep(seq_along(x)", kgroups(unlist(units), 2, units = rep(1:3, lengths(units)))),
    c(kgroups(parts, 3), "`x$data`", kgroups(parts$data, 3)),
    c(kgroups(file(path), 2), "read.csv(x)", kgroups(read.csv(path), 2)),
    c(kgroups(holes, 3), "x[rowSums(!is.na(x)) > 0, ]", kgroups(holes[rowSums(!is.na(holes)) > 0, ], 3)),
    c(kgroups(text, 2), "as.dist(adist(x))", kgroups(as.dist(adist(text)), 2)),
    c(kgroups(text, 2), "data.frame(x)", kgroups(data.frame(text), 2)),
    c(kgroups(as.character(1:9), 2), "as.numeric(x)", kgroups(as.numeric(as.character(1:9)), 2)),
    c(kgroups(iris$Species, 2), "data.frame(x)", kgroups(data.frame(iris$Species), 2)),
    c(kgroups(correlations, 2), "1 - x", kgroups(1 - correlations, 2)),
    c(kgroups(prcomp(x), 3), "x$x[, 1:2]", kgroups(prcomp(x)$x[, 1:2], 3)),
    c(kgroups(kmeans(x, 3), x), "`init`", kgroups(x, 3, init = kmeans(x, 3))),
    c(kgroups(fit, x), "`init`", kgroups(x, 3, init = fit)),
    c(kgroups(select_k(x, 2:3), x), "kgroups(data, x)", kgroups(x, select_k(x, 2:3))),
    c(kgroups(iris, ~Sepal.Length, 3), "A formula comes first", kgroups(~Sepal.Length, 3, data = iris)),
    c(row_blocks(parts), "row_blocks(function(i) x[[i]]", row_blocks(function(i) parts[[i]], length(parts)))
  ),
  arguments = expression(
    c(kgroups(x), "`select_k()`", select_k(x, 2:3)),
    c(kgroups(x, 2:4), "select_k(x, ks)", select_k(x, 2:4)),
    c(kgroups(x, 200), "Lower `k`", kgroups(x, 20)),
    c(kgroups(x, K = 3), "Use `k`.", kgroups(x, k = 3)),
    c(kgroups(x, centers = 3), "Use `k`.", kgroups(x, k = 3)),
    c(kgroups(data = x, k = 3), "Pass the data first", kgroups(x, k = 3)),
    c(kgroups(x, names(x)[1:2], 3), "Columns are chosen before", kgroups(x[names(x)[1:2]], 3)),
    c(kgroups(x, 3, rho_gaussian()), "`semimetric = `", kgroups(x, 3, semimetric = rho_gaussian())),
    c(kgroups(x, 3, distance = "manhattan"), "`semimetric`", kgroups(x, 3, semimetric = "manhattan")),
    c(kgroups(x, 3, semimetric = "rbf"), "`rho_gaussian()`", kgroups(x, 3, semimetric = rho_gaussian())),
    c(kgroups(x, 3, semimetric = dist), "kgroups(dist(x), 3)", kgroups(dist(x), 3)),
    c(kgroups(x, 3, semimetric = rho_power), "`rho_power()`", kgroups(x, 3, semimetric = rho_power())),
    c(kgroups(x, 3, semimetric = f), "`rho_function()`", kgroups(x, 3, semimetric = rho_function(f))),
    c(rho_function(3), "sum(abs(x - y))", rho_function(function(x, y) sum(abs(x - y)))),
    c(kgroups(D, 3, standardize = "within"), "Pass the columns", kgroups(x, 3, standardize = "within")),
    c(kgroups(x, 3, modelNames = "EEE"), "\"within\"", kgroups(x, 3, standardize = "within")),
    c(kgroups(x, 3, noise = 0.05), "Use `trim`", kgroups(x, 3, trim = 0.05)),
    c(kgroups(x, 3, trim = 0.99), "`trim = 0.1`", kgroups(x, 3, trim = 0.1)),
    c(kgroups(x, 3, minsize = 9), "sizes = c(", kgroups(x, 3, sizes = c(9, 99))),
    c(kgroups(x, 3, approx = 100), "nystroem(256)", kgroups(x, 3, approx = nystroem(100))),
    c(kgroups(x, 3, weights = Petal.Width), "`x$w`", kgroups(x, 3, weights = x$Petal.Width)),
    c(kgroups(x, 3, init = x[1:3, ]), "kmeans(x, centers)", kgroups(x, 3, init = kmeans(x, x[c(1, 60, 99), ])$cluster)),
    c(kgroups_mixture(iris, 3), "standardize = \"within\"", kgroups(iris, 3, standardize = "within")),
    c(kgroups_mixture(D, 2), "`kgroups()`", kgroups(D, 2))
  ),
  tests = expression(
    c(energy_test(y ~ Sepal.Length, d), "cut(Sepal.Length, 3)", energy_test(y ~ cut(Sepal.Length, 3), d, R = 19)),
    c(energy_test(y ~ g / unit, d), "`units = unit`", energy_test(y ~ g, d, units = unit, R = 19)),
    c(energy_test(y ~ g * h, d), "interaction(a, b)", energy_test(y ~ interaction(g, h), d, R = 19)),
    c(energy_test(d$y, d$Sepal.Length), "list(x, y)", energy_test(list(d$y, d$Sepal.Length), R = 19)),
    c(energy_test(y ~ g, d, paired = TRUE), "`strata`", energy_test(y ~ g, d, strata = rep(1:75, 2), R = 19)),
    c(energy_test(x, c(50, 100)), "rep(1:2, c(50, 100))", energy_test(x, rep(1:2, c(50, 100)), R = 19)),
    c(energy_test(x, d["g"]), "g[[1]]", energy_test(x, d["g"][[1]], R = 19)),
    c(energy_test(x, d[c("g", "h")]), "interaction(g)", energy_test(x, interaction(d[c("g", "h")]), R = 19)),
    c(energy_test(x, tree), "cutree(tree, k)", suppressWarnings(energy_test(x, cutree(tree, 3), R = 19))),
    c(energy_test(x, d$g, semimetric = 99), "`R = 99`", energy_test(x, d$g, R = 99)),
    c(cluster_test(tree), "cluster_test(x, tree = tree)", cluster_test(x, tree = tree)),
    c(cluster_test(sparse), "as.matrix(x)", cluster_test(as.matrix(sparse))),
    c(cluster_test(x, tree = fit), "kgroups_tree(x)", cluster_test(x, tree = kgroups_tree(x))),
    c(cluster_test(graph), "count_communities()", count_communities(graph))
  ),
  results = expression(
    c(select_k(x, 2:3, method = "silhouette"), "`criterion`", select_k(x, 2:3, criterion = "silhouette")),
    c(relabel(later, first), "predict(by, x)", relabel(later, predict(first, x[51:150, ]))),
    c(relabel(later, few), "predict(by, x)", relabel(later, predict(few, x[51:150, ]))),
    c(relabel(later, "a"), "`by = data$group`", relabel(later, iris$Species[51:150])),
    c(energy_statistics(fit), "energy_statistics(fit$data, fit)", energy_statistics(fit$data, fit)),
    c(describe_clusters(x, fit), "describe_clusters(fit, data)", describe_clusters(fit, x)),
    c(plot(fit, bare), "compare_clusters(fit, other)", compare_clusters(fit, bare)),
    c(plot(fit, x), "plot(fit)", plot(fit)),
    c(plot(fit, main = "a"), "ggplot2::labs(title", ggplot2::autoplot(fit) + ggplot2::labs(title = "a")),
    c(plot(tree, xlab = "a"), "ggplot2::labs(title", ggplot2::autoplot(tree) + ggplot2::labs(title = "a")),
    c(plot(fit, type = "gaps"), "rho_connected()", plot(kgroups(x, 3, semimetric = rho_connected()), type = "gaps")),
    c(predict(bare, x), "keep.data = TRUE", predict(kgroups(x, 3, init = bare$cluster, keep.data = TRUE), x)),
    c(predict(tree, x), "predict(kgroups(x, k), newdata)", predict(kgroups(x, 3), x)),
    c(augment(fit, x[1:9, ]), "`newdata`", augment(fit, newdata = x[1:9, ])),
    c(cutree(fit, 2), "cutree(kgroups_tree(x), k)", cutree(kgroups_tree(x), 2)),
    c(kgroups_tree(fit, semimetric = rho_power(0.5)), "Leave them out", kgroups_tree(fit)),
    c(stability(x), "stability(kgroups(x, k))", stability(kgroups(x, 3), B = 5)),
    c(compare_clusters(list(1:3, 3:1)), "as.list(x)[-1]", compare_clusters(1:3, list(3:1))),
    c(kgroups_changes(x, 1:3, time = days), "x[order(time), ]", kgroups_changes(x[order(days), ], 1:3, time = sort(days))),
    c(kgroups_changes(x, 0:3), "`ks = 1:5`", kgroups_changes(x, 1:5))
  ),
  graphs = expression(
    c(cluster_communities(edges, 2), "graph_from_data_frame(x", cluster_communities(as_graph(edges), 2)),
    c(cluster_communities(A, 2), "graph_from_adjacency_matrix(x", cluster_communities(
      igraph::graph_from_adjacency_matrix(A, mode = "max", weighted = TRUE), 2
    )),
    c(cluster_communities(as.matrix(edges[1:2]), 2), "graph_from_edgelist(x", cluster_communities(
      igraph::graph_from_edgelist(as.matrix(edges[1:2]), directed = FALSE), 2
    )),
    c(cluster_communities(D, 2), "kgroups(x, k)", kgroups(D, 2)),
    c(cluster_communities(signed, 2), "as_gram(A)", suppressWarnings(kgroups(as_gram(A * sign), 2))),
    c(energy_statistics(graph, ends), "igraph::distances(x)", energy_statistics(as.dist(igraph::distances(graph)), ends))
  )
)
