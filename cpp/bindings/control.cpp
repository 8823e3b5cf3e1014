#include "bindings/arrays.hpp"
#include "bough/control/stage.hpp"
#include "bough/solvers/stagewise_newton.hpp"

using namespace bough;

namespace {

std::size_t axis(const auto& array, std::size_t i) { return i < array.ndim() ? array.shape(i) : 0; }

// A motion of `count` steps, with what belongs to it checked. pi with no elements is zero.
Steps steps_of(const Model& model, std::size_t count, double h, bool dynamic, const In& pi, const In& u, std::size_t g,
               const In& r) {
  if (model.n_variables < base_joints) throw nb::value_error("a model without a free base");
  const std::size_t n = model.n_variables - base_joints;
  need(u, count, n);
  need(r, count + 1, n);
  if (g / 16 < count + 1 || (pi.size() > 0 && pi.size() < 6)) throw nb::value_error("an array that is too short");
  return {model, static_cast<int>(count), h, dynamic, u.data(), pi.size() ? pi.data() : nullptr};
}

}  // namespace

void bind_control(nb::module_& m) {
  m.attr("max_shape_variables") = (40 - base_joints) / 2;
  m.def("has_free_base", &has_free_base);
  m.def("reconstruct", [](const Model& model, double h, bool dynamic, In pi, In u, In r, Out g, Out D1, Out D2) {
    const Steps steps = steps_of(model, axis(D1, 0), h, dynamic, pi, u, g.size(), r);
    need(D1, steps.count, steps.n());
    need(D2, steps.count, steps.n());
    nb::gil_scoped_release release;
    return reconstruct(steps, g.data(), r.data(), D1.data(), D2.data());
  });
  m.def("differentiate", [](const Model& model, double h, bool dynamic, In pi, In u, In g, In r, In gamma, In direct,
                            Out J, Out F, Out H, Out costate, Out gradient) {
    const Steps steps = steps_of(model, axis(gamma, 0), h, dynamic, pi, u, g.size(), r);
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
  m.def("connection_derivatives", [](const Model& model, In r, Out A, Out dA, Out ddA) {
    const std::size_t n = model.n_variables < base_joints ? 0 : model.n_variables - base_joints;
    need(r, 1, n);
    need(A, 6, n);
    need(dA, 6, n * n);
    need(ddA, 6, n * n * n);
    return connection_derivatives(model, r.data(), A.data(), dA.data(), ddA.data());
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
