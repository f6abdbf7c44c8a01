/* kg_codes.c - pairwise dissimilarities of points with categories. */
#include "kg_codes.h"
#include "kg_check.h"
#include "kg_loops.h"

/* value: -1/2 of the squared distances of the numbers, to -rho/2 */
static void finish(const kg_codes *codes, double *value, size_t width) {
  for (size_t j = 0; j < width; j++)
    value[j] *= -2;
  kg_from_squares(codes->rho, value, width);
}

static void codes_block(const kg_pairs *pairs, const size_t *rows, size_t n_rows,
                        size_t from, size_t to, double *out) {
  KG_CHECK(from <= to && to <= pairs->n);
  const kg_codes *codes = (const kg_codes *)pairs->context;
  size_t n = pairs->n, width = to - from;
  double unequal[KG_STRIP];
  kg_block(&codes->numbers, rows, n_rows, from, to, out);
  for (size_t r = 0; r < n_rows; r++)
    for (size_t at = 0; at < width; at += KG_STRIP) {
      size_t strip = width - at < KG_STRIP ? width - at : KG_STRIP;
      double *value = out + r * width + at;
      for (size_t c = 0; c < codes->q; c++) {
        const double *code = codes->code + c * n;
        kg_chosen_loops->sums1(KG_SUM_UNEQUAL, 0, code + from + at, n, 1, code + rows[r], n,
                               strip, unequal);
        kg_chosen_loops->add(unequal, -codes->apart[c] / 2, strip, value);
      }
      finish(codes, value, strip);
    }
}

static void codes_among(const kg_pairs *pairs, size_t i, const size_t *columns,
                        size_t many, double *out) {
  const kg_codes *codes = (const kg_codes *)pairs->context;
  kg_among(&codes->numbers, i, columns, many, out);
  for (size_t c = 0; c < codes->q; c++) {
    const double *code = codes->code + c * pairs->n, own = code[i];
    for (size_t a = 0; a < many; a++)
      out[a] -= code[columns[a]] == own ? 0 : codes->apart[c] / 2;
  }
  finish(codes, out, many);
}

static kg_pairs codes_copy(const kg_pairs *pairs, const size_t *rows, size_t m,
                           kg_room *room) {
  const kg_codes *from = (const kg_codes *)pairs->context;
  kg_codes *some = KG_TAKE(room, 1, kg_codes), copied = *from;
  copied.numbers = from->numbers.store->copy(&from->numbers, rows, m, room);
  copied.code = kg_copy_rows(from->code, pairs->n, from->q, rows, m, room);
  if (!some)
    return *pairs;
  *some = copied;
  return kg_codes_pairs(some);
}

static const kg_store codes_store = {
    .block = codes_block, .among = codes_among, .copy = codes_copy};

kg_pairs kg_codes_pairs(const kg_codes *codes) {
  KG_CHECK(codes->q > 0);
  size_t n = codes->numbers.n;
  double cost = codes->numbers.cost + 2 * (double)codes->q;
  kg_pairs p = {&codes_store, n, cost, {NULL, n, 0, codes->rho}, NULL, NULL, codes};
  return p;
}
