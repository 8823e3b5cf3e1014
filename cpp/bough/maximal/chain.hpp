// The chain of joints between two bodies, and how far the bodies are from it.
//
//   G(s) = X_1 exp(S_1 s_1) X_2 exp(S_2 s_2) ...      where the chain puts the body, seen from the one before it      (MK1)
//   E = G(s)^-1 (g_a^-1 g_b),  e = (phi(E.R), E.p)     what is left: the drift, a twist in the axes of the body      (MK2)
//   J_c = Ad(H_c^-1) S_c,  H_c the chain beyond joint c  screws there                                                 (MK3)
//   w_c: duals, w_c . J_d = delta_cd for dynamic joints, w_c in the span of J                                         (MK4)
//   s_c += w_c . e,  e -= sum_c J_c (w_c . e)          until e has no part along the chain (Gauss-Newton)              (MK5)
//
// e = 0 exactly where the joint holds; its rate is the twist of the body relative to the one before it, less its part
// along the chain, up to terms of the size of e itself.
#pragma once

#include "bough/maximal/bodies.hpp"

namespace bough {

struct ChainState {
  Pose G;   // (MK1)
  Twist e;  // (MK2)
  int iterations = 0;
};

// s by joint of the model: in as a guess, out as found; kinematic entries are kept. J and dual by place in the chain of
// the body, the latter zero at kinematic joints.
void recover(const Model& model, const Bodies& bodies, const Body& body, const Pose& a, const Pose& b, double* s,
             Twist* J, Wrench* dual, ChainState& out);

}  // namespace bough
