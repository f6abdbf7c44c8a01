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
  size_t **const sizes[] = {&b->up,   &b->next,    &b->set,   &b->many,  &b->branch,
                            &b->side, &b->group,   &b->host,  &b->count, &b->middle,
                            &b->seen, &b->touched, &b->noted, &b->queue, &b->near};
  double **const doubles[] = {&b->weight, &b->own, &b->tallest, &b->lift, &b->mass};
  b->n = n;
  for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
    *sizes[a] = KG_TAKE(room, n, size_t);
  for (size_t a = 0; a < sizeof doubles / sizeof *doubles; a++)
    *doubles[a] = KG_TAKE(room, n, double);
  b->merges = KG_TAKE(room, n, kg_meeting);
}

void kg_branches_begin(kg_branches *b, const double *w, const kg_link *links, size_t n_links,
                       kg_ties ties, kg_condense rule) {
  KG_CHECK(n_links < b->n);
  KG_CHECK(rule.threshold == kg_snap(rule.threshold));
  b->w = w;
  b->links = links;
  b->n_links = n_links;
  b->ties = ties;
  b->rule = rule;
  b->rule.least *= KG_NEARLY;
  b->rule.small *= KG_NEARLY;
  b->n_branches = b->n_merges = b->at = b->to = 0;
  b->n_touched = b->n_noted = b->n_queue = b->requested = 0;
  b->height_sum = 0;
  b->asking = 0;
  for (size_t i = 0; i < b->n; i++) {
    b->up[i] = b->next[i] = b->side[i] = i;
    b->set[i] = b->branch[i] = b->group[i] = b->host[i] = b->middle[i] = b->seen[i] =
        none;
    b->many[i] = b->count[i] = 0;
    b->weight[i] = w[i];
    b->own[i] = b->tallest[i] = b->lift[i] = b->mass[i] = 0;
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
    j = b->next[j];
  } while (j != i);
}

static void found_branch(kg_branches *b, size_t p) {
  b->set[p] = b->n_branches;
  b->many[p] = 1;
  b->mass[b->n_branches] = b->weight[p];
  put(b, p, b->n_branches++);
}

/* How far the step lies above the threshold, 0 if not at all. */
static double above(const kg_branches *b) {
  double height = b->links[b->at].height;
  return height > b->rule.threshold ? height - b->rule.threshold : 0;
}

/* ---- what a step joins ---- */

static void touch(kg_branches *b, size_t p) {
  if (b->group[p] != none)
    return;
  b->group[p] = p;
  b->touched[b->n_touched++] = p;
}

/* Components by groups, and what each group has of heavy ones. */
static void gather(kg_branches *b) {
  for (size_t e = b->at; e < b->to; e++) {
    size_t p = top(b->up, b->links[e].a), q = top(b->up, b->links[e].b);
    touch(b, p);
    touch(b, q);
    b->group[top(b->group, q)] = top(b->group, p);
  }
  for (size_t a = 0; a < b->n_touched; a++) {
    size_t p = b->touched[a], g = b->group[p] = top(b->group, p);
    if (b->set[p] == none)
      continue;
    b->host[g] = b->set[p];
    b->count[g] = above(b) > 0 ? b->count[g] + b->many[p] : 1;
    if (b->own[p] > b->tallest[g])
      b->tallest[g] = b->own[p];
  }
}

/* Is it far from all that the step joins it to, by their heights? */
static int stands_apart(const kg_branches *b, size_t p, size_t g) {
  double most = b->rule.threshold;
  if (b->own[p] > most)
    most = b->own[p];
  if (b->tallest[g] > most)
    most = b->tallest[g];
  return b->weight[p] >= b->rule.small && most > 0 &&
         b->links[b->at].height >= kg_snap(b->rule.apart * most);
}

/* Light components beside heavy ones: those that stand apart are branches, those whose
 * group is one branch have it, the rest has to be checked. */
static void place(kg_branches *b) {
  for (size_t a = 0; a < b->n_touched; a++) {
    size_t p = b->touched[a], g = b->group[p];
    if (b->set[p] != none || b->host[g] == none || !stands_apart(b, p, g))
      continue;
    found_branch(b, p);
    b->lift[b->set[p]] = above(b) * b->rule.least / b->weight[p];
    b->count[g]++;
  }
  for (size_t a = 0; a < b->n_touched; a++) {
    size_t p = b->touched[a], g = b->group[p], i = p;
    if (b->set[p] != none || b->host[g] == none)
      continue;
    if (b->count[g] == 1) {
      put(b, p, b->host[g]);
      continue;
    }
    do {
      b->queue[b->n_queue++] = i;
      i = b->next[i];
    } while (i != p);
  }
  b->asking = b->n_queue > 0;
}

/* ---- questions ---- */

/* The heavier branch counts, as it was before the step. */
static void note(kg_branches *b, size_t p, size_t branch) {
  size_t known = b->seen[p] & ~tied;
  branch = top(b->side, branch);
  if (b->seen[p] == none) {
    b->noted[b->n_noted++] = p;
    b->seen[p] = branch;
  } else if (branch != known) {
    double one = kg_snap(b->mass[branch]), other = kg_snap(b->mass[known]);
    if (one > other)
      b->seen[p] = branch;
    else if (one == other)
      b->seen[p] |= tied;
  }
}

/* Links of this step at x between what has a branch and what has none. */
static void ask(kg_branches *b, size_t x) {
  const kg_link *link = b->links + b->at;
  size_t p = top(b->up, x), many = b->ties.at(b->ties.context, x, link->length, b->near);
  for (size_t a = 0; a < many; a++) {
    size_t y = b->near[a], q = top(b->up, y);
    double one = b->ties.core[x], other = b->ties.core[y];
    double core = one > other ? one : other;
    double height = link->length > core ? link->length : core;
    if (height != link->height || q == p || b->group[q] != b->group[p])
      continue;
    if (b->asking == 1 && b->branch[y] != none)
      note(b, p, b->branch[y]);
    if (b->asking == 2 && b->branch[y] == none)
      note(b, q, b->branch[x]);
  }
}

/* Who was noted gets a branch, and is processed next. */
static void answer(kg_branches *b) {
  b->n_queue = b->requested = 0;
  for (size_t a = 0; a < b->n_noted; a++) {
    size_t p = b->noted[a], g = b->group[p], branch = b->seen[p], i = p;
    b->seen[p] = none;
    if (!(branch & tied)) {
      put(b, p, branch);
    } else if (b->middle[g] != none) {
      put(b, p, b->middle[g]);
    } else {
      found_branch(b, p);
      b->middle[g] = b->set[p];
      b->mass[b->set[p]] = 0; /* as before the step */
      b->count[g]++;
    }
    do {
      b->queue[b->n_queue++] = i;
      i = b->next[i];
    } while (i != p);
  }
  b->n_noted = 0;
  b->asking = b->n_queue > 0 ? 2 : 0;
}

/* ---- the end of a step ---- */

static void join(kg_branches *b, size_t e) {
  size_t p = top(b->up, b->links[e].a), q = top(b->up, b->links[e].b), larger, next;
  b->height_sum += b->links[e].height * b->weight[p] * b->weight[q];
  if (b->set[p] != none && b->set[q] != none) {
    if (above(b) > 0) {
      kg_meeting meeting = {above(b), b->set[p], b->set[q], b->weight[p], b->weight[q]};
      b->merges[b->n_merges++] = meeting;
    } else { /* no gap: one branch from here on */
      size_t one = top(b->side, b->set[p]), other = top(b->side, b->set[q]);
      size_t kept = one < other ? one : other, lost = one < other ? other : one;
      b->side[lost] = kept;
      if (kept != lost)
        b->mass[kept] += b->mass[lost];
    }
  }
  /* the larger stays on top */
  larger = b->weight[q] > b->weight[p] ? q : p;
  b->set[larger] = b->set[p] == none ? b->set[q] : b->set[p];
  b->weight[larger] = b->weight[p] + b->weight[q];
  b->up[larger == p ? q : p] = larger;
  next = b->next[p]; /* two rings become one */
  b->next[p] = b->next[q];
  b->next[q] = next;
}

static void finish(kg_branches *b) {
  double height = b->links[b->at].height;
  for (size_t a = 0; a < b->n_touched; a++) {
    size_t p = b->touched[a], g = b->group[p];
    if (b->set[p] != none && b->set[p] != b->middle[g])
      continue;
    b->tallest[g] = height; /* it has grown */
    if (b->host[g] == none)
      continue;
    if (b->branch[p] == none)
      put(b, p, b->host[g]); /* no link was seen, as no distance is a number */
    b->mass[top(b->side, b->branch[p])] += b->weight[p];
  }
  for (size_t e = b->at; e < b->to; e++)
    join(b, e);
  for (size_t a = 0; a < b->n_touched; a++) {
    size_t p = b->touched[a], g = b->group[p], now = top(b->up, p);
    b->many[now] = b->count[g];
    b->own[now] = b->tallest[g];
  }
  for (size_t a = 0; a < b->n_touched; a++) {
    size_t p = b->touched[a], g = b->group[p];
    b->host[g] = b->middle[g] = none;
    b->count[g] = 0;
    b->tallest[g] = 0;
  }
  for (size_t a = 0; a < b->n_touched; a++)
    b->group[b->touched[a]] = none;
  b->n_touched = 0;
}

/* The points that a level put together is a branch if it is heavy. */
static void end_level(kg_branches *b, size_t to) {
  double height = to > 0 ? b->links[to - 1].height : 0;
  for (size_t e = to; e > 0 && b->links[e - 1].height == height; e--) {
    size_t p = top(b->up, b->links[e - 1].a);
    if (b->set[p] == none && b->weight[p] >= b->rule.least)
      found_branch(b, p);
  }
}

/* The weight that equal observations weigh together decides before any link of a length. */
static void start(kg_branches *b) {
  while (b->to < b->n_links && b->links[b->to].height == 0)
    b->to++;
  if (b->to > 0) {
    gather(b);
    finish(b);
  }
  b->at = b->to;
  for (size_t i = 0; i < b->n; i++) {
    size_t p = top(b->up, i);
    if (b->set[p] == none && b->weight[p] > 0 && b->weight[p] >= b->rule.least)
      found_branch(b, p);
  }
}

int kg_branches_grow(kg_branches *b, size_t steps) {
  size_t done = 0;
  if (b->at == 0 && b->n_touched == 0)
    start(b);
  while (done < steps && (b->at < b->n_links || b->asking)) {
    if (b->n_touched == 0) {
      const kg_link *first = b->links + b->at;
      b->to = b->at;
      while (b->to < b->n_links && b->links[b->to].height == first->height &&
             b->links[b->to].length == first->length)
        b->to++;
      gather(b);
      place(b);
    }
    for (; b->asking && b->requested < b->n_queue && done < steps; done += 1 + b->n / 8)
      ask(b, b->queue[b->requested++]);
    if (b->asking && b->requested == b->n_queue)
      answer(b);
    if (b->asking)
      continue;
    finish(b);
    if (b->to == b->n_links || b->links[b->to].height != b->links[b->at].height)
      end_level(b, b->to);
    done += b->to - b->at;
    b->at = b->to;
  }
  return b->at == b->n_links;
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
    size_t a = top(b->side, b->branch[i]);
    if (number[a] == none)
      number[a] = many++;
    b->branch[i] = number[a];
  }
  double *lift = b->tallest; /* which is 0 throughout */
  for (size_t a = 0; a < b->n_branches; a++)
    if (b->lift[a] > 0) /* no others are in it */
      lift[number[a]] = b->lift[a];
  b->lift = lift;
  for (size_t m = 0; m < b->n_merges; m++) {
    b->merges[m].a = number[top(b->side, b->merges[m].a)];
    b->merges[m].b = number[top(b->side, b->merges[m].b)];
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
      double least = b->lift[i] > b->lift[j] ? b->lift[i] : b->lift[j];
      if (i != j && H[i + j * m] < least)
        H[i + j * m] = least;
    }
}
