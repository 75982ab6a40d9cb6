# Statistics of discriminant analysis by R: run in this folder with `Rscript oracles.R`.
# R 4.x with MASS, car and jsonlite (Debian: r-base-core r-cran-mass r-cran-car r-cran-jsonlite).
suppressMessages({library(MASS); library(jsonlite)})
options(digits = 17)

read <- function(name) {
  table <- read.csv(file.path("..", "data", paste0(name, ".csv")), check.names = FALSE)
  y <- factor(table[[ncol(table)]], levels = sort(unique(as.character(table[[ncol(table)]])), method = "radix"))
  list(X = as.matrix(table[-ncol(table)]), y = y)
}

multivariate <- function(X, y) {
  fit <- manova(X ~ y)
  names <- c(wilks = "Wilks", pillai = "Pillai", hotelling_lawley = "Hotelling-Lawley", roy = "Roy")
  lapply(names, function(test) {
    row <- summary(fit, test = test)$stats["y", ]
    list(statistic = row[[2]], f = row[[3]], df_num = row[[4]], df_den = row[[5]], p_value = row[[6]])
  })
}

# Canonical correlations of the columns with indicators of the classes.
canonical <- function(X, y) {
  indicators <- model.matrix(~ y)[, -1, drop = FALSE]
  cancor(X, indicators)$cor[seq_len(min(ncol(X), nlevels(y) - 1))]
}

pairs <- function(X, y) {
  n <- nrow(X); k <- nlevels(y); p <- ncol(X)
  S <- crossprod(residuals(lm(X ~ y))) / (n - k)
  means <- apply(X, 2, function(x) tapply(x, y, mean))
  D2 <- sapply(seq_len(k), function(i) mahalanobis(means, means[i, ], S))
  size <- as.vector(table(y))
  F <- outer(size, size) / outer(size, size, "+") * D2 * (n - k - p + 1) / (p * (n - k))
  list(mahalanobis = D2, f = F, p_value = pf(F, p, n - k - p + 1, lower.tail = FALSE))
}

univariate <- function(X, y) {
  rows <- lapply(seq_len(ncol(X)), function(j) {
    fit <- lm(X[, j] ~ y); row <- anova(fit)[1, ]
    list(f = row[["F value"]], p_value = row[["Pr(>F)"]], r_squared = summary(fit)$r.squared)
  })
  list(f = sapply(rows, `[[`, "f"), p_value = sapply(rows, `[[`, "p_value"),
       r_squared = sapply(rows, `[[`, "r_squared"))
}

# Coefficients by the pooled standard deviations, correlations of columns with the axes, class means.
reading <- function(X, y) {
  fit <- lda(X, y)  # divisor n - K
  scores <- predict(fit, X)$x
  within <- function(M) residuals(lm(M ~ y))
  deviations <- sqrt(colSums(within(X)^2) / (nrow(X) - nlevels(y)))
  list(
    scaling = unname(fit$scaling), proportion = fit$svd^2 / sum(fit$svd^2),
    standardized = unname(fit$scaling * deviations),
    within = unname(cor(within(X), within(scores))), total = unname(cor(X, scores)),
    between = unname(cor(fitted(lm(X ~ y)), fitted(lm(scores ~ y)))),
    means = unname(predict(fit, fit$means)$x)
  )
}

lambda <- function(X, y, S) {
  if (length(S) == 0) return(1)
  W <- crossprod(residuals(lm(X[, S, drop = FALSE] ~ y)))
  T <- crossprod(scale(X[, S, drop = FALSE], scale = FALSE))
  exp(as.numeric(determinant(W)$modulus - determinant(T)$modulus))
}

partial_f <- function(ratio, df_num, df_den) (1 - ratio) / ratio * df_den / df_num

# SAS's STEPDISC: F to enter and to remove at the level 0.15, from subsets fitted anew each time.
stepwise <- function(X, y, level = 0.15) {
  n <- nrow(X); k <- nlevels(y); S <- integer(0); path <- list()
  repeat {
    now <- lambda(X, y, S); df <- n - k - length(S)
    if (length(S) > 0) {
      stay <- sapply(S, function(j) partial_f(now / lambda(X, y, setdiff(S, j)), k - 1, df + 1))
      p <- pf(stay, k - 1, df + 1, lower.tail = FALSE)
      if (max(p) > level) {
        at <- which.max(p)
        path[[length(path) + 1]] <- list(action = "remove", column = S[at] - 1, f = stay[at], p_value = p[at])
        S <- S[-at]; next
      }
    }
    rest <- setdiff(seq_len(ncol(X)), S)
    if (length(rest) == 0 || df < 1) break
    enter <- sapply(rest, function(j) partial_f(lambda(X, y, c(S, j)) / now, k - 1, df))
    p <- pf(enter, k - 1, df, lower.tail = FALSE)
    if (min(p) > level) break
    at <- which.max(enter)
    path[[length(path) + 1]] <- list(action = "enter", column = rest[at] - 1, f = enter[at], p_value = p[at],
                                     wilks = lambda(X, y, c(S, rest[at])))
    S <- c(S, rest[at])
    if (length(path) > 4 * ncol(X)) stop("no end")
  }
  path
}

to_remove <- function(X, y) {
  all <- seq_len(ncol(X)); now <- lambda(X, y, all)
  ratio <- sapply(all, function(j) now / lambda(X, y, setdiff(all, j)))
  list(partial_lambda = ratio, f = partial_f(ratio, nlevels(y) - 1, nrow(X) - nlevels(y) - ncol(X) + 1))
}

confusion <- function(fit, y) unclass(unname(table(y, factor(fit$class, levels = levels(y)))))

for (name in c("iris", "banknote", "skulls", "esl_vowel_train")) {
  data <- read(name); X <- data$X; y <- data$y
  found <- list(
    R = R.version.string, classes = levels(y),
    multivariate = multivariate(X, y), canonical_correlations = canonical(X, y),
    pairs = pairs(X, y), univariate = univariate(X, y), reading = reading(X, y),
    stepwise = stepwise(X, y), to_remove = to_remove(X, y),
    loo_confusion = list(
      lda = confusion(lda(X, y, CV = TRUE), y), qda = confusion(qda(X, y, CV = TRUE), y),
      lda_mle = confusion(lda(X, y, CV = TRUE, method = "mle"), y)
    )
  )
  write(toJSON(found, digits = I(17), auto_unbox = TRUE, matrix = "rowmajor"), paste0("r_", name, ".json"))
}
