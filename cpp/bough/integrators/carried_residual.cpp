#include "bough/integrators/carried_residual.hpp"

#include <cmath>

#include "bough/tree/balls.hpp"

namespace bough {

CarriedResidual::CarriedResidual(const Model& model) {
  for (const Ball& ball : model.balls) {
    Slides found;
    Mat3 turn = transpose(model.joints[ball.joint].X.R);  // from the axes of the joint before to those of the ball
    int slot = model.joints[ball.joint].parent, count = 0;
    for (; count < 3 && slot > 0; ++count) {
      const Joint& joint = model.joints[slot - 1];
      if (!joint.dynamic || !is_zero(joint.S.w)) break;
      found.variable[count] = joint.variable;
      found.axis[count] = turn * joint.S.v;
      found.ratio[count] = joint.ratio;
      turn = turn * transpose(joint.X.R);
      slot = joint.parent;
    }
    const Vec3* a = found.axis;
    const double across = std::abs(dot(a[0], a[1])) + std::abs(dot(a[1], a[2])) + std::abs(dot(a[2], a[0]));
    found.three = count == 3 && across < 1e-12 && !model.shared;
    slides_.push_back(found);
  }
}

void CarriedResidual::add(const Model& model, const double* q0, const double* q1, const double* f, double* p) const {
  for (std::size_t k = 0; k < slides_.size(); ++k) {
    const Ball& ball = model.balls[k];
    const Slides& slides = slides_[k];
    const Vec3 own = ball_vector(ball, f);
    Vec3 left = own;
    if (slides.three) {
      Vec3 d = Vec3::zero(), F = Vec3::zero();
      for (int i = 0; i < 3; ++i) {
        const int at = slides.variable[i];
        d += (slides.ratio[i] * (q1[at] - q0[at])) * slides.axis[i];
        F += (f[at] / slides.ratio[i]) * slides.axis[i];
      }
      left -= transpose_times(rotation(quaternion_of(ball, q0)), cross(d, F));
    }
    const Quaternion back = turn_by(-ball_vector(ball, q1));
    const Vec3 twice = 2.0 * cross(back.v, left);
    const Vec3 turned = left + back.w * twice + cross(back.v, twice);  // rotation(back) left
    set_ball_vector(ball, p, ball_vector(ball, p) - own + turned);
  }
}

}  // namespace bough
