// Bodies in contact for the tests of the cone problem and of impacts: rows of velocities of contact points, G = J M⁻¹Jᵀ, and
// the law of Coulomb stated once more, plainly.
#pragma once

#include <array>

#include "bough/solvers/cone_rows.hpp"
#include "tests/cases.hpp"

namespace bough::tests {

using Vector = std::array<double, 3>;

inline Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Free bodies with six velocities each, linear then angular; planar ones use x, y and the turn about z.
class Bodies {
 public:
  explicit Bodies(bool planar = false) : planar_(planar) {}

  int add(double mass, const Vector& inertia, const Vector& centre = {0, 0, 0}) {
    centres_.push_back(centre);
    for (int k = 0; k < 6; ++k) {
      const bool moves = !planar_ || k == 0 || k == 1 || k == 5;
      inverse_.push_back(!moves ? 0.0 : k < 3 ? 1.0 / mass : 1.0 / inertia[k - 3]);
    }
    for (auto& row : J) row.resize(inverse_.size(), 0.0);
    return static_cast<int>(centres_.size()) - 1;
  }

  // The point x of body a against body b, or against the world if b < 0; normal from b to a, then the tangents.
  void touch(int a, int b, const Vector& x, const Vector& normal, const Vector& along, double friction) {
    const int rows = planar_ ? 2 : 3;
    const Vector axes[3] = {normal, along, cross(normal, along)};
    contacts.push_back({static_cast<int>(J.size()), rows, friction});
    for (int k = 0; k < rows; ++k) {
      J.emplace_back(inverse_.size(), 0.0);
      for (const auto& [body, sign] : {std::pair{a, 1.0}, std::pair{b, -1.0}}) {
        if (body < 0) continue;
        const Vector turn = cross(x - centres_[body], axes[k]);
        for (int i = 0; i < 3; ++i) {
          J.back()[6 * body + i] = sign * axes[k][i];
          J.back()[6 * body + 3 + i] = sign * turn[i];
        }
      }
    }
  }

  std::vector<double> delassus() const {
    std::vector<double> G;
    for (const auto& a : J)
      for (const auto& b : J) {
        double sum = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * inverse_[i] * b[i];
        G.push_back(sum);
      }
    return G;
  }

  // v + M⁻¹Jᵀ r
  std::vector<double> after(std::vector<double> v, const std::vector<double>& r) const {
    for (std::size_t k = 0; k < J.size(); ++k)
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += inverse_[i] * J[k][i] * r[k];
    return v;
  }

  double energy(const std::vector<double>& v) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += inverse_[i] > 0.0 ? 0.5 * v[i] * v[i] / inverse_[i] : 0.0;
    return sum;
  }

  Matrix J;
  std::vector<ConeRows> contacts;

 private:
  bool planar_;
  std::vector<Vector> centres_;
  std::vector<double> inverse_;  // of masses and moments; zero for what cannot move
};

// How far r and y are from the law of Coulomb, in the largest of its conditions: the sizes of r and y count, so both are to be
// of the size of one.
inline double coulomb(const ConeRows& c, const double* r, const double* y) {
  const double *rc = r + c.first, *yc = y + c.first;
  double worst = std::max({-rc[0], -yc[0], std::min(rc[0], yc[0])}), force = 0.0, slip = 0.0, work = 0.0;
  for (int k = 1; k < c.rows; ++k) {
    force += rc[k] * rc[k];
    slip += yc[k] * yc[k];
    work += rc[k] * yc[k];
  }
  force = std::sqrt(force);
  slip = std::sqrt(slip);
  worst = std::max(worst, force - c.friction * rc[0]);
  // the most work that friction can take: r_t·y_t = -m r_n |y_t|
  return c.rows > 1 ? std::max(worst, work + c.friction * rc[0] * slip) : worst;
}

inline double coulomb(const std::vector<ConeRows>& contacts, const std::vector<double>& r,
                      const std::vector<double>& y) {
  double worst = 0.0;
  for (const ConeRows& c : contacts) worst = std::max(worst, coulomb(c, r.data(), y.data()));
  return worst;
}

inline std::vector<double> times_square(const std::vector<double>& G, const std::vector<double>& r) {
  std::vector<double> y(r.size(), 0.0);
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t j = 0; j < r.size(); ++j) y[i] += G[i * r.size() + j] * r[j];
  return y;
}

// One or two bodies with up to four contacts in random places, of random masses, friction up to 1.5.
inline Bodies random_bodies(Random& random) {
  const auto positive = [&] { return 0.5 * (random() + 1.0); };
  const bool planar = positive() < 0.5;
  Bodies bodies(planar);
  const int count = positive() < 0.7 ? 1 : 2, touching = 1 + static_cast<int>(2.999 * positive()) + (count - 1);
  for (int i = 0; i < count; ++i) {
    const double mass = std::pow(10.0, random());
    const auto moment = [&] { return mass * (0.02 + 0.3 * positive()); };
    const Vector inertia = {moment(), moment(), moment()};
    bodies.add(mass, inertia, {random(), random(), planar ? 0.0 : random()});
  }
  for (int i = 0; i < touching; ++i) {
    const int a = count == 1 ? 0 : static_cast<int>(1.999 * positive());
    const int b = count == 2 && positive() < 0.6 ? 1 - a : -1;
    const auto unit = [&](const Vector* across) {
      for (;;) {
        Vector v = {random(), random(), planar ? 0.0 : random()};
        if (across != nullptr) v = cross(*across, planar ? Vector{0, 0, 1} : v);
        const double size = std::sqrt(dot(v, v));
        if (size > 0.1) return Vector{v[0] / size, v[1] / size, v[2] / size};
      }
    };
    const Vector normal = unit(nullptr), along = unit(&normal);
    bodies.touch(a, b, {random(), random(), planar ? 0.0 : random()}, normal, along, 1.5 * positive());
  }
  return bodies;
}

}  // namespace bough::tests
