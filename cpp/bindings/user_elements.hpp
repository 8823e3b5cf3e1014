// Elements that are written in Python.
#pragma once

#include <nanobind/nanobind.h>

#include "bough/tree/elements.hpp"

namespace bough {

// Adds the element of a Python object with attributes kind ("potential", "force" or "constraint") and rows, and the methods
// of its kind.
void add_user_element(Elements& elements, nanobind::object object);

}  // namespace bough
