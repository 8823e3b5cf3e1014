#include "bindings/arrays.hpp"
#include "bough/control/stage.hpp"
#include "bough/solvers/stagewise_newton.hpp"

using namespace bough;

namespace {

std::size_t axis(const auto& array, std::size_t i) { return i < array.ndim() ? array.shape(i) : 0; }

// A motion of `count` steps whose arrays are checked. A mu without elements is zero.
Steps steps_of(const Model& model, std::size_t count, double dt, bool dynamic, const In& mu, const In& rates,
               std::size_t g, const In& r) {
  if (!has_free_base(model)) throw nb::value_error("a model without a free base");
  const std::size_t n = model.n_variables - base_variables;
  need(rates, count, n);
  need(r, count + 1, n);
  if (g / 16 < count + 1 || (mu.size() > 0 && mu.size() < 6)) throw nb::value_error("an array that is too short");
  return {model, static_cast<int>(count), dt, dynamic, rates.data(), mu.size() ? mu.data() : nullptr};
}

}  // namespace

void bind_control(nb::module_& m) {
  m.def("has_free_base", &has_free_base);
  m.def("reconstruct", [](const Model& model, double dt, bool dynamic, In mu, In rates, In r, Out g, Out D1, Out D2) {
    const Steps steps = steps_of(model, axis(D1, 0), dt, dynamic, mu, rates, g.size(), r);
    need(D1, steps.count, steps.n());
    need(D2, steps.count, steps.n());
    nb::gil_scoped_release release;
    return reconstruct(steps, g.data(), r.data(), D1.data(), D2.data());
  });
  m.def("differentiate", [](const Model& model, double dt, bool dynamic, In mu, In rates, In g, In r, In gamma,
                            In direct, Out J, Out F, Out H, Out costate, Out gradient) {
    const Steps steps = steps_of(model, axis(gamma, 0), dt, dynamic, mu, rates, g.size(), r);
    const std::size_t n = steps.n(), nx = steps.state(), nz = steps.stage();
    need(gamma, steps.count, n);
    need(direct, steps.count, nz);
    need(J, steps.count, nx * nz);
    need(F, steps.count, n * nz);
    need(H, steps.count, nz * nz);
    need(costate, steps.count + 1, nx);
    need(gradient, steps.count, n);
    nb::gil_scoped_release release;
    differentiate(steps, g.data(), r.data(), gamma.data(), direct.data(), J.data(), F.data(), H.data(), costate.data(),
                  gradient.data());
  });
  m.def("stagewise_newton", [](In J, In H, In b, In S, In c, double shift, Out x, Out u) {
    const std::size_t count = axis(J, 0), nx = axis(J, 1), nz = axis(J, 2), columns = axis(c, 1);
    if (nz < nx || columns == 0) throw nb::value_error("stages without states, or no right-hand side");
    need(H, count, nz * nz);
    need(b, count, nz);
    need(S, nx, nx);
    need(c, nx, columns);
    need(x, count + 1, nx * columns);
    need(u, count, (nz - nx) * columns);
    nb::gil_scoped_release release;
    const StagewiseProblem problem{static_cast<int>(count),
                                   static_cast<int>(nx),
                                   static_cast<int>(nz - nx),
                                   static_cast<int>(columns),
                                   J.data(),
                                   H.data(),
                                   b.data(),
                                   S.data(),
                                   c.data(),
                                   shift};
    return stagewise_newton(problem, x.data(), u.data());
  });
}
