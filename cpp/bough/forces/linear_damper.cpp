// A damper along the line between two points: with d = x_a - x_b, w = dd/dt and n = d / |d|,
//
//   F = -c (n . w) n
//   F_w = -c n n^T
//   F_d = -c [(n . w) P + n (P w)^T] / |d|,  P = 1 - n n^T
//
// in (Q1)-(Q3) of moving_points.hpp. Two points that meet part along w, so that F tends to -c w there; this value is
// used if |d| vanishes.
//
// Record: frames (a, b), values (c).
#include "bough/forces/moving_points.hpp"
#include "bough/tree/catalogue.hpp"

namespace bough {
namespace {

class LinearDamper final : public Force {
 public:
  explicit LinearDamper(const ElementRecord& r) : a_(r.frames[0]), b_(r.frames[1]), c_(r.values[0]) {}

  void add_force(const Instant& at, double factor, double* out) const override {
    const PointPair pair(a_, b_, at.state);
    add_pair_force(at, pair, along(pair) * pair.w, factor, out);
  }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    const PointPair pair(a_, b_, at.state);
    const Mat3 F_w = along(pair);
    Mat3 F_d = Mat3::zero();
    const double length = norm(pair.d);
    if (length > 0.0) {
      const Vec3 n = pair.d / length;
      const double rate = dot(n, pair.w);
      const Mat3 P = Mat3::identity() + (-1.0) * outer(n, n);
      F_d = (-c_ / length) * (rate * P + outer(n, P * pair.w));
    }
    add_pair_force_dq(at, pair, F_w * pair.w, F_d, F_w, factor, H);
  }
  void add_force_dv(const Instant& at, double factor, double* H) const override {
    const PointPair pair(a_, b_, at.state);
    add_pair_force_dv(at, pair, along(pair), factor, H);
  }

  Support support(const Model& model) const override { return relative_support(model, {a_.joint, b_.joint}); }

 private:
  // F_w
  Mat3 along(const PointPair& pair) const {
    const double length = norm(pair.d);
    if (length == 0.0) return Mat3::diagonal(-c_);
    const Vec3 n = pair.d / length;
    return (-c_) * outer(n, n);
  }

  FramePlace a_, b_;
  double c_;
};

}  // namespace

std::shared_ptr<const Force> make_linear_damper(const ElementRecord& record) {
  return std::make_shared<LinearDamper>(record);
}

}  // namespace bough
