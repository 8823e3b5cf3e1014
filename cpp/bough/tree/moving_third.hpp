// Third derivatives of functions of moving vectors (moving.hpp): of a distance, and of products.
//
// With y_i = dy/dq_i and so on, y_ijk from (P2) of points.hpp, and sums over the three ways to single out one of i, j, k:
//
//   W(y):     W_ijk = W_y . y_ijk + sum y_ij . W_yy y_k + W_yyy[y_i, y_j, y_k]                                  (P3)
//   W(|y|):   W_y = W' n,  n = y / |y|,    W_yy = (W' / |y|) P + W'' n n^T,  P = 1 - n n^T,
//             W_yyy[a, b, c] = W''' (n.a) (n.b) (n.c) + (W'' - W' / |y|) / |y| sum (a . P b) (n.c)              (P4)
//   y . z:    h_ijk = y_ijk . z + y . z_ijk + sum (y_ij . z_k + z_ij . y_k)                                     (P5)
#pragma once

#include "bough/tree/moving.hpp"

namespace bough {

// The variables that move vectors, and the index of each variable among them, -1 if it moves none.
struct Movers {
  std::vector<int> variable, place;

  void clear(const Model& model) {
    variable.clear();
    place.assign(model.n_variables, -1);
  }
  // The variables that move y through joints below slot `stop`.
  void add(const Model& model, const Moving& y, int stop) {
    for (int p = 0; p < y.parts; ++p)
      for (int slot = y.part[p].joint; slot != stop; slot = model.joints[slot - 1].parent) {
        const int moving = model.joints[slot - 1].variable;
        if (place[moving] >= 0) continue;
        place[moving] = static_cast<int>(variable.size());
        variable.push_back(moving);
      }
  }
};

// y_i and y_ij over the movers.
struct VectorDerivatives {
  std::vector<Vec3> first, second;
  std::size_t count = 0;

  const Vec3& pair(std::size_t i, std::size_t j) const { return second[i * count + j]; }

  void set(const Instant& at, const Moving& y, int stop, const Movers& movers) {
    const Model& model = at.model;
    count = movers.variable.size();
    first.assign(count, Vec3::zero());
    second.assign(count * count, Vec3::zero());
    for (int p = 0; p < y.parts; ++p)
      for (int i = y.part[p].joint; i != stop; i = model.joints[i - 1].parent) {
        const std::size_t below = movers.place[model.joints[i - 1].variable];
        const Vec3 dy = model.joints[i - 1].ratio * part_dq(y.part[p], at.state[i]);
        first[below] += dy;
        for (int j = i; j != stop; j = model.joints[j - 1].parent) {  // (P1)
          const std::size_t above = movers.place[model.joints[j - 1].variable];
          const Vec3 ddy = model.joints[j - 1].ratio * cross(at.state[j].J.w, dy);
          second[below * count + above] += ddy;
          if (i != j) second[above * count + below] += ddy;
        }
      }
  }
};

// T += value(i, j, k), symmetric in the places of the movers, at all orders of their variables
template <class F>
void add_symmetric(const Model& model, const Movers& movers, double* T, F value) {
  const std::vector<int>& variable = movers.variable;
  for (std::size_t i = 0; i < variable.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k <= j; ++k)
        add_orders(T, model.n_variables, variable[i], variable[j], variable[k], i == j, j == k, value(i, j, k));
}

// T += factor * g . d3y/dq dq dq over joints below slot `stop`                                                  (P2)
inline void add_third(const Instant& at, const Moving& y, const Vec3& g, double factor, int stop, double* T) {
  for (int p = 0; p < y.parts; ++p)
    for (int i = y.part[p].joint; i != stop; i = at.model.joints[i - 1].parent)
      add_third_above(at.model, at.state, i, part_dq(y.part[p], at.state[i]), g, factor, stop, T);
}

// A function W of the distance r: W' / r, W'' and W'''.
struct Radial {
  double across, along, third;
};

// T += factor * d3W/dq dq dq for the distance of two points. If they coincide n is taken as zero, and W' / r as given.
inline void add_radial_third(const Instant& at, const Point& a, const Point& b, const Radial& W, double factor,
                             double* T) {
  const Moving d = difference(a, b);
  const double r = norm(d.value), bend = r > 0.0 ? (W.along - W.across) / r : 0.0;
  const Vec3 n = r > 0.0 ? d.value / r : Vec3::zero();
  const int stop = fork(at.model, a.joint, b.joint);
  thread_local Movers movers;
  thread_local VectorDerivatives y;
  movers.clear(at.model);
  movers.add(at.model, d, stop);
  y.set(at, d, stop, movers);
  // One of the three terms of the sums in (P3), (P4).
  const auto one = [&](std::size_t i, std::size_t j, std::size_t k) {
    const Vec3& y_k = y.first[k];
    const double along = dot(n, y_k), ij = dot(n, y.first[i]) * dot(n, y.first[j]);
    return W.across * dot(y.pair(i, j), y_k) + (W.along - W.across) * dot(n, y.pair(i, j)) * along +
           bend * (dot(y.first[i], y.first[j]) - ij) * along;
  };
  add_symmetric(at.model, movers, T, [&](std::size_t i, std::size_t j, std::size_t k) {
    const double cube = dot(n, y.first[i]) * dot(n, y.first[j]) * dot(n, y.first[k]);
    return factor * (W.third * cube + one(i, j, k) + one(j, k, i) + one(k, i, j));
  });
  add_third(at, d, W.across * d.value, factor, stop, T);
}

// T += factor * d3(y . z)/dq dq dq                                                                              (P5)
inline void add_product_third(const Instant& at, const Moving& y, const Moving& z, double factor, double* T) {
  add_third(at, y, z.value, factor, 0, T);
  add_third(at, z, y.value, factor, 0, T);
  if (y.parts == 0 || z.parts == 0) return;
  thread_local Movers movers;
  thread_local VectorDerivatives dy, dz;
  movers.clear(at.model);
  movers.add(at.model, y, 0);
  movers.add(at.model, z, 0);
  dy.set(at, y, 0, movers);
  dz.set(at, z, 0, movers);
  const auto one = [&](std::size_t i, std::size_t j, std::size_t k) {
    return dot(dy.pair(i, j), dz.first[k]) + dot(dz.pair(i, j), dy.first[k]);
  };
  add_symmetric(at.model, movers, T, [&](std::size_t i, std::size_t j, std::size_t k) {
    return factor * (one(i, j, k) + one(j, k, i) + one(k, i, j));
  });
}

}  // namespace bough
