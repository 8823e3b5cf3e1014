#include "bough/tree/support.hpp"

#include <algorithm>

#include "bough/tree/model.hpp"

namespace bough {

// Parents have smaller slots: the larger of two cannot be above the fork.
int fork(const Model& model, int a, int b) {
  while (a != b) {
    int& larger = a > b ? a : b;
    larger = model.joints[larger - 1].parent;
  }
  return a;
}

Support path_support(std::vector<int> slots) { return {true, std::move(slots), 0, {}}; }

Support relative_support(const Model& model, std::vector<int> slots) {
  int common = slots[0];
  for (const int slot : slots) common = fork(model, common, slot);
  return {true, std::move(slots), common, {}};
}

Support variable_support(std::vector<int> variables) { return {true, {}, 0, std::move(variables)}; }

// A rotation about n leaves n unchanged, so the constant rotations alone determine the direction of an outboard axis.
bool turns_about(const Model& model, int slot, const Vec3& n) {
  std::vector<int> path;
  for (; slot > 0; slot = model.joints[slot - 1].parent) path.push_back(slot - 1);
  Mat3 R = Mat3::identity();
  for (auto i = path.rbegin(); i != path.rend(); ++i) {
    const Joint& joint = model.joints[*i];
    R = R * joint.X.R;
    if (is_zero(joint.S.w)) continue;
    if (!(norm(cross(R * joint.S.w, n)) <= 1e-12 * norm(n))) return false;
  }
  return true;
}

std::vector<int> joints(const Model& model, const Support& support) {
  std::vector<int> found;
  for (int slot : support.slots)
    for (; slot != support.fork; slot = model.joints[slot - 1].parent) found.push_back(slot - 1);
  for (int i = 0; i < model.n(); ++i)
    if (!support.known || std::count(support.variables.begin(), support.variables.end(), model.joints[i].variable) > 0)
      found.push_back(i);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace bough
