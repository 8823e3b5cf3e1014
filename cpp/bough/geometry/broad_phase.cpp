#include "bough/geometry/broad_phase.hpp"

#include <algorithm>
#include <numeric>

namespace bough {

void BroadPhase::resize(int boxes, int pairs) {
  order_.resize(boxes);
  std::iota(order_.begin(), order_.end(), 0);
  pairs_.reserve(pairs);
}

const std::vector<std::pair<int, int>>& BroadPhase::find(const std::vector<Bounds>& boxes) {
  const int n = static_cast<int>(order_.size());
  for (int k = 1; k < n; ++k) {
    const int moved = order_[k];
    int at = k;
    for (; at > 0 && boxes[order_[at - 1]].low[0] > boxes[moved].low[0]; --at) order_[at] = order_[at - 1];
    order_[at] = moved;
  }
  pairs_.clear();
  for (int k = 0; k < n; ++k) {
    const Bounds& a = boxes[order_[k]];
    for (int l = k + 1; l < n && boxes[order_[l]].low[0] <= a.high[0]; ++l) {
      const Bounds& b = boxes[order_[l]];
      if (a.low[1] > b.high[1] || b.low[1] > a.high[1] || a.low[2] > b.high[2] || b.low[2] > a.high[2]) continue;
      pairs_.emplace_back(std::min(order_[k], order_[l]), std::max(order_[k], order_[l]));
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace bough
