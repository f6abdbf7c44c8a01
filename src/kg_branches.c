/* kg_branches.c - the branches that the gaps of a spanning tree leave.
 *
 * Links of equal height are one level, those of equal length within it one step; what a
 * step joins is evaluated all at once, so that nothing depends on the order of rows. A
 * component is heavy once it has a branch. In a step that joins a light component to
 * heavy ones, it takes the branch of the observations that it is joined to; where these
 * are of several branches, all links of the step count, not only those of the tree: the
 * heaviest of these branches has it, and who is joined to equally heavy ones is in a
 * branch of its own, the same for all such of a step. O(n) memory; O(n) time but for such
 * questions, one row of distances each. */
#include "kg_connected.h"
#include <string.h>

static const size_t none = KG_NO_BRANCH;
/* noted beside a branch: another one weighs the same */
static const size_t tied = ~(KG_NO_BRANCH >> 1);

void kg_branches_lay(kg_branches *b, size_t n, kg_room *room) {
  size_t **const sizes[] = {&b->parts.up,       &b->parts.next,     &b->parts.set,
                            &b->parts.many,     &b->branch,         &b->each.side,
                            &b->step.group,     &b->step.host,      &b->step.count,
                            &b->step.middle,    &b->step.seen,      &b->step.touched.row,
                            &b->step.noted.row, &b->step.queue.row, &b->step.near};
  double **const doubles[] = {&b->parts.weight, &b->parts.own, &b->step.tallest,
                              &b->each.lift, &b->each.mass};
  b->n = n;
  for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
    *sizes[a] = KG_TAKE(room, n, size_t);
  for (size_t a = 0; a < sizeof doubles / sizeof *doubles; a++)
    *doubles[a] = KG_TAKE(room, n, double);
  b->merges = KG_TAKE(room, n, kg_meeting);
}

void kg_branches_begin(kg_branches *b, const double *w, const kg_link *links,
                       size_t n_links, kg_ties ties, kg_condense rule) {
  kg_branch_step *step = &b->step;
  KG_CHECK(n_links < b->n);
  KG_CHECK(rule.threshold == kg_snap(rule.threshold));
  b->w = w;
  b->links = links;
  b->n_links = n_links;
  b->ties = ties;
  b->rule = rule;
  b->rule.least *= KG_NEARLY;
  b->rule.small *= KG_NEARLY;
  b->n_branches = b->n_merges = step->at = step->to = 0;
  step->touched.n = step->noted.n = step->queue.n = step->reached = 0;
  b->height_sum = 0;
  step->asking = 0;
  for (size_t i = 0; i < b->n; i++) {
    b->parts.up[i] = b->parts.next[i] = b->each.side[i] = i;
    b->parts.set[i] = b->branch[i] = step->group[i] = step->host[i] = step->middle[i] =
        step->seen[i] = none;
    b->parts.many[i] = step->count[i] = 0;
    b->parts.weight[i] = w[i];
    b->parts.own[i] = step->tallest[i] = b->each.lift[i] = b->each.mass[i] = 0;
  }
}

static size_t top(size_t *up, size_t i) {
  while (up[i] != i)
    i = up[i] = up[up[i]];
  return i;
}

/* All of the component at i belong to a branch. */
static void put(kg_branches *b, size_t i, size_t branch) {
  size_t j = i;
  do {
    b->branch[j] = branch;
    j = b->parts.next[j];
  } while (j != i);
}

static void found_branch(kg_branches *b, size_t p) {
  b->parts.set[p] = b->n_branches;
  b->parts.many[p] = 1;
  b->each.mass[b->n_branches] = b->parts.weight[p];
  put(b, p, b->n_branches++);
}

/* How far the step lies above the threshold, 0 if not at all. */
static double above(const kg_branches *b) {
  double height = b->links[b->step.at].height;
  return height > b->rule.threshold ? height - b->rule.threshold : 0;
}

/* ---- what a step joins ---- */

static void touch(kg_branches *b, size_t p) {
  kg_branch_step *step = &b->step;
  if (step->group[p] != none)
    return;
  step->group[p] = p;
  step->touched.row[step->touched.n++] = p;
}

/* Components by groups, and what each group has of heavy ones. */
static void gather(kg_branches *b) {
  kg_branch_step *step = &b->step;
  for (size_t e = step->at; e < step->to; e++) {
    size_t p = top(b->parts.up, b->links[e].a), q = top(b->parts.up, b->links[e].b);
    touch(b, p);
    touch(b, q);
    step->group[top(step->group, q)] = top(step->group, p);
  }
  for (size_t a = 0; a < step->touched.n; a++) {
    size_t p = step->touched.row[a], g = step->group[p] = top(step->group, p);
    if (b->parts.set[p] == none)
      continue;
    step->host[g] = b->parts.set[p];
    step->count[g] = above(b) > 0 ? step->count[g] + b->parts.many[p] : 1;
    if (b->parts.own[p] > step->tallest[g])
      step->tallest[g] = b->parts.own[p];
  }
}

/* Is it far from all that the step joins it to, by their heights? */
static int stands_apart(const kg_branches *b, size_t p, size_t g) {
  double most = b->rule.threshold;
  if (b->parts.own[p] > most)
    most = b->parts.own[p];
  if (b->step.tallest[g] > most)
    most = b->step.tallest[g];
  return b->parts.weight[p] >= b->rule.small && most > 0 &&
         b->links[b->step.at].height >= kg_snap(b->rule.apart * most);
}

/* Light components beside heavy ones: those that stand apart are branches, those whose
 * group is one branch have it, the rest has to be checked. */
static void place(kg_branches *b) {
  kg_branch_step *step = &b->step;
  for (size_t a = 0; a < step->touched.n; a++) {
    size_t p = step->touched.row[a], g = step->group[p];
    if (b->parts.set[p] != none || step->host[g] == none || !stands_apart(b, p, g))
      continue;
    found_branch(b, p);
    b->each.lift[b->parts.set[p]] = above(b) * b->rule.least / b->parts.weight[p];
    step->count[g]++;
  }
  for (size_t a = 0; a < step->touched.n; a++) {
    size_t p = step->touched.row[a], g = step->group[p], i = p;
    if (b->parts.set[p] != none || step->host[g] == none)
      continue;
    if (step->count[g] == 1) {
      put(b, p, step->host[g]);
      continue;
    }
    do {
      step->queue.row[step->queue.n++] = i;
      i = b->parts.next[i];
    } while (i != p);
  }
  step->asking = step->queue.n > 0;
}

/* ---- questions ---- */

/* The heavier branch counts, as it was before the step. */
static void note(kg_branches *b, size_t p, size_t branch) {
  kg_branch_step *step = &b->step;
  size_t known = step->seen[p] & ~tied;
  branch = top(b->each.side, branch);
  if (step->seen[p] == none) {
    step->noted.row[step->noted.n++] = p;
    step->seen[p] = branch;
  } else if (branch != known) {
    double one = kg_snap(b->each.mass[branch]), other = kg_snap(b->each.mass[known]);
    if (one > other)
      step->seen[p] = branch;
    else if (one == other)
      step->seen[p] |= tied;
  }
}

/* Links of this step at x between what has a branch and what has none. */
static void ask(kg_branches *b, size_t x) {
  kg_branch_step *step = &b->step;
  const kg_link *link = b->links + step->at;
  size_t p = top(b->parts.up, x),
         many = b->ties.at(b->ties.context, x, link->length, step->near);
  for (size_t a = 0; a < many; a++) {
    size_t y = step->near[a], q = top(b->parts.up, y);
    double one = b->ties.core[x], other = b->ties.core[y];
    double core = one > other ? one : other;
    double height = link->length > core ? link->length : core;
    if (height != link->height || q == p || step->group[q] != step->group[p])
      continue;
    if (step->asking == 1 && b->branch[y] != none)
      note(b, p, b->branch[y]);
    if (step->asking == 2 && b->branch[y] == none)
      note(b, q, b->branch[x]);
  }
}

/* Who was noted gets a branch, and is processed next. */
static void answer(kg_branches *b) {
  kg_branch_step *step = &b->step;
  step->queue.n = step->reached = 0;
  for (size_t a = 0; a < step->noted.n; a++) {
    size_t p = step->noted.row[a], g = step->group[p], branch = step->seen[p], i = p;
    step->seen[p] = none;
    if (!(branch & tied)) {
      put(b, p, branch);
    } else if (step->middle[g] != none) {
      put(b, p, step->middle[g]);
    } else {
      found_branch(b, p);
      step->middle[g] = b->parts.set[p];
      b->each.mass[b->parts.set[p]] = 0; /* as before the step */
      step->count[g]++;
    }
    do {
      step->queue.row[step->queue.n++] = i;
      i = b->parts.next[i];
    } while (i != p);
  }
  step->noted.n = 0;
  step->asking = step->queue.n > 0 ? 2 : 0;
}

/* ---- the end of a step ---- */

static void join(kg_branches *b, size_t e) {
  size_t p = top(b->parts.up, b->links[e].a), q = top(b->parts.up, b->links[e].b), larger,
         next;
  b->height_sum += b->links[e].height * b->parts.weight[p] * b->parts.weight[q];
  if (b->parts.set[p] != none && b->parts.set[q] != none) {
    if (above(b) > 0) {
      kg_meeting meeting = {above(b), b->parts.set[p], b->parts.set[q],
                            b->parts.weight[p], b->parts.weight[q]};
      b->merges[b->n_merges++] = meeting;
    } else { /* no gap: one branch from here on */
      size_t one = top(b->each.side, b->parts.set[p]),
             other = top(b->each.side, b->parts.set[q]);
      size_t kept = one < other ? one : other, lost = one < other ? other : one;
      b->each.side[lost] = kept;
      if (kept != lost)
        b->each.mass[kept] += b->each.mass[lost];
    }
  }
  /* the larger stays on top */
  larger = b->parts.weight[q] > b->parts.weight[p] ? q : p;
  b->parts.set[larger] = b->parts.set[p] == none ? b->parts.set[q] : b->parts.set[p];
  b->parts.weight[larger] = b->parts.weight[p] + b->parts.weight[q];
  b->parts.up[larger == p ? q : p] = larger;
  next = b->parts.next[p]; /* two rings become one */
  b->parts.next[p] = b->parts.next[q];
  b->parts.next[q] = next;
}

static void finish(kg_branches *b) {
  kg_branch_step *step = &b->step;
  double height = b->links[step->at].height;
  for (size_t a = 0; a < step->touched.n; a++) {
    size_t p = step->touched.row[a], g = step->group[p];
    if (b->parts.set[p] != none && b->parts.set[p] != step->middle[g])
      continue;
    step->tallest[g] = height; /* it has grown */
    if (step->host[g] == none)
      continue;
    if (b->branch[p] == none)
      put(b, p, step->host[g]); /* no link was seen, as no distance is a number */
    b->each.mass[top(b->each.side, b->branch[p])] += b->parts.weight[p];
  }
  for (size_t e = step->at; e < step->to; e++)
    join(b, e);
  for (size_t a = 0; a < step->touched.n; a++) {
    size_t p = step->touched.row[a], g = step->group[p], now = top(b->parts.up, p);
    b->parts.many[now] = step->count[g];
    b->parts.own[now] = step->tallest[g];
  }
  for (size_t a = 0; a < step->touched.n; a++) {
    size_t p = step->touched.row[a], g = step->group[p];
    step->host[g] = step->middle[g] = none;
    step->count[g] = 0;
    step->tallest[g] = 0;
  }
  for (size_t a = 0; a < step->touched.n; a++)
    step->group[step->touched.row[a]] = none;
  step->touched.n = 0;
}

/* The points that a level puts together are a branch if it is heavy. */
static void end_level(kg_branches *b, size_t to) {
  double height = to > 0 ? b->links[to - 1].height : 0;
  for (size_t e = to; e > 0 && b->links[e - 1].height == height; e--) {
    size_t p = top(b->parts.up, b->links[e - 1].a);
    if (b->parts.set[p] == none && b->parts.weight[p] >= b->rule.least)
      found_branch(b, p);
  }
}

/* The weight that equal observations weigh together decides before any link of a length.
 */
static void start(kg_branches *b) {
  kg_branch_step *step = &b->step;
  while (step->to < b->n_links && b->links[step->to].height == 0)
    step->to++;
  if (step->to > 0) {
    gather(b);
    finish(b);
  }
  step->at = step->to;
  for (size_t i = 0; i < b->n; i++) {
    size_t p = top(b->parts.up, i);
    if (b->parts.set[p] == none && b->parts.weight[p] > 0 &&
        b->parts.weight[p] >= b->rule.least)
      found_branch(b, p);
  }
}

int kg_branches_grow(kg_branches *b, size_t steps) {
  kg_branch_step *step = &b->step;
  size_t done = 0;
  if (step->at == 0 && step->touched.n == 0)
    start(b);
  while (done < steps && (step->at < b->n_links || step->asking)) {
    if (step->touched.n == 0) {
      const kg_link *first = b->links + step->at;
      step->to = step->at;
      while (step->to < b->n_links && b->links[step->to].height == first->height &&
             b->links[step->to].length == first->length)
        step->to++;
      KG_CHECK(step->to > step->at); /* heights are finite */
      gather(b);
      place(b);
    }
    for (; step->asking && step->reached < step->queue.n && done < steps;
         done += 1 + b->n / 8)
      ask(b, step->queue.row[step->reached++]);
    if (step->asking && step->reached == step->queue.n)
      answer(b);
    if (step->asking)
      continue;
    finish(b);
    if (step->to == b->n_links || b->links[step->to].height != b->links[step->at].height)
      end_level(b, step->to);
    done += step->to - step->at;
    step->at = step->to;
  }
  return step->at == b->n_links;
}

void kg_branches_end(kg_branches *b, size_t *number) {
  size_t many = 0;
  if (b->n_branches == 0) {
    for (size_t i = 0; i < b->n; i++)
      b->branch[i] = b->w[i] > 0 ? 0 : none;
    b->n_branches = 1;
    return;
  }
  for (size_t a = 0; a < b->n_branches; a++)
    number[a] = none;
  for (size_t i = 0; i < b->n; i++) {
    if (b->branch[i] == none)
      continue;
    size_t a = top(b->each.side, b->branch[i]);
    if (number[a] == none)
      number[a] = many++;
    b->branch[i] = number[a];
  }
  double *lift = b->step.tallest; /* which is 0 throughout */
  for (size_t a = 0; a < b->n_branches; a++)
    if (b->each.lift[a] > 0) /* no others are in it */
      lift[number[a]] = b->each.lift[a];
  b->each.lift = lift;
  for (size_t m = 0; m < b->n_merges; m++) {
    b->merges[m].a = number[top(b->each.side, b->merges[m].a)];
    b->merges[m].b = number[top(b->each.side, b->merges[m].b)];
  }
  b->n_branches = many;
}

void kg_branch_heights(const kg_branches *b, size_t *number, double *H) {
  size_t m = b->n_branches, *next = number; /* sides as rings */
  for (size_t a = 0; a < m; a++)
    next[a] = a;
  memset(H, 0, m * m * sizeof(double));
  for (size_t e = 0; e < b->n_merges; e++) {
    const kg_meeting *meeting = b->merges + e;
    size_t one = meeting->a, other = meeting->b, i = one;
    do {
      size_t j = other;
      do {
        H[i + j * m] = H[j + i * m] = meeting->height;
        j = next[j];
      } while (j != other);
      i = next[i];
    } while (i != one);
    i = next[one]; /* one ring */
    next[one] = next[other];
    next[other] = i;
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++) {
      double least =
          b->each.lift[i] > b->each.lift[j] ? b->each.lift[i] : b->each.lift[j];
      if (i != j && H[i + j * m] < least)
        H[i + j * m] = least;
    }
}
