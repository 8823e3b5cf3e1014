// How the numbers of a model change with its parameters, and what of a run follows from that.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/parameters.hpp"
#include "bough/tree/balls.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

using Places = std::vector<int>;
using Nears = std::vector<std::tuple<const Model*, double>>;

void check_places(const Places& places, std::size_t size) {
  for (const int place : places)
    if (place < 0 || static_cast<std::size_t>(place) >= size) throw nb::index_error("no such element");
}

void add(VariedModel& self, const Nears& models, const std::tuple<Places, Places, Places>& changed) {
  const Model& own = self.model;
  std::vector<ParameterVariation::Near> near;
  for (const auto& [model, weight] : models) {
    const Elements &a = model->elements, &b = own.elements;
    if (model->n() != own.n() || a.potentials.size() != b.potentials.size() || a.forces.size() != b.forces.size() ||
        a.constraints.size() != b.constraints.size() || model->n_variables != own.n_variables)
      throw nb::value_error("the model of another system");
    near.push_back({model, weight});
  }
  const auto& [potentials, forces, constraints] = changed;
  check_places(potentials, own.elements.potentials.size());
  check_places(forces, own.elements.forces.size());
  check_places(constraints, own.elements.constraints.size());
  self.variations.emplace_back(own, std::move(near), ParameterVariation::Changed{potentials, forces, constraints});
}

// A parameter of numbers of frames alone: arrays as of `Model`, and entries (which array, place in it, derivative) of those
// that hold numbers, in the order value, ratio, offset, pose, mass, com, inertia, gravity.
void add_of_frames(VariedModel& self, const std::tuple<InInt, InInt, InInt>& tree, const std::vector<Out>& numbers,
                   In screw, const std::vector<std::tuple<int, int, double>>& entries, double step) {
  const auto& [parent, kind, variable] = tree;
  const std::size_t frames = parent.size();
  if (numbers.size() != 8 || frames != self.model.frames.size()) throw nb::value_error("the numbers of another model");
  need(kind, frames, 1);
  need(variable, frames, 1);
  need(screw, frames, 6);
  constexpr std::size_t sizes[7] = {1, 1, 1, 16, 1, 3, 9};
  for (int i = 0; i < 7; ++i) need(numbers[i], frames, sizes[i]);
  need(numbers[7], 1, 3);
  std::vector<ParameterVariation::Entry> changed;
  for (const auto& [array, place, derivative] : entries) {
    if (array < 0 || array > 7 || place < 0 || static_cast<std::size_t>(place) >= numbers[array].size())
      throw nb::index_error("no such number");
    changed.push_back({numbers[array].data() + place, derivative});
  }
  const auto at = [&](int i) { return numbers[i].data(); };
  const FrameTable table{static_cast<int>(frames),
                         parent.data(),
                         kind.data(),
                         variable.data(),
                         at(0),
                         at(1),
                         at(2),
                         at(3),
                         screw.data(),
                         at(4),
                         at(5),
                         at(6),
                         at(7),
                         self.model.n_dynamic,
                         self.model.n_variables};
  self.variations.push_back(ParameterVariation::of_frames(self.model, table, changed, step));
}

// out (rows, parameters) += tau . dp/dtheta, with p = L_v at (q, v): what a start with velocities adds.
void momentum_gradient(VariedModel& self, In q, In v, In tau, Out out) {
  const std::size_t n = self.model.n_variables, count = q.ndim() == 2 ? q.shape(0) : 0;
  const std::size_t size = self.variations.size(), numbers = self.model.n_coordinates();
  need(q, count, numbers);
  need(v, count, n);
  need(tau, count, n);
  need(out, count, size);
  nb::gil_scoped_release release;
  ParameterGradient by(self.model, self.variations);
  const std::vector<double> zero(n, 0.0), u(self.model.elements.n_inputs, 0.0);
  std::vector<double> in_core(self.model.width());
  for (std::size_t b = 0; b < count; ++b) {
    const double* at = q.data() + b * numbers;
    if (!self.model.balls.empty()) {
      to_core(self.model, at, in_core.data());
      at = in_core.data();
    }
    by.add({1.0, 0.0, at, v.data() + b * n, u.data(), zero.data(), tau.data() + b * n, zero.data()},
           out.data() + b * size);
  }
}

}  // namespace

void bind_parameters(nb::module_& m) {
  nb::class_<VariedModel>(m, "VariedModel")
      .def(
          "__init__", [](VariedModel* self, const Model& model) { new (self) VariedModel{model, {}}; },
          nb::keep_alive<1, 2>(), "model"_a)
      .def("add", &add, nb::keep_alive<1, 2>(), "near"_a, "changed"_a)
      .def("add_of_frames", &add_of_frames, "tree"_a, "numbers"_a, "screw"_a, "entries"_a, "step"_a)
      .def_prop_ro("size", [](const VariedModel& self) { return self.variations.size(); })
      .def("momentum_gradient", &momentum_gradient);
}
