// h_k = e_k . (x_a - x_b) - offset_k(t): two points coincide along one to three directions ([JM09] IV.D4), up to offsets.
// The directions are fixed in the world or in a frame; b's point may be anywhere in b's axes. A point on a plane or on a
// line is the same with the directions across it. Derivatives: (VM1), (VM2) of moving.hpp, (P5) of moving_third.hpp.
//
// Record: frames (a, b, and the one whose axes e is given in, or none), values (point of b: 3; number of rows; e_k: 3 each;
// offset_k: functions).
#include <utility>

#include "bough/tree/along.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/force_at.hpp"
#include "bough/tree/function.hpp"
#include "bough/tree/moving_third.hpp"

namespace bough {
namespace {

class PointConstraint final : public Constraint, public ConstraintDerivatives {
 public:
  explicit PointConstraint(const ElementRecord& r)
      : a_(r.frames[0]), b_(r.frames[1]), axes_(r.frames.back()), turning_(r.frames.size() > 2) {
    const double* cursor = r.values.data();
    b_.X.p += b_.X.R * Vec3(cursor);
    b_.reach += norm(Vec3(cursor));
    const int rows = static_cast<int>(cursor[3]);
    cursor += 4;
    for (int k = 0; k < rows; ++k, cursor += 3) directions_.push_back(Vec3(cursor));
    for (int k = 0; k < rows; ++k) offsets_.push_back(Function(cursor));
  }

  int rows() const override { return static_cast<int>(directions_.size()); }

  void value(const Instant& at, double* h, double* scale) const override {
    const Vec3 a = position(a_, at.state), b = position(b_, at.state), d = a - b;
    const double size = norm(a) + norm(b) + a_.reach + b_.reach;
    for (int k = 0; k < rows(); ++k) {
      const double offset = offsets_[k](at.t).f;
      h[k] = dot(turning_ ? axis(k, at).value : directions_[k], d) - offset;
      scale[k] = size + std::abs(offset);
    }
  }
  void gradient(const Instant& at, double* Dh) const override {
    if (!turning_) {  // (P6)
      const Vec3 a = position(a_, at.state), b = position(b_, at.state);
      for (int k = 0; k < rows(); ++k, Dh += at.model.n_variables) {
        add_row(at.model, at.state, a_.joint, at.fork, force_at(a, directions_[k]), Dh);
        add_row(at.model, at.state, b_.joint, at.fork, force_at(b, -directions_[k]), Dh);
      }
      return;
    }
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    for (int k = 0; k < rows(); ++k) add_product_gradient(at, axis(k, at), d, 1.0, Dh + k * at.model.n_variables);
  }
  void hessian(const Instant& at, double* H) const override {
    const std::size_t n = at.model.n_variables;
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    for (int k = 0; k < rows(); ++k) add_product_hessian(at, axis(k, at), d, 1.0, H + k * n * n);
  }
  // Directions fixed in the world turn if the joints above the fork do: the columns of these stay.
  void add_hessian(const Instant& at, const double* weights, double* H) const override {
    const std::size_t n = at.model.n_variables;
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    if (turning_) {
      for (int k = 0; k < rows(); ++k) add_product_hessian(at, axis(k, at), d, weights[k], H);
      return;
    }
    const Vec3 g = sum(weights);
    if (at.fork == 0) return bough::add_hessian(at.model, at.state, d, g, 1.0, H);
    if (!at.model.shared) return add_rows_below(at, d, g, H);
    thread_local std::vector<double> all;
    all.assign(n * n, 0.0);
    bough::add_hessian(at.model, at.state, d, g, 1.0, all.data());
    for (const int slot : {a_.joint, b_.joint})
      for (int i = slot; i != at.fork; i = at.model.joints[i - 1].parent) {
        const std::size_t row = at.model.joints[i - 1].variable * n;
        for (std::size_t j = row; j < row + n; ++j) H[j] += std::exchange(all[j], 0.0);
      }
  }
  bool has_along() const override { return true; }
  void add_hessian_along(const Instant& at, const Along& along, const double* weights, double* H) const override {
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    const Along& moved = below_fork(at, along);
    if (!turning_) return add_product_along(at, moved, still(sum(weights)), d, 1.0, H);
    for (int k = 0; k < rows(); ++k) add_product_along(at, moved, axis(k, at), d, weights[k], H);
  }
  void add_gradient_along(const Instant& at, const Along& along, double* C) const override {
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    const Along& moved = below_fork(at, along);
    Instant all = at;
    all.fork = 0;
    for (int k = 0; k < rows(); ++k)
      add_product_gradient_along(all, moved, axis(k, at), d, 1.0, C + k * at.model.n_variables);
  }
  bool has_third() const override { return true; }
  void third(const Instant& at, double* T) const override {
    const std::size_t n = at.model.n_variables;
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    for (int k = 0; k < rows(); ++k) add_product_third(at, axis(k, at), d, 1.0, T + k * n * n * n);
  }
  bool moves() const override {
    return !std::all_of(offsets_.begin(), offsets_.end(), [](const Function& f) { return f.fixed(); });
  }
  void rate(const Instant& at, double* h_t) const override {
    for (int k = 0; k < rows(); ++k) h_t[k] = -offsets_[k](at.t).df;
  }
  void bias(const Instant& at, double* out) const override {
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    const Rates dd = rates(at, d);
    for (int k = 0; k < rows(); ++k) {
      const Moving e = axis(k, at);
      out[k] = product_bias(e, rates(at, e), d, dd) - offsets_[k](at.t).ddf;
    }
  }

  // Directions fixed in a frame: turning all three frames changes nothing. Directions fixed in the world: turning a and b
  // together changes nothing if the points meet in all three directions, or in the two across the axis of every turn.
  Support support(const Model& model) const override {
    if (turning_) return relative_support(model, {a_.joint, b_.joint, axes_.joint});
    const Support relative = relative_support(model, {a_.joint, b_.joint});
    bool meet = true;
    for (const Function& offset : offsets_) meet &= offset.zero();
    const bool local = rows() == 3   ? meet
                       : rows() == 2 ? meet && turns_about(model, relative.fork, cross(directions_[0], directions_[1]))
                                     : turns_about(model, relative.fork, Vec3::zero());
    return local ? relative : path_support({a_.joint, b_.joint});
  }

 private:
  Moving axis(int k, const Instant& at) const {
    return turning_ ? direction(axes_, directions_[k], at.state) : still(directions_[k]);
  }

  // The sum of directions that are fixed in the world.
  Vec3 sum(const double* weights) const {
    Vec3 g = Vec3::zero();
    for (int k = 0; k < rows(); ++k) g += weights[k] * directions_[k];
    return g;
  }

  // The rows of H += g . d2y/dq dq that belong to joints below the fork, in time linear in the length of the paths to the
  // root: the rest of the pairs of a deep mechanism is most of them. Each joint has a variable of its own.
  static void add_rows_below(const Instant& at, const Moving& y, const Vec3& g, double* H) {
    const std::size_t n = at.model.n_variables;
    const auto& joints = at.model.joints;
    for (int k = 0; k < y.parts; ++k)
      for (int i = y.part[k].joint; i != at.fork; i = joints[i - 1].parent) {
        const Joint& below = joints[i - 1];
        const Vec3 c = below.ratio * cross(part_dq(y.part[k], at.state[i]), g);  // g . (w x dy) = w . (dy x g)
        bool kept = true;
        for (int j = i; j > 0; j = joints[j - 1].parent) {
          kept = kept && j != at.fork;
          const Joint& above = joints[j - 1];
          const double value = above.ratio * dot(at.state[j].J.w, c);
          H[n * below.variable + above.variable] += value;
          if (kept && i != j) H[n * above.variable + below.variable] += value;
        }
      }
  }

  // Directions fixed in the world: of the direction only the joints below the fork count, as in the rows of add_hessian.
  const Along& below_fork(const Instant& at, const Along& along) const {
    if (turning_ || at.fork == 0) return along;
    thread_local Along below;
    below.sweep_below(at.model, at.state, along.sigma, at.fork, {a_.joint, b_.joint});
    return below;
  }

  FramePlace a_, b_, axes_;
  bool turning_;
  std::vector<Vec3> directions_;
  std::vector<Function> offsets_;
};

}  // namespace

std::shared_ptr<const Constraint> make_point_constraint(const ElementRecord& record) {
  return std::make_shared<PointConstraint>(record);
}

}  // namespace bough
