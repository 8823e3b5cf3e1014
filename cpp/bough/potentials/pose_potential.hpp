// A potential of the pose of frame b relative to frame a, for kinds that are given by one function of that pose.
//
// Kind has `function<order, N>(pose)`, its energy with derivatives up to that order, and `path(at)`, the joints
// between the frames with the screws that move them.
#pragma once

#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/relative.hpp"

namespace bough {

template <class Kind>
class PosePotential : public Potential, public PotentialDerivatives {
 public:
  explicit PosePotential(const ElementRecord& r) : a_(r.frames[0]), b_(r.frames[1]) {}

  double energy(const Instant& at) const override { return value<1>(at).f; }

  void add_gradient(const Instant& at, double factor, double* out) const override {
    add_pose_gradient(kind().path(at), value<1>(at), factor, out);
  }

  void add_hessian(const Instant& at, double factor, double* H) const override {
    add_pose_hessian(kind().path(at), value<2>(at), factor, at.model.n_variables, H);
  }

  void add_hessian_along(const Instant& at, const Along& along, double factor, double* H) const override {
    add_pose_hessian(relative_path(at, along, a_, b_),
                     kind().template function<2, Dotted>(relative_pose(at, along, a_, b_)), factor,
                     at.model.n_variables, H);
  }

  Support support(const Model& model) const override { return relative_support(model, {a_.joint, b_.joint}); }

 protected:
  FramePlace a_, b_;

 private:
  const Kind& kind() const { return static_cast<const Kind&>(*this); }

  template <int order>
  PoseFunction<order, Plain> value(const Instant& at) const {
    return kind().template function<order, Plain>(relative_pose(at, a_, b_));
  }
};

}  // namespace bough
