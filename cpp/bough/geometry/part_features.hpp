// The features by which two shapes are near each other, each named by a kind of part and the numbers of the parts of a and b.
#pragma once

#include "bough/geometry/feature.hpp"

namespace bough {

template <class Part>
struct PartFeatures {
  static constexpr int most = 48;
  struct One {
    Part part;
    int a, b;
    Gap gap;
  };
  int count = 0;
  One found[most];
};

}  // namespace bough
