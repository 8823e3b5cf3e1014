// V = -sum_k m_k g . c_k over chosen masses m_k with centres c_k.
//
// With m and mc the mass and the first moment of the chosen masses outboard of joint i:
//   dV/ds_i = -g . (w_i x mc + m v_i)                                                                             (GV1)
//   d2V/ds_i ds_j = -g . (w_j x (w_i x mc + m v_i)) for j at or above i, zero on different branches               (GV2)
//   d3V/ds_i ds_j ds_k = -g . (w_k x (w_j x (w_i x mc + m v_i))) for k at or above j at or above i                (GV3)
//
// Record: frames, values (g, then mass and centre of mass in the frame for each frame).
#include <algorithm>

#include "bough/tree/along.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/points.hpp"

namespace bough {
namespace {

struct Moment {
  double m;
  Vec3 mc;
};

class Gravity final : public Potential, public PotentialDerivatives {
 public:
  explicit Gravity(const ElementRecord& r) : g_(r.values.data()) {
    const double* body = r.values.data() + 3;
    for (const FramePlace& place : r.frames) {
      add(shifted(place, Vec3(body + 1)), body[0]);
      body += 4;
    }
  }

  double energy(const Instant& at) const override {
    double sum = 0.0;
    for (const Mass& mass : masses_) sum -= mass.m * dot(g_, point(mass.place, at.state).x);
    return sum;
  }

  void add_gradient(const Instant& at, double factor, double* out) const override {  // (GV1)
    const std::vector<Moment>& outboard = moments(at);
    for (int i = last_; i > 0; --i) {
      const Joint& joint = at.model.joints[i - 1];
      if (outboard[i].m != 0.0) out[joint.variable] -= factor * joint.ratio * dot(g_, rate(outboard[i], at.state[i].J));
    }
  }

  void add_hessian(const Instant& at, double factor, double* H) const override {  // (GV2)
    const std::size_t n = at.model.n_variables;
    const std::vector<Moment>& outboard = moments(at);
    for (int i = last_; i > 0; --i) {
      if (outboard[i].m == 0.0) continue;
      const Joint& below = at.model.joints[i - 1];
      const Vec3 c = cross(rate(outboard[i], at.state[i].J), g_);  // g . (w x y) = w . (y x g)
      for (int j = i; j > 0; j = at.model.joints[j - 1].parent) {
        const Joint& above = at.model.joints[j - 1];
        const double value = -factor * below.ratio * above.ratio * dot(at.state[j].J.w, c);
        H[n * below.variable + above.variable] += value;
        if (i != j) H[n * above.variable + below.variable] += value;
      }
    }
  }

  void add_hessian_along(const Instant& at, const Along& along, double factor, double* H) const override {
    const std::size_t n = at.model.n_variables;
    const std::vector<Moment>& outboard = moments(at);
    thread_local std::vector<Vec3> moved;  // (m c)' outboard
    moved.assign(last_ + 1, Vec3::zero());
    for (const Mass& mass : masses_) {
      const Twist& S = along[mass.place.joint].Sigma;
      moved[mass.place.joint] += mass.m * (cross(S.w, point(mass.place, at.state).x) + S.v);
    }
    for (int i = last_; i > 0; --i) moved[at.model.joints[i - 1].parent] += moved[i];
    for (int i = last_; i > 0; --i) {
      if (outboard[i].m == 0.0) continue;
      const Joint& below = at.model.joints[i - 1];
      const Twist &J = at.state[i].J, &dJ = along[i].J;
      const Vec3 c = cross(rate(outboard[i], J), g_), dc = cross(rate(outboard[i], dJ) + cross(J.w, moved[i]), g_);
      for (int j = i; j > 0; j = at.model.joints[j - 1].parent) {
        const Joint& above = at.model.joints[j - 1];
        const double value = -factor * below.ratio * above.ratio * (dot(along[j].J.w, c) + dot(at.state[j].J.w, dc));
        H[n * below.variable + above.variable] += value;
        if (i != j) H[n * above.variable + below.variable] += value;
      }
    }
  }

  bool has_third() const override { return true; }
  void add_third(const Instant& at, double factor, double* T) const override {
    const std::vector<Moment>& outboard = moments(at);
    for (int i = last_; i > 0; --i)
      if (outboard[i].m != 0.0)
        add_third_above(at.model, at.state, i, rate(outboard[i], at.state[i].J), g_, -factor, 0, T);  // (GV3)
  }

  Support support(const Model&) const override {
    std::vector<int> slots;
    for (const Mass& mass : masses_) slots.push_back(mass.place.joint);
    return path_support(std::move(slots));
  }

 private:
  struct Mass {
    FramePlace place;  // its origin is the centre of mass
    double m;
  };

  // Masses outboard of one joint are one mass.
  void add(const FramePlace& place, double m) {
    last_ = std::max(last_, place.joint);
    for (Mass& mass : masses_) {
      if (mass.place.joint != place.joint) continue;
      mass.place.X.p = (mass.m * mass.place.X.p + m * place.X.p) / (mass.m + m);
      mass.m += m;
      return;
    }
    masses_.push_back({place, m});
  }

  // w x mc + m v
  static Vec3 rate(const Moment& outboard, const Twist& J) { return cross(J.w, outboard.mc) + outboard.m * J.v; }

  // Mass and first moment outboard of every joint up to the last one with a mass.
  const std::vector<Moment>& moments(const Instant& at) const {
    thread_local std::vector<Moment> outboard;
    outboard.assign(last_ + 1, Moment{0.0, Vec3::zero()});
    for (const Mass& mass : masses_) outboard[mass.place.joint] = {mass.m, mass.m * point(mass.place, at.state).x};
    for (int i = last_; i > 0; --i) {
      Moment& parent = outboard[at.model.joints[i - 1].parent];
      parent.m += outboard[i].m;
      parent.mc += outboard[i].mc;
    }
    return outboard;
  }

  Vec3 g_;
  std::vector<Mass> masses_;
  int last_ = 0;
};

}  // namespace

std::shared_ptr<const Potential> make_gravity(const ElementRecord& record) { return std::make_shared<Gravity>(record); }

}  // namespace bough
