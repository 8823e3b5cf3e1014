// The last configurations of a motion, and the polynomials through them that guess the next one.
#pragma once

#include <vector>

namespace bough {

constexpr int choice_interval = 16;  // steps between two choices of the number of points of the guess

// The weights of rows with these ages, oldest first, in the polynomial through them, dt from now: in a table or in `weights`.
const double* polynomial_weights(const double* ages, int points, double dt, double* weights);

struct History {
  static constexpr int memory = 8;  // rows of a polynomial at most
  static constexpr int kept = 10;   // rows at most

  int n = 0, nd = 0;  // variables, and dynamic ones, which come first: only these are guessed
  int known = 0;      // rows that are set, newest last
  int made_up = 0;    // of the rows: the first ones, which stand for a velocity and an acceleration at a start
  std::vector<double> past, age;  // rows, and how long before now each one was

  bool operator==(const History&) const = default;

  void resize(int n_variables, int n_dynamic);
  // Starts again at q with velocity v: the row for it is dropped with the first row that is added.
  void start(const double* q, const double* v);
  // The same with acceleration a. The two rows for them are on the parabola, `back` apart from each other and from now: less than
  // a step by far, so that they tell of the start and not of a past that was not. They are dropped with the second row that is
  // added: what steps of unlike lengths lead through is no longer one curve with this start.
  void start(const double* q, const double* v, const double* a, double back);
  // q is now, dt after the newest row.
  void add(const double* q, double dt);
  // Only the newest rows are kept: what was before is no guide to what follows.
  void keep(int rows);

  // Takes three numbers off three variables of all rows; or numbers off all variables, where a full history drops its oldest
  // row, as the next row that is added would have it do.
  void shift(int variable, const double* by);
  void shift(const double* by);

  int real() const { return known - made_up; }

  // Rows and ages counted from the newest one, which is 0.
  const double* row(int back) const { return past.data() + (known - 1 - back) * n; }
  double age_of(int back) const { return age[known - 1 - back]; }

  // The polynomial through `points` rows, the newest of them `back`, taken dt from now. Fused products and sums take half the
  // time and give other digits than those that models without balls have.
  void extrapolate(double dt, int back, int points, double* __restrict out, bool fused = false) const;
  // How many points would have told the newest row best? More are better on smooth motion (a good guess saves a Newton
  // iteration), fewer on rough motion. Needs `memory` rows; scratch: nd numbers.
  int best_points(double* scratch, bool fused = false) const;
};

}  // namespace bough
