#include "bough/solvers/tree_border.hpp"

#include <algorithm>

#include "bough/solvers/tree_newton.hpp"
#include "bough/tree/support.hpp"

namespace bough {

void TreeBorder::resize(const Model& model, const std::vector<std::vector<int>>& joints) {
  first_.assign(1, 0);
  for (const auto& row : joints) first_.push_back(first_.back() + static_cast<int>(row.size()));
  column_.assign(first_.back(), 0.0);
  row_.assign(first_.back(), 0.0);
  for (auto* x : {&corner_, &g_, &m_, &mu_}) x->assign(joints.size(), 0.0);
  parent_.assign(1, -1);
  for (const Joint& joint : model.joints) parent_.push_back(joint.parent);
  make_fronts(model, joints);
}

// Row s is open in the fronts from its joints up to where all of them are eliminated: at their fork, after its own joint if that
// is one of them, else before it.
void TreeBorder::make_fronts(const Model& model, const std::vector<std::vector<int>>& joints) {
  const int slots = model.n() + 1;
  enum Kind { stays, closes_after, closes_before };
  std::vector<std::vector<std::pair<Kind, int>>> open(slots);
  std::vector<std::vector<Entry>> entries(slots);
  for (int s = 0; s < size(); ++s) {
    int top = joints[s].empty() ? 0 : joints[s][0] + 1;
    for (const int j : joints[s]) top = fork(model, top, j + 1);
    const bool after = top > 0 && std::binary_search(joints[s].begin(), joints[s].end(), top - 1);
    const auto enter = [&](int slot, Kind kind) {
      if (!open[slot].empty() && open[slot].back().second == s) return false;
      open[slot].push_back({kind, s});
      return true;
    };
    for (const int j : joints[s])
      for (int slot = j + 1; slot != top; slot = parent_[slot])
        if (!enter(slot, stays)) break;
    enter(top, after ? closes_after : closes_before);
    for (std::size_t k = 0; k < joints[s].size(); ++k)
      entries[joints[s][k] + 1].push_back({s, first_[s] + static_cast<int>(k)});
  }
  fronts_.assign(slots, Front{});
  rows_.clear();
  closings_.clear();
  entries_.clear();
  entries_first_.assign(1, 0);
  int T = 0;
  const auto closing = [&](int rows, int others) {
    Closing c;
    c.solver.fit(rows);
    c.T.resize(rows, rows);
    c.stride = 2 + (others + 3) / 4;
    c.X.resize(static_cast<std::size_t>(rows) * c.stride);
    c.column.resize(rows);
    closings_.push_back(std::move(c));
    return static_cast<int>(closings_.size()) - 1;
  };
  for (int slot = 0; slot < slots; ++slot) {
    auto& mine = open[slot];
    std::stable_sort(mine.begin(), mine.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Front& f = fronts_[slot];
    f.first = static_cast<int>(rows_.size());
    f.size = static_cast<int>(mine.size());
    f.T = T;
    T += f.size * f.size;
    for (const auto& [kind, s] : mine) {
      f.stay += kind == stays;
      f.open += kind != closes_before;
      rows_.push_back(s);
    }
    if (f.open > f.stay) f.after = closing(f.open - f.stay, f.stay);
    if (f.size > f.open) f.before = closing(f.size - f.open, f.open);
    for (Entry e : entries[slot]) {
      const auto at = std::find(rows_.begin() + f.first, rows_.end(), e.local);
      e.local = static_cast<int>(at - rows_.begin()) - f.first;
      entries_.push_back(e);
    }
    entries_first_.push_back(static_cast<int>(entries_.size()));
  }
  to_parent_.assign(rows_.size(), -1);
  for (int slot = 1; slot < slots; ++slot) {
    const Front &f = fronts_[slot], &p = fronts_[parent_[slot]];
    for (int j = 0; j < f.stay; ++j) {
      const auto begin = rows_.begin() + p.first;
      to_parent_[f.first + j] = static_cast<int>(std::find(begin, begin + p.size, rows_[f.first + j]) - begin);
    }
  }
  A_.resize(rows_.size());
  b_.resize(rows_.size());
  alpha_.resize(rows_.size());
  beta_.resize(rows_.size());
  T_.resize(T);
}

double TreeBorder::work() const {
  double sum = 0.0;
  for (const Front& f : fronts_) {
    sum += 40.0 * f.size + 2.0 * f.size * f.size;
    const double a = f.open - f.stay, b = f.size - f.open;
    sum += a * a * (a + 8.0 + f.stay) + a * f.stay * (f.stay + 16.0);
    sum += b * b * (b + 8.0 + f.open) + b * f.open * (f.open + 16.0);
  }
  return sum;
}

void TreeBorder::begin(const double* g) {
  std::fill(A_.begin(), A_.end(), Wrench::zero());
  std::fill(b_.begin(), b_.end(), Wrench::zero());
  std::fill(T_.begin(), T_.end(), 0.0);
  restart(g);
}

void TreeBorder::restart(const double* g) { std::copy_n(g, g_.size(), g_.begin()); }

// (TB2), (TB3)
void TreeBorder::eliminate(int slot, const TreeNode& node) {
  const Front& f = fronts_[slot];
  Wrench *A = A_.data() + f.first, *b = b_.data() + f.first;
  double *alpha = alpha_.data() + f.first, *beta = beta_.data() + f.first, *T = T_.data() + f.T;
  for (int s = 0; s < f.open; ++s) {
    alpha[s] = dot(node.w, A[s]);
    beta[s] = dot(node.y, b[s]);
  }
  for (int e = entries_first_[slot]; e < entries_first_[slot + 1]; ++e) {
    alpha[entries_[e].local] += column_[entries_[e].position];
    beta[entries_[e].local] += row_[entries_[e].position];
  }
  for (int s = 0; s < f.open; ++s) {
    const double a = alpha[s] * node.inverse_D, c = beta[s] * node.inverse_D;
    A[s] = A[s] - a * node.u;
    b[s] = b[s] - c * node.t;
    for (int r = 0; r < f.open; ++r) T[s * f.size + r] -= c * alpha[r];
  }
}

bool TreeBorder::close_before(int slot, Mat8* P) {
  const Front& f = fronts_[slot];
  return f.before < 0 || close(closings_[f.before], f, f.open, f.size, f.open, P);
}

bool TreeBorder::close_after(int slot, Mat8& P) {
  const Front& f = fronts_[slot];
  if (f.after >= 0 && !close(closings_[f.after], f, f.stay, f.open, f.stay, &P)) return false;
  const Front& p = fronts_[parent_[slot]];
  for (int s = 0; s < f.stay; ++s) {
    const int to = to_parent_[f.first + s];
    A_[p.first + to] += A_[f.first + s];
    b_[p.first + to] += b_[f.first + s];
    for (int r = 0; r < f.stay; ++r) T_[p.T + to * p.size + to_parent_[f.first + r]] += T_[f.T + s * f.size + r];
  }
  return true;
}

// (TB4) for the rows [begin, end) of a front. A group that is singular is left to the caller, except at the root where it is
// the last.
bool TreeBorder::close(Closing& closing, const Front& f, int begin, int end, int others, Mat8* P) {
  const int c = end - begin;
  const Wrench *A = A_.data() + f.first, *b = b_.data() + f.first;
  double* T = T_.data() + f.T;
  for (int r = 0; r < c; ++r) {
    for (int s = 0; s < c; ++s) closing.T(r, s) = T[(begin + r) * f.size + begin + s];
    closing.T(r, r) += corner_[rows_[f.first + begin + r]];
  }
  closing.solver.factor(closing.T);
  if (!P) return closings_.size() == 1 || closing.solver.full();
  if (!closing.solver.full()) return false;
  for (int r = 0; r < c; ++r) {
    Lane4* x = closing.X.data() + r * closing.stride;
    x[0] = b[begin + r].n.a;
    x[1] = b[begin + r].f.a;
    const double* row = T + (begin + r) * f.size;
    const auto entry = [&](int o) { return o < others ? row[o] : 0.0; };
    for (int o = 0; o < others; o += 4) x[2 + o / 4] = Lane4{entry(o), entry(o + 1), entry(o + 2), entry(o + 3)};
  }
  for (int k = 0; k < closing.stride; ++k) closing.solver.solve(closing.X.data() + k, closing.stride);
  for (int r = 0; r < c; ++r) {
    const Wrench x = closing.twist_row(r);
    for (int lane = 0; lane < 4; ++lane) {
      P->row[lane] = P->row[lane] - A[begin + r].n.a[lane] * x;
      P->row[4 + lane] = P->row[4 + lane] - A[begin + r].f.a[lane] * x;
    }
    for (int o = 0; o < others; ++o) {
      A_[f.first + o] = A_[f.first + o] - closing.other(r, o) * A[begin + r];
      const double T_oc = T[o * f.size + begin + r];
      b_[f.first + o] = b_[f.first + o] - T_oc * x;
      for (int s = 0; s < others; ++s) T[o * f.size + s] -= T_oc * closing.other(r, s);
    }
  }
  return true;
}

// --- one right-hand side ---

Wrench TreeBorder::forward_before(int slot, bool transposed) {
  const Front& f = fronts_[slot];
  return f.before < 0 ? Wrench::zero() : forward(closings_[f.before], {f, f.open, f.size, f.open}, transposed);
}

Wrench TreeBorder::forward_after(int slot, bool transposed) {
  const Front& f = fronts_[slot];
  return f.after < 0 ? Wrench::zero() : forward(closings_[f.after], {f, f.stay, f.open, f.stay}, transposed);
}

// (TB3)
void TreeBorder::forward(int slot, double c, bool transposed) {
  const Front& f = fronts_[slot];
  const double* beta = (transposed ? alpha_ : beta_).data() + f.first;
  for (int s = 0; s < f.open; ++s) g_[rows_[f.first + s]] -= beta[s] * c;
}

// (TB4)
Wrench TreeBorder::forward(Closing& closing, const Group& group, bool transposed) {
  const auto& [f, begin, end, others] = group;
  const int *rows = rows_.data() + f.first, across = transposed ? 1 : f.size, along = transposed ? f.size : 1;
  for (int r = begin; r < end; ++r) closing.column[r - begin] = g_[rows[r]];
  if (transposed)
    closing.solver.solve_transposed(closing.column);
  else
    closing.solver.solve(closing.column);
  const Wrench* A = (transposed ? b_ : A_).data() + f.first;
  Wrench s = Wrench::zero();
  for (int r = begin; r < end; ++r) {
    const double m = m_[rows[r]] = closing.column[r - begin];
    s += m * A[r];
    for (int o = 0; o < others; ++o) g_[rows[o]] -= T_[f.T + o * across + r * along] * m;
  }
  return s;
}

void TreeBorder::backward_after(int slot, const Twist& eta, bool transposed) {
  const Front& f = fronts_[slot];
  if (f.after < 0) return;
  const Group group{f, f.stay, f.open, f.stay};
  transposed ? backward_transposed(closings_[f.after], group, eta) : backward(closings_[f.after], group, eta);
}

void TreeBorder::backward_before(int slot, const Twist& eta, bool transposed) {
  const Front& f = fronts_[slot];
  if (f.before < 0) return;
  const Group group{f, f.open, f.size, f.open};
  transposed ? backward_transposed(closings_[f.before], group, eta) : backward(closings_[f.before], group, eta);
}

double TreeBorder::backward(int slot, bool transposed) const {
  const Front& f = fronts_[slot];
  const double* alpha = (transposed ? beta_ : alpha_).data() + f.first;
  double sum = 0.0;
  for (int s = 0; s < f.open; ++s) sum += alpha[s] * mu_[rows_[f.first + s]];
  return sum;
}

// (TB5); at the root eta and the others are zero.
void TreeBorder::backward(const Closing& closing, const Group& group, const Twist& eta) {
  const auto& [f, begin, end, others] = group;
  const bool root = &f == &fronts_[0];
  for (int r = begin; r < end; ++r) {
    double mu = m_[rows_[f.first + r]];
    if (!root) {
      mu -= dot(eta, closing.twist_row(r - begin));
      for (int o = 0; o < others; ++o) mu -= closing.other(r - begin, o) * mu_[rows_[f.first + o]];
    }
    mu_[rows_[f.first + r]] = mu;
  }
}

// (TB5) of (TB6): mu_c = m_c - T_cc^-T (A_c^T eta + T_oc^T mu_o).
void TreeBorder::backward_transposed(Closing& closing, const Group& group, const Twist& eta) {
  const auto& [f, begin, end, others] = group;
  const int* rows = rows_.data() + f.first;
  if (&f == &fronts_[0]) {
    for (int r = begin; r < end; ++r) mu_[rows[r]] = m_[rows[r]];
    return;
  }
  for (int r = begin; r < end; ++r) {
    double sum = dot(eta, A_[f.first + r]);
    for (int o = 0; o < others; ++o) sum += T_[f.T + o * f.size + r] * mu_[rows[o]];
    closing.column[r - begin] = sum;
  }
  closing.solver.solve_transposed(closing.column);
  for (int r = begin; r < end; ++r) mu_[rows[r]] = m_[rows[r]] - closing.column[r - begin];
}

}  // namespace bough
