// The joints that an element's derivatives can involve. With them, many local elements are solved for in time linear in
// their number (solvers/tree_border.hpp).
#pragma once

#include <vector>

#include "bough/spatial/spatial.hpp"

namespace bough {

struct Model;

// The joints on the paths from the slots up to the fork, and those of the variables.
struct Support {
  bool known = false;  // false: any joint
  std::vector<int> slots;
  int fork = 0;  // a slot at or above all of them; 0 is the world
  std::vector<int> variables;
};

// The lowest slot at or above both.
int fork(const Model& model, int a, int b);

// The paths from slots to the world, and those that end where they join, for quantities that do not change if
// everything moves together.
Support path_support(std::vector<int> slots);
Support relative_support(const Model& model, std::vector<int> slots);
Support variable_support(std::vector<int> variables);

// Whether every joint at or above a slot is a translation, or a rotation about an axis that is always along n.
bool turns_about(const Model& model, int slot, const Vec3& n);

// The joints of a support, in increasing order; all joints if it is not known.
std::vector<int> joints(const Model& model, const Support& support);

}  // namespace bough
