// The parts of a variational step by themselves: its rule, the derivatives of that, and solves with its matrix.
#include "bindings/arrays.hpp"
#include "bough/integrators/midpoint.hpp"
#include "bough/integrators/trapezoidal.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

// A rule evaluated at an interval.
struct StepParts {
  const Model& model;
  std::unique_ptr<DiscreteLagrangian> rule;
  std::vector<double> q0, q1, u, D1, D2, scale;

  StepParts(const Model& model, int method, double alpha) : model(model) {
    if (method == 0)
      rule = std::make_unique<Midpoint>(model, alpha);
    else
      rule = std::make_unique<Trapezoidal>(model);
    for (auto* x : {&D1, &D2, &scale}) x->resize(model.n_variables);
  }

  void evaluate(double t, double dt, In from, In to, In inputs) {
    need(from, 1, model.width());
    need(to, 1, model.width());
    need(inputs, 1, model.elements.n_inputs);
    q0.assign(from.data(), from.data() + from.size());
    q1.assign(to.data(), to.data() + to.size());
    u.assign(inputs.data(), inputs.data() + inputs.size());
    rule->evaluate({t, dt, q0.data(), q1.data(), u.data()}, D1.data(), D2.data(), scale.data());
  }

  void derivatives(Out D1_0, Out D1_1, Out D2_0, Out D2_1) {
    for (Out* out : {&D1_0, &D1_1, &D2_0, &D2_1}) need(*out, model.n_variables, model.n_variables);
    rule->slot_derivatives({D1_0.data(), D1_1.data(), D2_0.data(), D2_1.data()});
  }

  // Solves with T or its transpose; a row of x and y is a right-hand side. False if K is singular.
  bool solve(In Dh0, In Dh1, Out x, Out y, bool transposed) {
    const int rows = model.elements.n_constraints, columns = static_cast<int>(x.shape(0));
    need(Dh0, rows, model.n_variables);
    need(Dh1, rows, model.n_variables);
    need(x, columns, model.n_dynamic);
    need(y, columns, rows);
    const Jacobians D{rows, model.n_variables, model.n_dynamic, Dh0.data(), Dh1.data()};
    StepMatrix matrix(model, rule->along_tree());
    std::vector<double> first(model.n_dynamic), second(rows);
    if (!matrix.factor(*rule, D, first.data(), second.data())) return false;
    if (transposed)
      matrix.solve_transposed(D, x.data(), y.data(), columns);
    else
      matrix.solve(D, x.data(), y.data(), columns);
    return true;
  }
};

}  // namespace

void bind_step_parts(nb::module_& m) {
  nb::class_<StepParts>(m, "StepParts")
      .def(nb::init<const Model&, int, double>(), nb::keep_alive<1, 2>(), "model"_a, "method"_a, "alpha"_a)
      .def("evaluate", &StepParts::evaluate)
      .def("values",
           [](const StepParts& s, Out D1, Out D2) {
             need(D1, 1, s.D1.size());
             need(D2, 1, s.D2.size());
             std::copy(s.D1.begin(), s.D1.end(), D1.data());
             std::copy(s.D2.begin(), s.D2.end(), D2.data());
           })
      .def("derivatives", &StepParts::derivatives)
      .def("solve", &StepParts::solve);
}
