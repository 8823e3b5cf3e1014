// Arrays of four systems side by side: one register for each variable, with one number for each system.
#pragma once

#include <cstddef>
#include <vector>

#include "bough/spatial/lanes.hpp"

namespace bough {

constexpr int lanes = 4;

#ifdef __AVX__
// a in the lanes in which `where` is above zero, b in the others.
inline Lane4 select(const Lane4& where, const Lane4& a, const Lane4& b) { return where > 0.0 ? a : b; }
#else
inline Lane4 select(const Lane4& where, const Lane4& a, const Lane4& b) {
  return {where.lo > 0.0 ? a.lo : b.lo, where.hi > 0.0 ? a.hi : b.hi};
}
#endif

using LaneArray = std::vector<Lane4>;

inline double* numbers(LaneArray& x) { return reinterpret_cast<double*>(x.data()); }
inline const double* numbers(const LaneArray& x) { return reinterpret_cast<const double*>(x.data()); }

// One system's numbers, in and out.
inline void put_lane(LaneArray& to, int lane, const double* from) {
  double* x = numbers(to) + lane;
  for (std::size_t i = 0; i < to.size(); ++i) x[lanes * i] = from[i];
}
inline void take_lane(const LaneArray& from, int lane, double* to) {
  const double* x = numbers(from) + lane;
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = x[lanes * i];
}

}  // namespace bough
