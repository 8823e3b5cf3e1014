// An elastic beam between two frames: the stiffness matrix of a beam element, [NM] (16)-(19) with (16) made symmetric,
// in axes that follow the chord d = x_b - x_a, so that moving the whole beam takes no energy.
//
// The beam lies along e0 of either frame. In the axes of the chord the displacements x of (17) are
//   dx = |d| - L                                                                                                 (18)
//   alpha_i = -atan2(e_i . d, e0 . d) with e fixed to a, beta_i the same with e fixed to b, i = 1, 2
//   phi = the turn of b about e0 relative to a, (RP4) of relative.hpp
// and V = x^T K x / 2, (19), is
//   V = EA dx^2 / 2L + sum_i 2 EI_i (alpha_i^2 + alpha_i beta_i + beta_i^2) / L + GJ phi^2 / 2L                 (BE1)
//
// Record: frames (a, b), values (L, EA, EI_1, EI_2, GJ, e0, e1, e2); EI_i resists bending in the plane of e0 and e_i.
#include "bough/potentials/pose_potential.hpp"

namespace bough {
namespace {

class BeamElement final : public PosePotential<BeamElement> {
 public:
  explicit BeamElement(const ElementRecord& r)
      : PosePotential(r),
        length_(r.values[0]),
        axial_(r.values[1] / length_),
        bending_{r.values[2] / length_, r.values[3] / length_},
        torsion_(r.values[4] / length_),
        e_{Vec3(&r.values[5]), Vec3(&r.values[8]), Vec3(&r.values[11])} {}

 private:
  friend class PosePotential<BeamElement>;

  // (BE1)
  template <int order, class N>
  PoseFunction<order, N> function(const RelativePose<N>& pose) const {
    const auto& [Ra, Rb, d] = pose;
    PoseFunction<order, N> V;
    if (axial_ != 0.0) {
      PoseFunction<order, N> dx = distance<order, N>(d);
      dx.f -= length_;
      add_square(V, dx, 0.5 * axial_);
    }
    const auto along_a = component_in_a<order, N>(Ra * e_[0], d), along_b = component_in_b<order, N>(Rb * e_[0], d);
    for (int i = 0; i < 2; ++i) {
      const double k = 2.0 * bending_[i];
      if (k == 0.0) continue;
      const auto alpha = angle(component_in_a<order, N>(Ra * e_[i + 1], d), along_a);
      const auto beta = angle(component_in_b<order, N>(Rb * e_[i + 1], d), along_b);
      const typename N::Scalar A = alpha.f, B = beta.f;
      add_composed(V, alpha, beta,
                   {k * (A * A + A * B + B * B), k * (2.0 * A + B), k * (A + 2.0 * B), 2.0 * k, k, 2.0 * k});
    }
    if (torsion_ != 0.0) add_square(V, turn_about<order, N>(pose, e_[1], e_[2]), 0.5 * torsion_);
    return V;
  }

  const std::vector<PathStep<Plain>>& path(const Instant& at) const {
    return relative_path(at, a_, b_, point(b_, at.state).x);
  }

  double length_, axial_, bending_[2], torsion_;
  Vec3 e_[3];
};

}  // namespace

std::shared_ptr<const Potential> make_beam_element(const ElementRecord& record) {
  return std::make_shared<BeamElement>(record);
}

}  // namespace bough
