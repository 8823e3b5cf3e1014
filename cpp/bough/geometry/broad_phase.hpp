// Pairs of boxes along the axes of the world that meet: sweep and prune.
//
// Boxes are sorted by their lower ends along x, by insertion, since they were in order a step ago; each is compared with those
// that begin before it ends. With boxes made larger by how far a step can move what is in them, no pair is missed that
// touches within the step.
#pragma once

#include <utility>
#include <vector>

#include "bough/spatial/vec3.hpp"

namespace bough {

struct Bounds {
  Vec3 low, high;
};

class BroadPhase {
 public:
  // Nothing allocates after it, unless more than `pairs` meet.
  void resize(int boxes, int pairs);
  // Pairs (i, j) with i < j, in an order that depends on the boxes alone.
  const std::vector<std::pair<int, int>>& find(const std::vector<Bounds>& boxes);

 private:
  std::vector<int> order_;
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace bough
