// Products of full matrices in rows of registers, four rows at a time, with no template of Eigen in them.
//
// All blocks are tall(): they have rows in multiples of four, and what is beyond the last row and column is zero.
#pragma once

#include "bough/solvers/pattern.hpp"

namespace bough {

inline int multiple_of_four(int n) { return 4 * ((n + 3) / 4); }

// A block of zeros with its rows rounded up.
inline void resize_tall(ColumnBlock& A, int rows, int columns) { A.resize(multiple_of_four(rows), columns); }

// A = the matrix by rows at `from`; A += it.
void set_rows(const double* from, int rows, int columns, ColumnBlock& A);
void add_rows(const double* from, int rows, int columns, ColumnBlock& A);
// The matrix by rows at `to`, its rows `stride` apart.
void write_rows(const ColumnBlock& A, int rows, int columns, double* to, int stride);

void set_transposed(const ColumnBlock& A, ColumnBlock& out);
// out += A + A^T, square.
void add_with_transposed(const ColumnBlock& A, ColumnBlock& out);
// The lower half from the upper one.
void mirror(ColumnBlock& A);

// out = A X, over the first `inner` columns of A.
void set_product(const ColumnBlock& A, int inner, const ColumnBlock& X, ColumnBlock& out);
// out = A^T X, out += A^T X and out -= A^T X over the first `inner` rows. out -= A^T A has the same bits in both halves.
void set_transposed_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out);
void add_transposed_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out);
void subtract_transposed_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out);
// The upper half of A^T X, to be mirrored.
void set_upper_product(const ColumnBlock& A, const ColumnBlock& X, int inner, ColumnBlock& out);

// out += A x, all by rows: A (rows, inner), x (inner, columns).
void add_product(const double* A, int rows, int inner, const double* x, int columns, double* out);

// A = L L^T in its lower half; false if A, n square, is not positive definite.
bool factor_cholesky(ColumnBlock& A, int n);
// X <- L^-1 X, and X <- L^-T X.
void solve_lower(const ColumnBlock& L, int n, ColumnBlock& X);
void solve_lower_transposed(const ColumnBlock& L, int n, ColumnBlock& X);

}  // namespace bough
