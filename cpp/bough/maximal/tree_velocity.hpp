// Twists of bodies held by the joints of a tree, in O(n): the saddle point problem
//
//   M_b V_b = f_b + y_b - sum over children y_c,   V_b = V_a + c_b + B_b sigma_b,   B_b^T y_b = 0                     (MV1)
//
// with a the body before b, y_b the impulse of its joint, B_b the twists that the joint leaves free and c_b what it has to
// move by. Leaves to root, each body is eliminated together with its joint:
//
//   U = P B,  D = B^T U,  r = D^-1 B^T (f - P c)                                                                      (MV2)
//   P_a += P - U D^-1 U^T,  f_a += f - P c - U r                                                                      (MV3)
//   root to leaves: sigma = r - D^-1 U^T V_a,  V = V_a + c + B sigma                                                  (MV4)
//
// This is the sparse elimination of [M A^T; A 0] in the order of the tree, without forming A: what a joint holds is all
// but B. Bodies without inertia of their own are allowed as long as D is regular: what is outboard of them has it.
#pragma once

#include "bough/maximal/bodies.hpp"
#include "bough/solvers/products.hpp"

namespace bough {

class TreeVelocity {
 public:
  explicit TreeVelocity(const Bodies& bodies);

  // Inertia by slot, and the free twists of slot b in B[6 (b - 1)], ... Returns -1 or the slot of a body whose joint
  // moves no mass.
  int factor(const std::vector<Inertia>& inertia, const std::vector<Twist>& B, const std::vector<int>& freedom);

  // f by slot is overwritten; c may be null.
  void solve(std::vector<Wrench>& f, const Twist* c, std::vector<Twist>& V);

 private:
  int reduce(int b, const std::vector<Twist>& B);

  const Bodies& bodies_;
  const std::vector<Twist>* B_ = nullptr;
  std::vector<int> freedom_;
  std::vector<Mat6> P_;
  std::vector<Wrench> U_, K_;                          // K = U D^-1
  std::vector<double> r_;                              // 6 a body
  std::vector<double> inverse_;                        // of D where the freedom is one
  std::vector<Eigen::Matrix<double, 6, 6>> inverses_;  // of D elsewhere
};

}  // namespace bough
