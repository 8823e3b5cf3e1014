// Elements that are written in Python.
#pragma once

#include <nanobind/nanobind.h>

#include "bough/tree/elements.hpp"

namespace bough {

// Adds the element of a Python object with attributes kind ("potential", "force", "constraint" or "unilateral") and rows,
// and the methods of its kind; one of the last kind has its restitution.
void add_user_element(Elements& elements, nanobind::object object);

// For the garbage collector: a user's element may refer to the model that it belongs to.
int visit_user_elements(const Elements& elements, visitproc visit, void* arg);
void clear_user_elements(const Elements& elements);

}  // namespace bough
