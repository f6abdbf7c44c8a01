/* kg_units.c - units of a constrained partition: their weights, distances and moves. */
#include "kg_units.h"
#include "kg_check.h"

void kg_units_lay(kg_units *u, kg_engine *e, size_t m, kg_room *room) {
  u->e = e;
  u->m = m;
  u->w = KG_TAKE(room, m, double);
  u->inner = KG_TAKE(room, m, double);
  u->count = KG_TAKE(room, m, size_t);
  u->label = KG_TAKE(room, m, int);
  u->values = KG_TAKE(room, e->n, double);
}

void kg_units_poll(kg_units *u, double work) {
  if (u->poll)
    u->poll(&u->left, work);
}

static void among(const kg_input *input, size_t x, const size_t *rows, size_t many,
                  double *out) {
  if (input->kind->among) {
    input->kind->among(input, x, rows, many, out);
    return;
  }
  for (size_t r = 0; r < many; r++)
    input->kind->rho(input, x, rows[r], rows[r] + 1, out + r);
}

/* The share of a row in its unit. */
static double share(const kg_units *u, size_t i, size_t row) {
  return u->w[i] > 0 ? u->e->w[row] / u->w[i] : 1 / (double)kg_unit_rows(u, i);
}

void kg_units_begin(kg_units *u) {
  const kg_engine *e = u->e;
  u->each = 4 + e->input->kind->row_work(e->input) / (double)e->n;
  for (size_t i = 0; i < u->m; i++) {
    size_t many = kg_unit_rows(u, i);
    u->w[i] = u->inner[i] = 0;
    u->count[i] = 0;
    for (size_t r = 0; r < many; r++) {
      double w = e->w[kg_unit_row(u, i, r)];
      u->w[i] += w;
      u->count[i] += w > 0;
    }
    for (size_t r = 1; r < many; r++) {
      size_t x = kg_unit_row(u, i, r);
      double sum = 0;
      among(e->input, x, u->row + u->first[i], r, u->values);
      for (size_t q = 0; q < r; q++)
        sum += share(u, i, kg_unit_row(u, i, q)) * u->values[q];
      u->inner[i] += share(u, i, x) * sum;
      kg_units_poll(u, u->each * (double)r);
    }
  }
}

void kg_units_read(kg_units *u) {
  for (size_t i = 0; i < u->m; i++)
    u->label[i] = u->e->label[kg_unit_row(u, i, 0)];
}

double kg_units_d2(const kg_units *u, size_t i, size_t l) {
  const kg_engine *e = u->e;
  KG_CHECK(i < u->m && l < e->k);
  if (!u->first)
    return e->input->kind->d2(e, i, l);
  double sum = 0;
  for (size_t r = 0; r < kg_unit_rows(u, i); r++) {
    size_t row = kg_unit_row(u, i, r);
    sum += share(u, i, row) * e->input->kind->d2(e, row, l);
  }
  return sum - u->inner[i];
}

double kg_units_rho(const kg_units *u, size_t i, size_t j) {
  const kg_input *input = u->e->input;
  double sum = 0, rho;
  for (size_t r = 0; r < kg_unit_rows(u, i); r++)
    for (size_t q = 0; q < kg_unit_rows(u, j); q++) {
      size_t x = kg_unit_row(u, i, r), y = kg_unit_row(u, j, q);
      input->kind->rho(input, x, y, y + 1, &rho);
      sum += u->first ? share(u, i, x) * share(u, j, y) * rho : rho;
    }
  return sum - u->inner[i] - u->inner[j];
}

double kg_units_between(kg_units *u, const size_t *one, size_t n_one, const size_t *other,
                        size_t n_other) {
  const kg_engine *e = u->e;
  double total = 0;
  for (size_t a = 0; a < n_one; a++)
    for (size_t r = 0; r < kg_unit_rows(u, one[a]); r++) {
      size_t x = kg_unit_row(u, one[a], r);
      if (!u->first) {
        double sum = 0;
        among(e->input, x, other, n_other, u->values);
        for (size_t c = 0; c < n_other; c++)
          sum += e->w[other[c]] * u->values[c];
        total += e->w[x] * sum;
      }
      for (size_t c = 0; c < n_other && u->first; c++) {
        const size_t *rows = u->row + u->first[other[c]];
        among(e->input, x, rows, kg_unit_rows(u, other[c]), u->values);
        for (size_t q = 0; q < kg_unit_rows(u, other[c]); q++)
          total += e->w[x] * e->w[rows[q]] * u->values[q];
      }
      kg_units_poll(u, u->each * (double)n_other);
    }
  return total;
}

void kg_units_move(kg_units *u, size_t i, size_t l) {
  kg_engine *e = u->e;
  KG_CHECK((size_t)u->label[i] != l);
  for (size_t r = 0; r < kg_unit_rows(u, i); r++) {
    double before = e->work;
    e->input->kind->move(e, kg_unit_row(u, i, r), l);
    kg_units_poll(u, e->work - before);
  }
  u->label[i] = (int)l;
}
