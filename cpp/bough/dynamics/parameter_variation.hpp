// How the numbers of a compiled model change with its parameters.
//
// The same model is compiled at some values of a parameter around its own. With weights w_k of a difference of fourth order,
// a number N of the model changes by
//
//   dN/dtheta = sum_k w_k (N_k - N)                                                                             (PG1)
//
// which has no error but round-off for what is a polynomial of degree 4 in theta, as masses, moments and offsets are.
// Elements are kept at all these values: what they give is a difference of the same kind.
#pragma once

#include <vector>

#include "bough/tree/compile.hpp"

namespace bough {

// One parameter. Only what changes is in the lists.
struct ParameterVariation {
  // The model at a nearby value of the parameter, and its weight in the difference; the weights add up to zero.
  struct Near {
    const Model* model;
    double weight;
  };
  struct Offset {  // of joint i: dX = X hat(xi), in the axes at X; and of its parameter s = shift + ratio q
    int joint;
    Twist xi;
    double shift, ratio;
  };
  struct Body {  // of link i, about the origin of its joint
    int link;
    double mass;
    Vec3 moment;
    Mat3 inertia;
  };
  // The places of elements that change, by themselves or because their frames move.
  struct Changed {
    std::vector<int> potentials, forces, constraints;
    bool empty() const { return potentials.empty() && forces.empty() && constraints.empty(); }
  };

  ParameterVariation(const Model& model, std::vector<Near> near, Changed changed);

  // The same of a parameter that enters numbers of frames alone, and no screw: `table` makes `model`, and `entries` are
  // the derivatives of its numbers. The models of the difference are not kept.
  struct Entry {
    double* number;
    double derivative;
  };
  static ParameterVariation of_frames(const Model& model, const FrameTable& table, const std::vector<Entry>& entries,
                                      double step);

  std::vector<Near> near;
  std::vector<Offset> offsets;
  std::vector<Body> bodies;
  Vec3 gravity = Vec3::zero();
  Changed changed;
  bool moves_joints = false;  // joints are elsewhere: elements are evaluated there
  bool turns_screws = false;  // a screw of a joint changes: all of the Lagrangian is a difference
};

}  // namespace bough
