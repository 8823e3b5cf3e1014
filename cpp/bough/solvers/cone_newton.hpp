// Newton's method on F of (CO2), semismooth:
//
//   W δr = -F ,   W = A + B G ,   F' = A δr + B δy                                                                 (CO4)
//     open:   δF = δr                   stick:   δF = δy ,   F_n of a contact that slides too
//     slide:  δF_t = δr_t - m u (δr_n - δy_n) - ρ/|z| (1 - u uᵀ)(δr_t - δy_t) ,   z = r_t - y_t ,  u = z/|z|
//   W r⁺ = W r - F ,   D r⁺ least                                                                                  (CO5)
//   N = W⁻¹ E c ,   (W' W⁻¹ E)_E c = 0                                                                             (CO12)
//   b⁺ = b - (y - G z) ,   z = argmin Σ ω_i (G z - y)_i² ,   ω = 1 along normals and 1e-6 along tangents          (CO11)
//     over the rows i of contacts that are closed, and of tangents that stick; y = G r + b
//
// (CO5) takes the least impulses among those with the statuses found, whatever the start: D holds the factors of the rows. If
// the statuses do not change this is the method of a bilateral constraint, which ends after one step but for the directions
// of sliding. Where max |F| does not fall, W is taken without what is below 1e-9 of it: rows of faces that lie on each other depend on
// each other up to what the iterations of the step have left of their angle, and impulses of any size would make up for the rest.
// Where it does not fall either, (CO4) with the least δr is halved until it does. A W whose step has left next to nothing is kept for
// the next one.
//
// A contact may rest with |r_t| = m r_n and count as sliding, which leaves its impulses no choice. That it sticks is then tried by
// (CO5) with W', which differs from W in the rows E along its tangents and is singular along N: if the least r leaves its cones, which
// (CO12) tells by two solutions with the W that there is, W' is not factored.
#pragma once

#include <vector>

#include "bough/solvers/cone_rows.hpp"
#include "bough/solvers/products.hpp"
#include "bough/solvers/rank_revealing.hpp"

namespace bough {

class ConeNewton {
 public:
  void resize(int rows, int contacts);
  // From r; returns the residual max |F| / scale of the r it leaves, the least it has seen. It gives up after a few steps that
  // gain next to nothing, unless it is patient.
  double solve(const ScaledCones& p, double* r, int most_iterations, bool patient);
  // (CO5) in place, after solve() of the same r, unless its last step was that already. Contacts at rest count as sticking, so
  // that the result does not depend on the side of the law on which they were found.
  void take_least(const ScaledCones& p, double* r, double tolerance);
  int iterations() const { return iterations_; }
  bool stagnated() const { return stagnated_; }  // no step made |F| fall
  // (CO11) in place, with the statuses that r tells: of contacts whose y_n is at most `within`, and of the tangents of those that
  // stick if tangents are to yield.
  void reconcile(const ScaledCones& p, const double* r, double within, bool tangents, double* b);
  // With the statuses found, rows that depend on each other ask for different values: W is singular, and -F is not in its range.
  bool inconsistent() const { return inconsistent_; }

 private:
  // A solver that fits a number of rows: RankRevealing allocates if its size changes, so there is one for each of a few
  // sizes, made when it is first asked for, and rows that miss are filled with ones on the diagonal.
  struct Fitted {
    int size;
    RankRevealing solver;
    bool singular;  // whether W of the last problem was
    Eigen::MatrixXd W;
    Eigen::VectorXd x;
  };
  struct Active {
    int row;
    double weight;  // the root of that of its square
  };
  Fitted& fitted(int rows);
  void set_statuses(const ScaledCones& p, const double* r, bool rests);
  void factor(const ScaledCones& p, const double* r, Fitted& f, bool taken_singular = false) const;
  void find_step(const ScaledCones& p, const double* r, bool whole, Fitted& f);
  bool least_slides(const ScaledCones& p, const double* r, Fitted& f);
  double unreachable(const ScaledCones& p, Fitted& f) const;
  double try_step(const ScaledCones& p, const double* r, double length, double* F);
  void set_matrix(const ScaledCones& p, const double* r, const double* y, Eigen::MatrixXd& W) const;

  std::vector<Fitted> sizes_;
  std::vector<double> y_, F_, trial_, trial_F_, step_;
  std::vector<ConeStatus> statuses_, used_;  // of the last matrix, and of the one before
  std::vector<Active> active_;               // the rows of (CO11)
  std::vector<Lane4> columns_;               // right-hand sides of (CO12)
  std::vector<ConeStatus> resting_;          // where contacts at rest count as sticking
  int iterations_ = 0;
  bool stagnated_ = false, least_ = false, inconsistent_ = false;
};

}  // namespace bough
