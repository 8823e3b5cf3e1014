#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/user_elements.hpp"
#include "bough/tree/catalogue.hpp"

using namespace bough;

// Records as src/bough/_lower.py writes them: (kind, frames, variables, inputs, values), or a Python object for an element
// that a user wrote.
void read_elements(const nb::list& records, int n_inputs, Model& model) {
  for (nb::handle item : records) {
    if (!nb::isinstance<nb::tuple>(item)) {
      add_user_element(model.elements, nb::borrow(item));
      continue;
    }
    const nb::tuple fields = nb::cast<nb::tuple>(item);
    ElementRecord record;
    record.kind = nb::cast<std::string>(fields[0]);
    for (int frame : nb::cast<std::vector<int>>(fields[1])) record.frames.push_back(model.frames.at(frame));
    record.variables = nb::cast<std::vector<int>>(fields[2]);
    record.inputs = nb::cast<std::vector<int>>(fields[3]);
    record.values = nb::cast<std::vector<double>>(fields[4]);
    add_element(model.elements, record);
  }
  model.elements.n_inputs = n_inputs;
}
