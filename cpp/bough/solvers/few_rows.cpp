#include "bough/solvers/few_rows.hpp"

#include "bough/solvers/by_ratio.hpp"
#include "bough/spatial/lanes.hpp"

namespace bough {

void FewRows::resize(const Model& model, const std::vector<std::vector<int>>& joints) {
  const int rows = static_cast<int>(joints.size());
  registers_ = registers(rows);
  first_.assign(1, 0);
  entries_.clear();
  for (const auto& row : joints) {
    for (const int i : row) entries_.push_back({i, model.joints[i].variable, model.joints[i].ratio, 0.0});
    first_.push_back(static_cast<int>(entries_.size()));
  }
  Z_.resize(model.joints.size() * registers_);
  S_.resize(rows, rows);
  y_.resize(rows);
  solver_.fit(rows);
}

void FewRows::factor(const Model& model, TreeNewton& tree, const Jacobians& D) {
  std::fill(Z_.begin(), Z_.end(), Lane4{});
  for (int r = 0; r < D.rows; ++r) {
    const double *from = D.Dh0 + static_cast<std::size_t>(r) * D.n, *to = D.Dh1 + static_cast<std::size_t>(r) * D.n;
    for (int e = first_[r]; e < first_[r + 1]; ++e) {
      Entry& entry = entries_[e];
      set_lane(Z_[entry.joint * registers_ + r / 4], r % 4, by_ratio(from[entry.variable], entry.ratio));
      entry.row = by_ratio(to[entry.variable], entry.ratio);
    }
  }
  tree.solve_columns(model, Z_.data(), registers_);
  for (int r = 0; r < D.rows; ++r) {
    Lane4 sum[most / 4] = {};
    for (int e = first_[r]; e < first_[r + 1]; ++e)
      for (int k = 0; k < registers_; ++k) sum[k] += entries_[e].row * Z_[entries_[e].joint * registers_ + k];
    for (int c = 0; c < D.rows; ++c) S_(r, c) = sum[c / 4][c % 4];
  }
  solver_.factor(S_);
}

void FewRows::solve(const Model& model, double* x, double* y) {
  const int rows = static_cast<int>(y_.size());
  for (int r = 0; r < rows; ++r) {
    double sum = y[r];
    for (int e = first_[r]; e < first_[r + 1]; ++e)
      sum -= entries_[e].row * entries_[e].ratio * x[entries_[e].variable];
    y_[r] = sum;
  }
  solver_.solve(y_);
  Lane4 weights[most / 4] = {};
  for (int r = 0; r < rows; ++r) set_lane(weights[r / 4], r % 4, y[r] = y_[r]);
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint.dynamic) continue;
    Lane4 move = Z_[i * registers_] * weights[0];
    if (registers_ == 2) move += Z_[i * registers_ + 1] * weights[1];
    x[joint.variable] += by_ratio(sum(move), joint.ratio);
  }
}

void FewRows::solve_transposed(const Model& model, double* x, double* y) {
  const int rows = static_cast<int>(y_.size());
  Lane4 sums[most / 4] = {};
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint.dynamic) continue;
    for (int k = 0; k < registers_; ++k) sums[k] += (x[joint.variable] / joint.ratio) * Z_[i * registers_ + k];
  }
  for (int r = 0; r < rows; ++r) y_[r] = y[r] + sums[r / 4][r % 4];
  solver_.solve_transposed(y_);
  for (int r = 0; r < rows; ++r) {
    y[r] = y_[r];
    for (int e = first_[r]; e < first_[r + 1]; ++e)
      x[entries_[e].variable] -= entries_[e].row * entries_[e].ratio * y_[r];
  }
}

}  // namespace bough
