// The reduced mechanics of a free-floating tree at one shape r, over numbers or jets, all in the frame of the base.
//
//   J_i screw of joint i,  I_i inertia of link i,  Ic_i the sum of I over i and what hangs from it
//   I(r) = Ic_base,   F = [.. Ic_i J_i ..],   A = I^-1 F,   m_ij = J_i . Ic_j J_j,   M = m - F^T A             (S1)
//   V_i = V_parent + J_i s_i',  U_i = ad(V_parent) J_i,  d/dr_i T(r; V_base, u) = U_i . sum I_k V_k (k behind i)   (S2)
#pragma once

#include <vector>

#include "bough/control/jet_spatial.hpp"
#include "bough/tree/model.hpp"

namespace bough {

using SmallJet = Jet<16>;  // for up to 5 shape variables
using LargeJet = Jet<40>;  // for up to 17

constexpr int base_joints = 6;  // tx ty tz rz ry rx, which the pose of the base replaces

// Are the first six joints a free base at the world's origin that everything else hangs from?
bool has_free_base(const Model& model);

template <class T>
struct Shape {
  std::vector<PoseT<T>> g;  // by joint behind the base
  std::vector<SixT<T>> J;
  std::vector<InertiaT<T>> I;  // [0] is the base's own, joint i behind it in [i + 1]
  T locked[6][6];
  std::vector<SixT<T>> F, A;  // by shape variable
  std::vector<T> M;           // n x n, row-major
  bool regular = true;        // the locked inertia is positive definite

  void fit(const Model& model);
  void evaluate(const Model& model, const T* r, bool with_metric);
  // I^-1 y
  SixT<T> solve(const SixT<T>& y) const;
  // A u
  SixT<T> connection(const T* u) const;
  // The same shape in jets by more variables, see Jet::lifted; all of it, or the connection alone.
  void lift(const Shape& from, bool all, int count, int first, int other = -1, double h = 0.0)
    requires is_jet<T>;
  // out += factor dT/dr at base twist V and shape velocity u (null: zero); (S2)
  void add_gradient(const Model& model, double factor, const SixT<T>& V, const T* u, T* out) const;

 private:
  int n_ = 0;
  T L_[6][6], D_inverse_[6];  // I = L D L^T
  mutable std::vector<SixT<T>> V_, h_;
  std::vector<InertiaT<T>> Ic_;

  void place(const Model& model, const T* r);
  void factor();
};

extern template struct Shape<double>;
extern template struct Shape<SmallJet>;
extern template struct Shape<LargeJet>;

}  // namespace bough
