#include "bough/integrators/carried_residual.hpp"

#include <cmath>

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
    any_ = any_ || found.three;
    slides_.push_back(found);
  }
  turns_.resize(model.fours.size());
}

// (BJ14)
[[gnu::hot, gnu::aligned(64)]] void CarriedResidual::add(const Model& model, const double* q0, const double* q1,
                                                         const double* f, double* p) {
  for (std::size_t k = 0; k < model.fours.size(); ++k) {
    const FourBalls& at = model.fours[k];
    const LaneVec own = vectors(at.variable, f);
    LaneVec left = own;
    for (int j = 0; any_ && j < 4; ++j) {
      const Slides& slides = slides_[at.place[j]];
      if (!slides.three) continue;
      Vec3 d = Vec3::zero(), F = Vec3::zero();
      for (int i = 0; i < 3; ++i) {
        const int of = slides.variable[i];
        d += (slides.ratio[i] * (q1[of] - q0[of])) * slides.axis[i];
        F += (f[of] / slides.ratio[i]) * slides.axis[i];
      }
      set_lane(left, j,
               lane_of(left, j) - transpose_times(rotation(quaternion_of(model.balls[at.place[j]], q0)), cross(d, F)));
    }
    const LaneQuaternion turn = turn_of(vectors(at.variable, q1)).quaternion;  // back by it
    const auto& [w, v] = turn;
    turns_[k] = turn;
    const LaneVec across = cross(v, left);
    const LaneVec turned = left + (broadcast(2.0) * inverse(w * w + dot(v, v))) * (cross(v, across) - w * across);
    set_vectors(at.variable, p, vectors(at.variable, p) - own + turned);
  }
}

}  // namespace bough
