// Rows and columns that border Newton's matrix of a tree, eliminated along the tree:
//
//   [K  C] [delta]   [r]         one column and one row for a constraint (its impulse, its Jacobian), or for a
//   [R  E] [mu   ] = [g]         generalised force of an element that couples joints                            (TB1)
//
// While tree_newton goes from the leaves to the root, what is outboard of a joint acts on the rest through the twist eta of its
// link and through the unknowns mu of rows that have joints on both sides. With A_s (a wrench) the effect of mu_s, b_s that
// of eta on row s, and T the rows by the unknowns, summed over the children, eliminating joint i is
//
//   alpha_s = w_i . A_s + C_is,   beta_s = b_s . y_i + R_si                                                     (TB2)
//   A_s -= u_i alpha_s / D_i,   b_s -= t_i beta_s / D_i,   T_rs -= beta_r alpha_s / D_i,   g_s -= beta_s c_i
//   delta_i = c_i - (t_i . eta_parent + sum_s alpha_s mu_s) / D_i                                              (TB3)
//
// As soon as all joints of some rows c are eliminated, so are these rows, by a small dense solve with T_cc:
//
//   P -= A_c T_cc^-1 b_c^T,   A_o -= A_c T_cc^-1 T_co,   b_o^T -= T_oc T_cc^-1 b_c^T,   T_oo -= T_oc T_cc^-1 T_co
//   m_c = T_cc^-1 g_c,   s += A_c m_c,   g_o -= T_oc m_c                                                        (TB4)
//   mu_c = m_c - T_cc^-1 (b_c^T eta + T_co mu_o)                                                                (TB5)
//
// The transpose takes the same factors: C and R, alpha and beta, A and b change places, T becomes T^T.           (TB6)
//
// A mechanism of many loops with a few joints each, or a chain of elastic elements, is solved in time linear in its size.
// Rows that are still open at the root are those of the usual Schur complement, S = T.
#pragma once

#include <vector>

#include "bough/solvers/products.hpp"
#include "bough/solvers/rank_revealing.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

struct TreeNode;
struct Mat8;

class TreeBorder {
 public:
  // The joints of each row and column, in increasing order.
  void resize(const Model& model, const std::vector<std::vector<int>>& joints);

  int size() const { return static_cast<int>(first_.size()) - 1; }
  // Multiplications of one factorisation.
  double work() const;

  // C_is and R_si over the joints of row s, and the diagonal entry of E.
  double* column(int s) { return column_.data() + first_[s]; }
  double* row(int s) { return row_.data() + first_[s]; }
  double& corner(int s) { return corner_[s]; }

  // For tree_newton, in its order. `slot` is a joint's, or 0 for the world.
  void begin(const double* g);
  bool close_before(int slot, Mat8* P);
  void eliminate(int slot, const TreeNode& node);
  bool close_after(int slot, Mat8& P);

  // (TB3)-(TB5) for one right-hand side, or (TB6): on the way in, what they add to the wrench s; on the way out, mu.
  Wrench forward_before(int slot, bool transposed);
  void forward(int slot, double c, bool transposed);
  Wrench forward_after(int slot, bool transposed);
  void backward_after(int slot, const Twist& eta, bool transposed);
  double backward(int slot, bool transposed) const;  // sum_s alpha_s mu_s
  void backward_before(int slot, const Twist& eta, bool transposed);
  void restart(const double* g);
  const double* solution() const { return mu_.data(); }

 private:
  struct Front {
    int first = 0;                     // of its rows in rows_, A_, b_
    int stay = 0, open = 0, size = 0;  // rows [stay, open) are closed after the joint, [open, size) before it
    int T = 0;                         // of its size^2 entries in T_
    int before = -1, after = -1;       // closings
  };
  struct Closing {
    RankRevealing solver;
    Eigen::MatrixXd T;     // T_cc
    std::vector<Lane4> X;  // T_cc^-1 [b_c^T, T_co] by rows: two registers, then the others by fours
    int stride = 0;        // registers of a row of X
    Eigen::VectorXd column;
    Wrench twist_row(int r) const { return {Vec3(X[r * stride]), Vec3(X[r * stride + 1])}; }
    double other(int r, int o) const { return X[r * stride + 2 + o / 4][o % 4]; }
  };
  struct Entry {
    int local, position;  // in a front; in column_, row_
  };

  void make_fronts(const Model& model, const std::vector<std::vector<int>>& joints);
  bool close(Closing& closing, const Front& front, int begin, int end, int others, Mat8* P);
  struct Group {  // rows [begin, end) of a front, closed while rows [0, others) stay open
    const Front& front;
    int begin, end, others;
  };
  Wrench forward(Closing& closing, const Group& group, bool transposed);
  void backward(const Closing& closing, const Group& group, const Twist& eta);
  void backward_transposed(Closing& closing, const Group& group, const Twist& eta);

  std::vector<Front> fronts_;  // by slot
  std::vector<int> parent_;    // slot of the parent
  std::vector<int> rows_, to_parent_;
  std::vector<Wrench> A_, b_;
  std::vector<double> alpha_, beta_, T_, g_, m_, mu_;
  std::vector<Closing> closings_;
  std::vector<Entry> entries_;
  std::vector<int> entries_first_;  // by slot
  std::vector<int> first_ = {0};    // by row, and the end: a border that was not fitted has no rows
  std::vector<double> column_, row_, corner_;
};

}  // namespace bough
