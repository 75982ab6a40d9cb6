# Nearest shrunken centroids by R's pamr: run in this folder with `Rscript pamr.R` (packages pamr and jsonlite). The files here
# were made with R 4.2.2 by the arithmetic of pamr's function nsc alone, without the package, which was not at hand.
library(jsonlite)
options(digits = 17)
nsc <- getFromNamespace("nsc", "pamr")

for (name in c("iris", "banknote", "skulls", "esl_vowel_train")) {
  table <- read.csv(file.path("..", "data", paste0(name, ".csv")), check.names = FALSE)
  X <- t(as.matrix(table[-ncol(table)]))
  labels <- as.character(table[[ncol(table)]])
  y <- factor(labels, levels = sort(unique(labels), method = "radix"))
  some <- seq(1, ncol(X), by = ceiling(ncol(X) / 22))
  invisible(capture.output({
    path <- nsc(X, y)                                  # 30 thresholds
    few <- path$threshold[c(1, 6, 12, 20)]
    held <- nsc(X, y, xtest = X[, some], ytest = y[some], threshold = few, remove.zeros = FALSE)
    equal <- nsc(X, y, xtest = X[, some], ytest = y[some], threshold = few, remove.zeros = FALSE,
                 prior = rep(1 / nlevels(y), nlevels(y)))
  }))
  found <- list(
    classes = levels(y), thresholds = path$threshold, nonzero = path$nonzero, errors = path$errors,
    centroids = unname(t(path$centroids)), overall = unname(path$centroid.overall), sd = unname(path$sd),
    offset = unname(path$offset), rows = some - 1, few = few,
    posteriors = unname(aperm(held$prob, c(3, 1, 2))), posteriors_equal = unname(aperm(equal$prob, c(3, 1, 2)))
  )
  write_json(found, paste0("pamr_", name, ".json"), digits = 17, auto_unbox = TRUE)
}
