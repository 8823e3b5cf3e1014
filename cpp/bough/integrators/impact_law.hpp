// Impulses of an impact, in passes over the contacts that approach. With U the velocities of the contacts, the first of each
// along its normal, and G = J M⁻¹Jᵀ with the bilateral rows eliminated:
//
//   A = { i : U_n,i < 0 }                                                                                          (IL1)
//   U⁺ = U + G r ,   0 <= r_n ⊥ U_n⁺ + e U_n >= 0 ,   r_t by (CO1) with U_t⁺                                       (IL2)
//
// on A alone, until A is empty: Newton's restitution e with Coulomb's friction. Contacts with U_n = 0 have no part in a pass:
// a row of balls hands the blow on from one to the next. If all of A have e = 0, (IL2) is solved once on all contacts.
//
//   ΔT = rᵀ (U + U⁺)/2 = rᵀU + ½ rᵀ G r                                                                            (IL3)
//   r = r_0 + θ (r_e - r_0) ,   the largest θ in [0, 1] with ΔT <= 0                                               (IL4)
//
// Newton's law with friction can create energy. If (IL3) is above zero, r_0 of the same pass with e = 0 is solved too, for
// which ΔT = -Σ m r_n |U_t⁺| - ½ rᵀ G r <= 0. ΔT is convex in θ, so θ exists; U_n⁺ >= 0 and the cone survive, since both sets
// are convex. After ten passes for each contact, or if a pass has no solution, (IL2) with e = 0 on all contacts ends the
// impact, and plastic() says so.
//
// If walls move, U is the velocity relative to them, and ΔT is without their work.
#pragma once

#include <vector>

#include "bough/solvers/cone_problem.hpp"

namespace bough {

struct ImpactContact {
  ConeRows rows;
  double restitution;
};

class ImpactLaw {
 public:
  // The largest impact. What follows allocates only if it has more rows than those before.
  void resize(int rows, int contacts);
  // Size of velocities in the units of U: below 1e-12 of it a contact rests.
  void set_floor(double U) { floor_ = U; }
  // G by rows, contacts in the order of their rows. r is the sum of the impulses of all passes. False if even e = 0 has no
  // solution: r and U_plus are then what the passes before have made.
  bool apply(const double* G, const ImpactContact* contacts, int n_contacts, const double* U, double* r,
             double* U_plus);

  int passes() const { return passes_; }
  double theta() const { return theta_; }        // the least of all passes
  bool plastic() const { return plastic_; }      // ended by e = 0 on all contacts
  double energy_lost() const { return -gain_; }  // in the units of r U

 private:
  struct Given {
    const double* G;
    const ImpactContact* contacts;
    int n_contacts, rows;
  };
  bool approaching(const Given& given, const double* U) const;
  void gather(const Given& given, const double* U, bool all);
  bool pass(const Given& given, bool with_restitution, double* r, double* U);
  double gain(int rows, const double* r) const;
  double terms(int rows, const double* r) const;
  void guard(int rows);

  ConeProblem cone_;
  std::vector<ConeRows> cones_;                            // of the pass
  std::vector<int> row_;                                   // of the pass: its row in G
  std::vector<double> G_, U_, e_, b_, r_, plain_, y_, D_;  // of the pass; D_: factors of the contacts
  double floor_ = 0.0, closed_ = 0.0, theta_ = 1.0, gain_ = 0.0;
  int passes_ = 0;
  bool plastic_ = false;
};

}  // namespace bough
