// Products and copies of dense matrices of Eigen whose sizes are known only at run time, compiled once.
//
// Eigen writes such a product anew for every pair of types of its factors, in several ways each, and half the time of a
// compilation of the core went there. Here `A * B` and `A += s * B` keep their form, and what stands behind them is one
// routine over strides. What has a size known to the compiler stays Eigen's, and so do vectors that are only copied.
// Include this in place of <Eigen/Core>, everywhere.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <cstddef>

namespace bough {

// The entry (i, j) is data[i * row + j * column].
template <class Number>
struct Strided {
  Number* data;
  std::ptrdiff_t rows, columns, row, column;
  Strided transposed() const { return {data, columns, rows, column, row}; }
};

// C = alpha A B; C shares no entry with A or B.
void set_product(double alpha, Strided<const double> A, Strided<const double> B, Strided<double> C);
// C += alpha A B
void add_product(double alpha, Strided<const double> A, Strided<const double> B, Strided<double> C);

// C = alpha A, C += alpha A
void set_scaled(double alpha, Strided<const double> A, Strided<double> C);
void add_scaled(double alpha, Strided<const double> A, Strided<double> C);

// `x` as strides; it has its entries in memory.
template <class Matrix>
auto strided(Matrix& x) {
  using Number = std::remove_pointer_t<decltype(x.data())>;
  const std::ptrdiff_t inner = x.innerStride(), outer = x.outerStride();
  if constexpr (Matrix::IsRowMajor) return Strided<Number>{x.data(), x.rows(), x.cols(), outer, inner};
  return Strided<Number>{x.data(), x.rows(), x.cols(), inner, outer};
}

// Factors of doubles; `s * A`, `-A` and `A.transpose()` count as A.
template <class Factor>
concept CompiledFactor =
    std::same_as<typename Factor::Scalar, double> && bool(Eigen::internal::blas_traits<Factor>::HasUsableDirectAccess);

template <class A, class B>
concept CompiledProduct = CompiledFactor<A> && CompiledFactor<B> &&
                          (A::SizeAtCompileTime == Eigen::Dynamic || B::SizeAtCompileTime == Eigen::Dynamic);

template <class Matrix>
concept OfAnySize = Matrix::RowsAtCompileTime == Eigen::Dynamic && Matrix::ColsAtCompileTime == Eigen::Dynamic;

template <class C, class A>
concept CompiledCopy = CompiledFactor<A> && CompiledFactor<C> && OfAnySize<A> && OfAnySize<C>;

template <class A>
Strided<const double> extracted(const A& a) {
  const auto& x = Eigen::internal::blas_traits<A>::extract(a);
  return strided(x);
}

template <class A>
double factor(const A& a) {
  return Eigen::internal::blas_traits<A>::extractScalarFactor(a);
}

template <class A, class B>
struct ProductByStrides {
  template <class C>
  static void evalTo(C& c, const A& a, const B& b) {
    set_product(factor(a) * factor(b), extracted(a), extracted(b), strided(c));
  }
  template <class C>
  static void addTo(C& c, const A& a, const B& b) {
    scaleAndAddTo(c, a, b, 1.0);
  }
  template <class C>
  static void subTo(C& c, const A& a, const B& b) {
    scaleAndAddTo(c, a, b, -1.0);
  }
  template <class C>
  static void scaleAndAddTo(C& c, const A& a, const B& b, double scale) {
    add_product(scale * factor(a) * factor(b), extracted(a), extracted(b), strided(c));
  }
};

}  // namespace bough

namespace Eigen::internal {

template <class A, class B>
  requires bough::CompiledProduct<A, B>
struct generic_product_impl<A, B, DenseShape, DenseShape, GemmProduct> : bough::ProductByStrides<A, B> {};

template <class A, class B>
  requires bough::CompiledProduct<A, B>
struct generic_product_impl<A, B, DenseShape, DenseShape, GemvProduct> : bough::ProductByStrides<A, B> {};

template <class A, class B>
  requires bough::CompiledProduct<A, B>
struct generic_product_impl<A, B, DenseShape, DenseShape, CoeffBasedProductMode> : bough::ProductByStrides<A, B> {};

template <class C, class A>
  requires bough::CompiledCopy<C, A>
struct Assignment<C, A, assign_op<double, double>, Dense2Dense, void> {
  static void run(C& c, const A& a, const assign_op<double, double>& op) {
    resize_if_allowed(c, a, op);
    bough::set_scaled(bough::factor(a), bough::extracted(a), bough::strided(c));
  }
};

template <class C, class A>
  requires bough::CompiledCopy<C, A>
struct Assignment<C, A, add_assign_op<double, double>, Dense2Dense, void> {
  static void run(C& c, const A& a, const add_assign_op<double, double>&) {
    bough::add_scaled(bough::factor(a), bough::extracted(a), bough::strided(c));
  }
};

template <class C, class A>
  requires bough::CompiledCopy<C, A>
struct Assignment<C, A, sub_assign_op<double, double>, Dense2Dense, void> {
  static void run(C& c, const A& a, const sub_assign_op<double, double>&) {
    bough::add_scaled(-bough::factor(a), bough::extracted(a), bough::strided(c));
  }
};

}  // namespace Eigen::internal
