#include "bindings/arrays.hpp"
#include "bough/control/stage.hpp"

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
}
