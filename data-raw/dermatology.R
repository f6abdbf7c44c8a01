# Makes inst/extdata/dermatology.csv: names for the columns, words for the classes; the
# values stay as they are.
#
#   Rscript data-raw/dermatology.R             from the package ICGE (CRAN), which holds them
#   Rscript data-raw/dermatology.R SOURCE.csv  from a csv with 34 attributes and the class,
#                                              1 to 6, in UCI's order, any column names
#
# Run at the root of the package.

source_file <- commandArgs(TRUE)
if (length(source_file)) {
  values <- as.matrix(utils::read.csv(source_file[1], na.strings = c("NA", "?")))
} else {
  data("dermatology", package = "ICGE", envir = environment())
  values <- as.matrix(dermatology)
}

# UCI's names (dermatology.names); "monoluclear inflitrate" and "microabcess" there are
# misspelt.
attributes_of <- c(
  "erythema", "scaling", "definite_borders", "itching", "koebner_phenomenon",
  "polygonal_papules", "follicular_papules", "oral_mucosal_involvement",
  "knee_and_elbow_involvement", "scalp_involvement", "family_history",
  "melanin_incontinence", "eosinophils_in_the_infiltrate", "pnl_infiltrate",
  "fibrosis_of_the_papillary_dermis", "exocytosis", "acanthosis", "hyperkeratosis",
  "parakeratosis", "clubbing_of_the_rete_ridges", "elongation_of_the_rete_ridges",
  "thinning_of_the_suprapapillary_epidermis", "spongiform_pustule", "munro_microabscess",
  "focal_hypergranulosis", "disappearance_of_the_granular_layer",
  "vacuolisation_and_damage_of_basal_layer", "spongiosis",
  "saw_tooth_appearance_of_retes", "follicular_horn_plug",
  "perifollicular_parakeratosis", "inflammatory_mononuclear_infiltrate",
  "band_like_infiltrate", "age"
)
diagnoses <- c(
  "psoriasis", "seborrheic dermatitis", "lichen planus", "pityriasis rosea",
  "chronic dermatitis", "pityriasis rubra pilaris"
)

stopifnot(
  identical(dim(values), c(366L, 35L)),
  is.numeric(values),
  identical(as.vector(table(values[, 35])), c(112L, 61L, 72L, 49L, 52L, 20L)),
  # Only ages are missing, 8 of them, and only age exceeds 3.
  identical(unname(which(colSums(is.na(values)) > 0)), 34L),
  sum(is.na(values)) == 8,
  all(values[, 1:33] %in% 0:3),
  all(values[, 11] %in% 0:1)
)

dermatology <- as.data.frame(values[, 1:34])
names(dermatology) <- attributes_of
dermatology$class <- diagnoses[values[, 35]]

utils::write.csv(dermatology, file.path("inst", "extdata", "dermatology.csv"),
  row.names = FALSE, quote = FALSE
)
