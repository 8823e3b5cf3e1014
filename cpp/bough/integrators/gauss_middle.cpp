#include "bough/integrators/gauss_middle.hpp"

#include "bough/dynamics/mass_matrix.hpp"

namespace bough {
namespace {

constexpr int few = 8;  // rows up to which S is a matrix

}  // namespace

GaussMiddle::GaussMiddle(const Model& model, const GaussTable& table, const ConstraintRows& rows)
    : model_(model), rows_(rows), middle_(table.stages / 2), m_(model.elements.n_constraints) {
  if (m_ == 0) return;
  if (m_ <= few) {
    column_.assign(model.n_dynamic, Lane4{});
    S_.resize(m_, m_);
    solver_.fit(m_);
    return;
  }
  border_ = std::make_unique<StepMatrix>(model, true, false);
  state_.resize(model.joints.size() + 1);
  bodies_.resize(model.joints.size() + 1);
  q_.resize(model.n_variables);
  x_.resize(model.n_dynamic);
  none_.resize(m_);
}

void GaussMiddle::factor(GaussStages& stages, const double* G) {
  G_ = G;
  if (!border_) return factor_rows(stages, G);
  stages.split(true);
  const Instant at = stages.instant(middle_, 0.0, nullptr);
  std::copy_n(at.q, q_.size(), q_.begin());
  for (std::size_t slot = 0; slot < state_.size(); ++slot) {
    state_[slot] = at.state[slot];
    state_[slot].U = Twist::zero();
    bodies_[slot] = {Wrench::zero(), lane_of(stages.bodies()[slot].c, middle_), Vec3::zero()};
  }
  border_->detour = {};  // a step depends on its start alone
  for (auto* x : {&x_, &none_}) std::fill(x->begin(), x->end(), 0.0);
  border_->factor(*this, {m_, model_.n_variables, model_.n_dynamic, G, G}, x_.data(), none_.data());
}

void GaussMiddle::factor_rows(GaussStages& stages, const double* G) {
  const int n = model_.n_variables, nd = model_.n_dynamic;
  for (int c = 0; c < m_; ++c) {
    for (int i = 0; i < nd; ++i) column_[i] = broadcast(G[c * n + i]);
    stages.solve(column_);
    for (int r = 0; r < m_; ++r) {
      double sum = 0.0;
      for (const int i : rows_.variables[r]) {
        if (i >= nd) break;
        sum += G[r * n + i] * column_[i][middle_];
      }
      S_(r, c) = sum;
    }
  }
  solver_.factor(S_);
}

// (GL14) along the tree.
void GaussMiddle::solve(Eigen::VectorXd& x) {
  if (!border_) return solver_.solve(x);
  std::fill(x_.begin(), x_.end(), 0.0);
  border_->solve_again({m_, model_.n_variables, model_.n_dynamic, G_, G_}, x_.data(), x.data());
  x = -x;
}

void GaussMiddle::set_dense(double* K) {
  mass_matrix(model_, workspace(model_), q_.data(), K);
  for (std::size_t i = 0; i < q_.size() * q_.size(); ++i) K[i] = -K[i];
}

}  // namespace bough
