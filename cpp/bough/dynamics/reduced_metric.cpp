#include "bough/dynamics/reduced_metric.hpp"

#include <algorithm>

#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

constexpr JointKind free_kinds[6] = {JointKind::tx, JointKind::ty, JointKind::tz,
                                     JointKind::rz, JointKind::ry, JointKind::rx};

bool is_free_base(const Model& model, int first, const std::vector<int>& uses) {
  if (first + 6 > model.n()) return false;
  for (int k = 0; k < 6; ++k) {
    const Joint& joint = model.joints[first + k];
    if (joint.kind != free_kinds[k] || !joint.dynamic || joint.ratio != 1.0 || joint.shift != 0.0) return false;
    if (uses[joint.variable] != 1) return false;
    if (k > 0 && (joint.parent != first + k || joint.rotated || joint.offset)) return false;
    if (k < 5 && (!model.links[first + k].massless || model.joints[first + k + 1].subtree_end != joint.subtree_end))
      return false;
  }
  return true;
}

Twist unit_twist(int k) { return k < 3 ? Twist{Vec3::unit(k), Vec3::zero()} : Twist{Vec3::zero(), Vec3::unit(k - 3)}; }

}  // namespace

ReducedLayout reduced_layout(const Model& model) {
  ReducedLayout layout;
  std::vector<int> uses(model.n_variables, 0);
  for (const Joint& joint : model.joints) ++uses[joint.variable];
  for (int i = 0; i < model.n() && layout.base < 0; ++i)
    if (model.joints[i].parent == 0 && is_free_base(model, i, uses)) layout.base = i;
  layout.position.assign(model.n_variables, 0);
  for (int k = 0; k < layout.nb(); ++k) layout.position[model.joints[layout.base + k].variable] = -1;
  for (int i = 0; i < model.n_variables; ++i) {
    if (layout.position[i] < 0) continue;
    layout.position[i] = layout.nb() + layout.nr();
    layout.shape.push_back(i);
    layout.n_dynamic += i < model.n_dynamic;
  }
  return layout;
}

ReducedMetric::ReducedMetric(const Model& model, const ReducedLayout& layout)
    : model_(model), layout_(layout), q_(model.n_variables, 0.0) {
  const std::size_t slots = model.joints.size() + 1;
  parameters_.fit(model);
  state_.resize(slots);
  inertia_.resize(slots);
  momentum_.resize(slots);
  state_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
}

void ReducedMetric::set_shape(const double* r) {
  for (int i = 0; i < layout_.nr(); ++i) q_[layout_.shape[i]] = r[i];
  set_parameters(model_, parameters_, q_.data());
  std::fill(inertia_.begin(), inertia_.end(), Inertia::zero());
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    JointState& x = state_[i + 1];
    if (layout_.in_base(i)) {
      x.g = Pose::identity();
      x.J = unit_twist(i - layout_.base);
    } else {
      place_joint(joint, state_[joint.parent].g, parameters_, i, x.g, x.J);
    }
    if (!model_.links[i].massless) inertia_[i + 1] = world_inertia(model_.links[i], x.g);
  }
  for (int i = model_.n() - 1; i >= 0; --i) inertia_[model_.joints[i].parent] += inertia_[i + 1];
}

void ReducedMetric::metric(Eigen::MatrixXd& M) const {
  M.setZero();
  for (int i = 0; i < model_.n(); ++i) {
    const Wrench a = ratio(i) * (inertia_[i + 1] * state_[i + 1].J);
    const int row = layout_.place(model_, i);
    for (int slot = i + 1; slot > 0; slot = model_.joints[slot - 1].parent) {
      const int column = layout_.place(model_, slot - 1);
      const double value = ratio(slot - 1) * dot(state_[slot].J, a);
      M(row, column) += value;
      if (slot != i + 1) M(column, row) += value;
    }
  }
}

void ReducedMetric::derivative(const double* z, Eigen::MatrixXd& G) {
  G.setZero();
  if (layout_.base >= 0)
    for (int k = 0; k < 6; ++k) state_[layout_.base + k + 1].V = {Vec3(z), Vec3(z + 3)};
  for (int i = 0; i < model_.n(); ++i) {
    JointState& x = state_[i + 1];
    if (!layout_.in_base(i)) {
      const JointState& parent = state_[model_.joints[i].parent];
      x.U = ad(parent.V, x.J);
      x.V = parent.V + (ratio(i) * z[layout_.place(model_, i)]) * x.J;
    }
    momentum_[i + 1] = Wrench::zero();
    if (!model_.links[i].massless) momentum_[i + 1] = world_inertia(model_.links[i], x.g) * x.V;
  }
  for (int i = model_.n() - 1; i >= 0; --i) {
    const JointState& x = state_[i + 1];
    const int at = layout_.place(model_, i), parent = model_.joints[i].parent;
    if (parent > 0) momentum_[parent] += momentum_[i + 1];
    if (layout_.in_base(i)) continue;
    const Wrench a = ratio(i) * (inertia_[i + 1] * x.J);
    const Wrench b = ratio(i) * (inertia_[i + 1] * x.U - ad_transpose(x.J, momentum_[i + 1]));
    for (int slot = i + 1; slot > 0; slot = model_.joints[slot - 1].parent) {
      const int above = layout_.place(model_, slot - 1);
      const double r = ratio(slot - 1);
      if (!layout_.in_base(slot - 1)) G(at, above - layout_.nb()) += r * dot(state_[slot].U, a);
      if (slot != i + 1) G(above, at - layout_.nb()) += r * dot(state_[slot].J, b);
    }
  }
}

// The joints from the root to the deepest one, d: screws J, brackets B(a, j) = D_j J_a (B2), both also times Ic_d.
struct ReducedMetric::Path {
  std::vector<int> joint;
  std::vector<Twist> J, B;
  std::vector<Wrench> XJ, XB;
  int first_shape = 0;
  int size() const { return static_cast<int>(joint.size()); }
  const Twist& b(int a, int j) const { return B[a * size() + j]; }
  const Wrench& xb(int a, int j) const { return XB[a * size() + j]; }
};

void ReducedMetric::derivatives(double* first, double* second) const {
  const std::size_t n = layout_.n(), nr = layout_.nr();
  std::fill_n(first, nr * n * n, 0.0);
  if (second) std::fill_n(second, nr * nr * n * n, 0.0);
  Path path;
  for (int d = 0; d < model_.n(); ++d) {
    if (layout_.in_base(d)) continue;
    path.joint.clear();
    for (int slot = d + 1; slot > 0; slot = model_.joints[slot - 1].parent) path.joint.push_back(slot - 1);
    std::reverse(path.joint.begin(), path.joint.end());
    const int size = path.size();
    path.first_shape = layout_.in_base(path.joint[0]) ? 6 : 0;
    path.J.resize(size);
    path.XJ.resize(size);
    path.B.assign(size * size, Twist::zero());
    path.XB.assign(size * size, Wrench::zero());
    const Inertia& X = inertia_[d + 1];
    for (int a = 0; a < size; ++a) {
      path.J[a] = ratio(path.joint[a]) * state_[path.joint[a] + 1].J;
      path.XJ[a] = X * path.J[a];
    }
    for (int a = 0; a < size; ++a)
      for (int j = std::max(a + 1, path.first_shape); j < size; ++j) {
        path.B[a * size + j] = ad(path.J[a], path.J[j]);
        path.XB[a * size + j] = X * path.b(a, j);
      }
    add_derivatives(path, first, second);
  }
}

// (B4), (B5) for all indices on the path of which the deepest, d, is the last one of the path.
void ReducedMetric::add_derivatives(const Path& path, double* first, double* second) const {
  const std::size_t n = layout_.n(), nb = layout_.nb(), nr = layout_.nr();
  const int size = path.size(), last = size - 1;
  std::vector<std::size_t> at(size);
  for (int a = 0; a < size; ++a) at[a] = layout_.place(model_, path.joint[a]);
  for (int j = path.first_shape; j < size; ++j)
    for (int a = 0; a < size; ++a)
      for (int b = 0; b < size; ++b) {
        if (std::max({a, b, j}) != last) continue;
        first[((at[j] - nb) * n + at[a]) * n + at[b]] +=
            dot(path.b(a, j), path.XJ[b]) + dot(path.b(b, j), path.XJ[a]);  // (B4)
      }
  if (!second) return;
  for (int j = path.first_shape; j < size; ++j)
    for (int l = path.first_shape; l <= j; ++l)
      for (int a = 0; a < size; ++a) {
        const Twist DDa = a < l ? ad(path.b(a, l), path.J[j]) : Twist::zero();  // (B3)
        for (int b = 0; b < size; ++b) {
          if (std::max({a, b, j}) != last) continue;
          const Twist DDb = b < l ? ad(path.b(b, l), path.J[j]) : Twist::zero();
          const double value = dot(DDa, path.XJ[b]) + dot(path.b(a, l), path.xb(b, j)) +
                               dot(path.b(a, j), path.xb(b, l)) + dot(DDb, path.XJ[a]);  // (B5)
          const std::size_t jj = at[j] - nb, ll = at[l] - nb;
          second[((jj * nr + ll) * n + at[a]) * n + at[b]] += value;
          if (l != j) second[((ll * nr + jj) * n + at[a]) * n + at[b]] += value;
        }
      }
}

}  // namespace bough
