// Points of one frame, each with a ball of radius rho about it, on a plane of another: corners of boxes, spheres, the ends of
// capsules. With x_a a point, o and n a point and the normal of the plane, and x = x_a - rho n where they touch:
//
//   phi = n . (x_a - o) - rho,   dphi/dq = n . (dx_a/dq - dx_b/dq),   T_k = t_k . (dx_a/dq - dx_b/dq)              (PC1)
//
// both derivatives of the material points of the two bodies at x: n . (w x n) = 0, so that x_a and x have the same first row.
// The gap cannot have changed by more than the ways that the joints moved the point relative to the plane.
//
// Record: frames (a, b), values (friction, restitution, rho, o, n, t_1, t_2 in b, then the points in a).
#include <algorithm>
#include <cmath>

#include "bough/contacts/touch_rows.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/points.hpp"

namespace bough {
namespace {

class PlaneContact final : public Unilateral {
 public:
  explicit PlaneContact(const ElementRecord& r)
      : b_(r.frames[1]), friction_(r.values[0]), restitution_(r.values[1]), radius_(r.values[2]) {
    const double* x = r.values.data() + 3;
    const auto next = [&x] {
      x += 3;
      return Vec3(x[-3], x[-2], x[-1]);
    };
    plane_ = shifted(b_, next());
    for (Vec3& axis : axes_) axis = b_.X.R * next();
    while (x < r.values.data() + r.values.size()) points_.push_back(shifted(r.frames[0], next()));
  }

  int contacts() const override { return static_cast<int>(points_.size()); }
  int tangents() const override { return friction_ > 0.0 ? 2 : 0; }
  double friction(int) const override { return friction_; }
  double restitution(int) const override { return restitution_; }

  void value(const ContactInstant& at, double* phi, double* scale) const override {  // (PC1)
    const Vec3 n = axis(at, 0), o = point(plane_, at.state).x;
    for (const FramePlace& place : points_) {
      const Point a = point(place, at.state);
      *phi++ = dot(n, a.x - o) - radius_;
      *scale++ = std::max(least_gap_size, norm(a.x) + norm(o) + a.reach + plane_.reach + radius_);
    }
  }
  void gradient(const ContactInstant& at, double* Dphi) const override {
    const std::size_t n = at.model.n_variables;
    for (int i = 0; i < contacts(); ++i) add_rows(at, i, touch_of(at, i), Dphi + i * n, nullptr);
  }
  void tangent(const ContactInstant& at, double* T) const override {
    const std::size_t n = at.model.n_variables;
    for (int i = 0; i < contacts(); ++i) add_rows(at, i, touch_of(at, i), nullptr, T + 2 * i * n);
  }
  bool one_by_one() const override { return true; }
  void touch(const ContactInstant& at, int contact, Touch& out) const override { out = touch_of(at, contact); }
  // (PC1), normal and tangents side by side: they share the velocities of the point. Joints above the fork move both bodies alike.
  void add_rows(const ContactInstant& at, int contact, const Touch& touch, double* normal,
                double* tangents) const override {
    add_relative_rows(at, points_[contact].joint, b_.joint, touch, normal, tangents);
  }
  void travel(const ContactInstant& from, const ContactInstant& to, double* D) const override {
    for (const FramePlace& place : points_) {
      const Point start = point(place, from.state), end = point(place, to.state);
      const int stop = fork(from.model, place.joint, b_.joint);
      double way = 0.0;
      for (const int branch : {place.joint, b_.joint})
        for (int slot = branch; slot != stop; slot = from.model.joints[slot - 1].parent) {
          const Joint& joint = from.model.joints[slot - 1];
          const double arm = std::max(norm(point_dq(from.state[slot], start.x)), norm(point_dq(to.state[slot], end.x)));
          way += arm * std::abs(joint.ratio * (to.q[joint.variable] - from.q[joint.variable]));
        }
      *D++ = way;
    }
  }
  // There is no bound for a plane that turns.
  bool reach(const Model& model, int contact, Reach& out) const override {
    for (int slot = b_.joint; slot != 0; slot = model.joints[slot - 1].parent)
      if (!is_zero(model.joints[slot - 1].S.w)) return false;
    out.points.push_back({points_[contact].joint, norm(points_[contact].X.p) + radius_});
    if (b_.joint != 0) out.points.push_back({b_.joint, 0.0});
    return true;
  }
  Support support(const Model& model) const override { return relative_support(model, {points_[0].joint, b_.joint}); }
  bool place(const ContactInstant& at, int contact, Place& out) const override {
    out.normal = axis(at, 0);
    out.point = point(points_[contact], at.state).x - radius_ * out.normal;
    for (int k = 0; k < 2; ++k) out.tangent[k] = axis(at, 1 + k);
    return true;
  }

 private:
  Vec3 axis(const Instant& at, int k) const { return at.state[b_.joint].g.R * axes_[k]; }

  Touch touch_of(const ContactInstant& at, int contact) const {
    const Vec3 n = axis(at, 0), o = point(plane_, at.state).x;
    const Point a = point(points_[contact], at.state);
    const double size = norm(a.x) + norm(o) + a.reach + plane_.reach + radius_;
    return {
        {a.x - radius_ * n, n, {axis(at, 1), axis(at, 2)}}, dot(n, a.x - o) - radius_, std::max(least_gap_size, size)};
  }

  FramePlace b_, plane_;
  double friction_, restitution_, radius_;
  Vec3 axes_[3];  // normal and tangents, in the axes of the joint
  std::vector<FramePlace> points_;
};

}  // namespace

std::shared_ptr<const Unilateral> make_plane_contact(const ElementRecord& record) {
  return std::make_shared<PlaneContact>(record);
}

}  // namespace bough
