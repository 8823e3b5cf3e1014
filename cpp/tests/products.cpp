// Products and copies of Eigen's matrices through solvers/products.hpp, against sums written out.
#include "bough/solvers/products.hpp"

#include <Eigen/Cholesky>

#include "tests/cases.hpp"

using namespace bough::tests;

namespace {

using Columns = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class M>
M random(int rows, int columns, unsigned seed) {
  Random next(seed);
  M out(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out(i, j) = next();
  return out;
}

template <class A, class B>
double entry(const A& a, const B& b, int i, int j) {
  double sum = 0.0;
  for (int k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
  return sum;
}

// c = c0 + factor a b, entry by entry; zero is exact.
template <class C, class A, class B>
void check(const C& c, const C& c0, double factor, const A& a, const B& b, const std::string& what) {
  for (int i = 0; i < c.rows(); ++i)
    for (int j = 0; j < c.cols(); ++j)
      near(c(i, j), c0(i, j) + factor * entry(a, b, i, j), 1e-13 * (1.0 + a.cols()), what);
}

template <class C, class A, class B>
void check_products(int m, int k, int n) {
  const std::string size = std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n);
  const A a = random<A>(m, k, 1);
  const B b = random<B>(k, n, 2);
  const C c0 = random<C>(m, n, 3), zero = C::Zero(m, n);
  C c = c0;
  c.noalias() = a * b;
  check(c, zero, 1.0, a, b, "C = A B, " + size);
  c = c0;
  c.noalias() += 0.5 * a * b;
  check(c, c0, 0.5, a, b, "C += A B / 2, " + size);
  c = c0;
  c.noalias() -= a * (-b);
  check(c, c0, 1.0, a, b, "C -= A (-B), " + size);
  const A at = a.transpose();
  const B bt = b.transpose();
  c = c0;
  c.noalias() += at.transpose() * bt.transpose();
  check(c, c0, 1.0, a, b, "C += (A^T)^T (B^T)^T, " + size);
}

const std::vector<int> sizes = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 17};

}  // namespace

CASE(products_of_all_sizes_and_orders) {
  for (const int m : sizes)
    for (const int k : sizes)
      for (const int n : sizes) {
        check_products<Columns, Columns, Columns>(m, k, n);
        check_products<Columns, Rows, Columns>(m, k, n);
        check_products<Rows, Columns, Rows>(m, k, n);
        check_products<Rows, Rows, Rows>(m, k, n);
      }
  check_products<Columns, Columns, Rows>(5, 700, 6);  // an inner dimension longer than one block of the sum
  check_products<Rows, Rows, Columns>(9, 257, 1);
}

CASE(products_of_vectors_blocks_and_fixed_sizes) {
  for (const int n : sizes) {
    if (n < 4) continue;
    const Columns a = random<Columns>(n, n, 4);
    const Rows r = a;
    const Eigen::VectorXd x = random<Columns>(n, 1, 5);
    Eigen::VectorXd y = Eigen::VectorXd::Zero(n), none = y;
    y.noalias() += 2.0 * a * x;
    check(y, none, 2.0, a, x, "y = 2 A x");
    y = a.transpose() * x;
    check(y, none, 1.0, Columns(a.transpose()), x, "y = A^T x");
    y = r * a.row(1).transpose();  // strides on the right
    check(y, none, 1.0, a, Eigen::VectorXd(a.row(1).transpose()), "y = A a^T");
    Columns to = Columns::Zero(n, n), before = to;
    to.row(2).noalias() = x.transpose() * r;  // strides on the left
    for (int j = 0; j < n; ++j) near(to(2, j), entry(Rows(x.transpose()), r, 0, j), 1e-12, "row = x^T A");
    to = before;
    to.block(1, 1, 3, 2).noalias() -= a.block(0, 0, 3, n - 1) * r.block(1, 0, n - 1, 2);
    check(Columns(to.block(1, 1, 3, 2)), Columns(before.block(1, 1, 3, 2)), -1.0, Columns(a.leftCols(n - 1).topRows(3)),
          Columns(r.bottomRows(n - 1).leftCols(2)), "blocks");
    near(to(0, 0), 0.0, 0.0, "the rest of a block");
    const Eigen::Matrix<double, 6, 6> six = random<Columns>(6, 6, 6);
    const Columns right = random<Columns>(6, n, 7);
    check(Columns(six.transpose() * right), Columns(Columns::Zero(6, n)), 1.0, Columns(six.transpose()), right,
          "a fixed size times any");
  }
}

CASE(products_aside_copies_of_blocks) {
  const Columns a = random<Columns>(5, 7, 8);
  Rows r = a;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) near(r(i, j), a(i, j), 0.0, "by rows from columns");
  r.block(1, 2, 3, 4) += 2.0 * a.block(0, 1, 3, 4);
  near(r(2, 3), a(2, 3) + 2.0 * a(1, 2), 1e-15, "inside a block that is added to");
  near(r(0, 3), a(0, 3), 0.0, "outside of it");
  r.transpose().topRows(2) -= a.bottomRows(5).transpose().topRows(2);
  near(r(4, 1), 0.0, 0.0, "a transposed block taken away");
  Columns grown;
  grown = -r;
  expect(grown.rows() == 5 && grown.cols() == 7 && grown(3, 3) == -r(3, 3), "a copy has the size of what is copied");
}

CASE(products_inside_cholesky_factors_go_through_the_same_products) {
  const int n = 90;  // more than one block of Eigen's
  const Columns a = random<Columns>(n, n, 9), spd = a * a.transpose() + Columns::Identity(n, n);
  const Eigen::VectorXd x = random<Columns>(n, 1, 10), b = spd * x;
  const Eigen::VectorXd found = spd.llt().solve(b);
  near((found - x).norm(), 0.0, 1e-9, "A^-1 A x");
}
