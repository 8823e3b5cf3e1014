// What the methods for a cone problem share: its rows, the problem in scaled rows, and the residual of the law of Coulomb.
//
//   Π_m(z) = z if |z| <= m, m z/|z| if not                              the nearest point of the disk
//   F_n = r_n - max(0, r_n - y_n) ,   F_t = r_t - Π_ρ(r_t - y_t) ,  ρ = m max(0, r_n - y_n)                        (CO2)
//
// F = 0 if and only if (CO1) of cone_problem.hpp holds: Alart and Curnier.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/spatial/fours.hpp"

namespace bough {

// Room for a matrix of the rows that there are: all contacts of a robot together would fill hundreds of megabytes, and a few of
// them touch. Only more rows than ever before allocate.
inline void grow(std::vector<double>& x, std::size_t size) {
  if (x.size() < size) x.resize(size);
}

// G = J Z by rows, with J by rows of n variables, of which the first n_dynamic count, and Z by columns; `across`: scratch.
void set_cone_matrix(int rows, int n, int n_dynamic, const double* J, const double* Z, std::vector<double>& across,
                     std::vector<double>& G);

// Rows of one contact: 1 is the normal alone, 2 planar, 3 spatial; the first row is the normal.
struct ConeRows {
  int first;
  int rows;
  double friction;
};

enum class ConeStatus { open, stick, slide };

// y = G r + b in rows of which those of one contact share a factor; G by rows.
struct ScaledCones {
  int rows, n_contacts;
  const ConeRows* contacts;
  const double *G, *b, *D;  // D: the factors of the rows
  double scale;             // size of b, above zero

  void y_of(const double* r, double* y) const {
    for (int i = 0; i < rows; ++i) y[i] = b[i] + dot_in_fours(rows, G + static_cast<std::size_t>(i) * rows, r).value;
  }
};

// r_t - y_t of a contact with its length, and the radius of the disk.
struct Tangent {
  double z[2], length, radius;
};

inline Tangent tangent_of(const ConeRows& c, const double* r, const double* y) {
  Tangent t{{0.0, 0.0}, 0.0, 0.0};
  for (int k = 1; k < c.rows; ++k) t.z[k - 1] = r[c.first + k] - y[c.first + k];
  t.length = std::sqrt(t.z[0] * t.z[0] + t.z[1] * t.z[1]);  // of scaled rows, whose squares neither vanish nor overflow
  t.radius = c.friction * std::max(0.0, r[c.first] - y[c.first]);
  return t;
}

inline ConeStatus status_of(const ConeRows& c, const double* r, const double* y) {
  if (r[c.first] - y[c.first] <= 0.0) return ConeStatus::open;
  if (c.rows == 1) return ConeStatus::stick;
  const Tangent t = tangent_of(c, r, y);
  return t.length <= t.radius ? ConeStatus::stick : ConeStatus::slide;
}

// (CO2); returns the largest |F|.
inline double cone_residual(const ScaledCones& p, const double* r, const double* y, double* F) {
  double largest = 0.0;
  for (int i = 0; i < p.n_contacts; ++i) {
    const ConeRows& c = p.contacts[i];
    const int n = c.first;
    F[n] = std::min(r[n], y[n]);
    const Tangent t = tangent_of(c, r, y);
    const bool stick = t.length <= t.radius;
    for (int k = 1; k < c.rows; ++k) F[n + k] = stick ? y[n + k] : r[n + k] - t.radius / t.length * t.z[k - 1];
    for (int k = 0; k < c.rows; ++k)
      largest = std::isfinite(F[n + k]) ? std::max(largest, std::abs(F[n + k])) : F[n + k];
    if (!std::isfinite(largest)) return HUGE_VAL;
  }
  return largest;
}

// The nearest point of the cone |x_t| <= m x_n, in place.
inline void project_on_cone(const ConeRows& c, double* x) {
  double* v = x + c.first;
  const double m = c.rows > 1 ? c.friction : 0.0;
  const double tangential = c.rows > 2 ? std::hypot(v[1], v[2]) : c.rows > 1 ? std::abs(v[1]) : 0.0;
  if (tangential <= m * v[0]) return;
  const double normal = std::max(0.0, (v[0] + m * tangential) / (1.0 + m * m));
  const double factor = tangential > 0.0 ? m * normal / tangential : 0.0;
  v[0] = normal;
  for (int k = 1; k < c.rows; ++k) v[k] *= factor;
}

}  // namespace bough
