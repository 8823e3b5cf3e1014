// The contacts of one step or impact: r and y with
//
//   y = G r + b ,   0 <= r_n ⊥ y_n >= 0 ,   |r_t| <= m r_n ,   y_t = 0 or r_t = -m r_n y_t/|y_t|                   (CO1)
//   r = D r' ,  y' = D y ,   D = (tr G_ii / rows_i)^-½ on the rows of contact i                                    (CO3)
//
// Coulomb's law with the exact cone. G is square, need not be symmetric nor of full rank: the impulses of rows that depend
// on each other are the least ones, (CO5), or those given if they solve it. (CO3) is one factor for a contact, since different
// ones would bend its cone; G' and the methods on it do not depend on units, nor on masses that differ by orders of magnitude.
// The methods in turn:
//   1. cone_newton.hpp from the r that is given, the last one: nearly always enough in a motion;
//   2. cone_admm.hpp from nothing, to residuals of 1e-3, 1e-4, …, each tried by 1., for some hundred iterations;
//   3. cone_path.hpp, tried by 1. from κ = 1e-2 on;
//   4. if the path fails, 2. for some thousand iterations more.
// A residual max |F'| / max |b'| of 1e-12 ends them, and one of 1e-11 that Newton's method cannot lower: round-off of a
// singular G. If no method does better, one of 1e-9 is taken too. In place of max |b'| counts the floor if it is above: at
// rest b is round-off, to which nothing can be relative. If Newton's method tells that rows contradict each other by what
// is left, no other method is asked for more; only from the path on, 4. is asked nevertheless. Wherever Newton's method does not come
// down, b goes without what rows that depend on each other contradict each other by, (CO11): along tangents only if that is not
// to be told.
#pragma once

#include <vector>

#include "bough/solvers/cone_admm.hpp"
#include "bough/solvers/cone_newton.hpp"
#include "bough/solvers/cone_path.hpp"
#include "bough/solvers/cone_rows.hpp"

namespace bough {

class ConeProblem {
 public:
  enum class Method { newton, admm, path };

  // The largest problem. What follows allocates only if it has more rows than those before.
  void resize(int rows, int contacts);
  // Size of what b is the difference of, in its units: y below 1e-12 of it is zero.
  // normals_yield: by how much y_n of contacts may contradict each other where nothing else helps; a part of it is taken at once.
  void set_floor(double y, double normals_yield = 0.0) {
    floor_ = y;
    normals_yield_ = normals_yield;
  }
  // G by rows; contacts fill the rows 0, 1, … in their order. r is the start on entry and the solution on return. If no
  // method converges, the result is false and r is the best value found.
  bool solve(const double* G, const double* b, const ConeRows* contacts, int n_contacts, double* r, double* y);

  double residual() const { return residual_; }
  // Whether rows that depend on each other contradict each other with the statuses found. If that is to be told, solve() returns
  // with it as soon as it is known, and false.
  bool inconsistent() const { return inconsistent_; }
  bool tells_inconsistent = false;
  // Whether what they contradict each other by was taken out: y of such rows is what is left of it.
  bool reconciled() const { return reconciled_; }
  ConeStatus status(int contact) const { return status_[contact]; }
  Method method() const { return method_; }  // the last one
  // By that method: of Newton, ADMM, or along the path.
  int iterations() const { return iterations_; }

 private:
  void scale(const double* G, const double* b, const ConeRows* contacts, int n_contacts);
  bool finish(const ScaledCones& p, const double* start);
  bool solve_scaled(const ScaledCones& p);
  bool reconcile(const ScaledCones& p);
  bool finish_reconciled(const ScaledCones& p, const double* start);
  bool by_admm(const ScaledCones& p, double& next, int most_iterations);
  bool by_path(const ScaledCones& p);

  std::vector<double> D_, G_, b_, given_, r_, best_, y_;  // scaled, but for D
  std::vector<ConeStatus> status_;
  ConeNewton newton_;
  ConeAdmm admm_;
  ConePath path_;
  double floor_ = 0.0, normals_yield_ = 0.0, yields_ = 0.0, scale_ = 1.0, residual_ = 0.0;
  Method method_ = Method::newton;
  int iterations_ = 0;
  bool inconsistent_ = false, reconciled_ = false;
};

}  // namespace bough
