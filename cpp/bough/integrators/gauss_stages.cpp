#include "bough/integrators/gauss_stages.hpp"

#include "bough/dynamics/elements.hpp"

namespace bough {

GaussStages::GaussStages(const Model& model, const GaussTable& table) : model_(model), table_(table) {
  const std::size_t n = model.n_variables, nd = model.n_dynamic, slots = model.joints.size() + 1;
  for (auto* x : {&q, &v, &L_v, &F, &force}) x->assign(n, Lane4{});
  r.assign(nd, Lane4{});
  for (auto* x : {&s_, &sn_, &cs_}) x->assign(slots, Lane4{});
  joints_.resize(slots);
  joints_[0] = {{{{broadcast(Vec3::unit(0)), broadcast(Vec3::unit(1)), broadcast(Vec3::unit(2))}}, LaneVec::zero()},
                LaneTwist::zero(),
                LaneTwist::zero(),
                LaneTwist::zero()};
  bodies_.resize(slots);
  pivots_.resize(slots);
  pivots_[0].E = LaneTwist::zero();
  P_.resize(slots);
  Q_.resize(slots);
  for (Single& x : single_) {
    for (auto* numbers : {&x.q, &x.v, &x.out}) numbers->assign(n, 0.0);
    x.state.assign(slots, {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()});
  }
  std::vector<int> uses(n, 0);
  for (const Joint& joint : model.joints) ++uses[joint.variable];
  for (std::size_t i = 0; i < n; ++i)
    if (uses[i] == 0) loose_.push_back(static_cast<int>(i));
  if (!model.shared) return;
  dense_.M.resize(n, n);
  dense_.x.resize(nd);
  for (auto& llt : dense_.llt) llt.resize(nd);
}

Lane4 GaussStages::column(const GaussTable::Matrix& x, int k) const {
  const int s = table_.stages;
  return Lane4{x[0][k], x[1][k], x[s > 2 ? 2 : 0][k], x[s > 3 ? 3 : 0][k]};
}

// The first lane in those that have no stage.
Lane4 GaussStages::stages_of(const Lane4& x) const {
  if (table_.stages == 2) return shuffle<0, 1, 0, 0>(x, x);
  return table_.stages == 3 ? shuffle<0, 1, 2, 0>(x, x) : x;
}

void GaussStages::correct() {
  for (std::size_t k = 0; k < r.size(); ++k) v[k] = stages_of(v[k] + r[k]);
}

void GaussStages::take_back() {
  for (std::size_t k = 0; k < r.size(); ++k) v[k] -= r[k];
}

void GaussStages::begin(const GaussStep& step) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int i = nd; i < n; ++i) {
    Lane4 rate{};
    for (int k = 1; k <= s; ++k) rate += (step.drive.node(k)[i - nd] - step.from.q[i]) * column(table_.slope, k);
    v[i] = rate / step.h;
  }
}

// Of two stages the polynomial goes through the rates of two steps: it saves an iteration.
void GaussStages::guess(const RatePolynomial& past) {
  const GaussState& made = past.made;
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  const double back = s == 2 && made.dt_before > 0.0 ? made.dt_earlier / made.dt_before : 0.0;
  const int points = back > 0.0 ? 2 * s : s;
  double at[2 * most_stages];
  for (int j = 0; j < points; ++j) at[j] = j < s ? table_.c[j] : (table_.c[j - s] - 1.0) * back;
  Lane4 weights[2 * most_stages];
  for (int j = 0; j < points; ++j) {
    double weight[4];
    for (int i = 0; i < 4; ++i) {
      const double x = past.first + table_.c[i < s ? i : 0] * past.length;
      weight[i] = 1.0;
      for (int l = 0; l < points; ++l)
        if (l != j) weight[i] *= (x - at[l]) / (at[j] - at[l]);
    }
    weights[j] = Lane4{weight[0], weight[1], weight[2], weight[3]};
  }
  for (int k = 0; k < nd; ++k) {
    Lane4 sum{};
    for (int j = 0; j < points; ++j) sum += made.rates[j * n + k] * weights[j];
    v[k] = sum;
  }
}

// (GL2)
void GaussStages::evaluate(const GaussStep& step) {
  const GaussState& from = step.from;
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  Lane4 a[most_stages];
  for (int j = 0; j < s; ++j) a[j] = step.h * column(table_.a, j);
  for (int k = 0; k < n; ++k) {
    Lane4 sum = broadcast(k < nd ? from.q_rest[k] : 0.0);
    for (int j = 0; j < s; ++j) sum += v[k][j] * a[j];
    q[k] = broadcast(from.q[k]) + sum;
  }
  sweep_out();
  sweep_in();
  add_elements(step);
}

void GaussStages::add_elements(const GaussStep& step) {
  const Elements& elements = model_.elements;
  const bool forced = !elements.forces.empty();
  if (elements.potentials.empty() && !forced) return;
  split(!elements.diagonal);
  for (int j = 0; j < table_.stages; ++j) {
    const Instant at = instant(j, step.time(table_.c[j]), step.drive.stage(j));
    std::vector<double>& out = single_[j].out;
    const auto add = [&](std::vector<Lane4>& to, bool set) {
      for (std::size_t k = 0; k < out.size(); ++k) set_lane(to[k], j, set ? out[k] : to[k][j] + out[k]);
    };
    std::fill(out.begin(), out.end(), 0.0);
    add_potential_gradient(at, -1.0, out.data());
    add(F, false);
    if (!forced) continue;
    std::fill(out.begin(), out.end(), 0.0);
    add_forces(at, 1.0, out.data());
    add(F, false);
    add(force, true);
  }
}

void GaussStages::split(bool poses) {
  for (std::size_t k = 0; k < q.size(); ++k)
    for (int j = 0; j < table_.stages; ++j) {
      single_[j].q[k] = q[k][j];
      single_[j].v[k] = v[k][j];
    }
  for (std::size_t slot = 0; poses && slot < joints_.size(); ++slot) {
    const StageJoint& x = joints_[slot];
    JointState* to[4];
    for (int j = 0; j < 4; ++j) to[j] = &single_[j].state[slot];
    const auto each = [&](const LaneVec& from, auto part) {
      Vec3* const out[4] = {&part(*to[0]), &part(*to[1]), &part(*to[2]), &part(*to[3])};
      bough::split(from, out);
    };
    for (int c = 0; c < 3; ++c) each(x.g.R.c[c], [c](JointState& y) -> Vec3& { return y.g.R.c[c]; });
    each(x.g.p, [](JointState& y) -> Vec3& { return y.g.p; });
    each(x.J.w, [](JointState& y) -> Vec3& { return y.J.w; });
    each(x.J.v, [](JointState& y) -> Vec3& { return y.J.v; });
    each(x.V.w, [](JointState& y) -> Vec3& { return y.V.w; });
    each(x.V.v, [](JointState& y) -> Vec3& { return y.V.v; });
    each(x.U.w, [](JointState& y) -> Vec3& { return y.U.w; });
    each(x.U.v, [](JointState& y) -> Vec3& { return y.U.v; });
  }
}

// (GL7)
void GaussStages::set_residuals(const GaussStep& step) {
  const GaussState& from = step.from;
  const int s = table_.stages, nd = model_.n_dynamic;
  Lane4 a[most_stages];
  for (int j = 0; j < s; ++j) a[j] = step.h * column(table_.a, j);
  for (int k = 0; k < nd; ++k) {
    Lane4 sum = broadcast(from.p_rest[k]);
    for (int j = 0; j < s; ++j) sum += F[k][j] * a[j];
    r[k] = (broadcast(from.p[k]) - L_v[k]) + sum;
  }
}

}  // namespace bough
