#include "bindings/arrays.hpp"
#include "bough/control/stage.hpp"
#include "bough/solvers/stagewise_newton.hpp"

using namespace bough;

void bind_control(nb::module_& m) {
  m.attr("max_shape_variables") = (40 - base_joints) / 2;
  m.def("has_free_base", &has_free_base);
  // pi with no elements is zero.
  m.def("reconstruct", [](const Model& model, double h, bool dynamic, In pi, In u, In r, Out g, Out D1, Out D2) {
    nb::gil_scoped_release release;
    const Steps steps{model, static_cast<int>(D1.shape(0)), h, dynamic, u.data(), pi.size() ? pi.data() : nullptr};
    return reconstruct(steps, g.data(), r.data(), D1.data(), D2.data());
  });
  m.def("differentiate", [](const Model& model, double h, bool dynamic, In pi, In u, In g, In r, In gamma, In direct,
                            Out J, Out F, Out H, Out costate, Out gradient) {
    nb::gil_scoped_release release;
    const Steps steps{model, static_cast<int>(gamma.shape(0)), h, dynamic, u.data(), pi.size() ? pi.data() : nullptr};
    differentiate(steps, g.data(), r.data(), gamma.data(), direct.data(), J.data(), F.data(), H.data(), costate.data(),
                  gradient.data());
  });
  m.def("connection_derivatives", [](const Model& model, In r, Out A, Out dA, Out ddA) {
    return connection_derivatives(model, r.data(), A.data(), dA.data(), ddA.data());
  });
  m.def("stagewise_newton", [](In J, In H, In b, In S, In c, double shift, Out x, Out u) {
    nb::gil_scoped_release release;
    const StagewiseProblem problem{static_cast<int>(J.shape(0)),
                                   static_cast<int>(J.shape(1)),
                                   static_cast<int>(J.shape(2) - J.shape(1)),
                                   static_cast<int>(c.shape(1)),
                                   J.data(),
                                   H.data(),
                                   b.data(),
                                   S.data(),
                                   c.data(),
                                   shift};
    return stagewise_newton(problem, x.data(), u.data());
  });
}
