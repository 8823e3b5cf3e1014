#include "bough/dynamics/reduced.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bough/dynamics/metric_variation.hpp"
#include "bough/spatial/retraction.hpp"

using namespace bough;

namespace {

using Rows66 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using MatrixOfTwist = Mat66 (*)(Retraction, const Vec6&);
using MatrixInDirection = Mat66 (*)(Retraction, const Vec6&, const Vec6&);

Vec6 row6(const In& x, std::size_t b) { return Eigen::Map<const Vec6>(x.data() + 6 * b); }

void bind(nb::module_& m, const char* name, MatrixOfTwist f) {
  m.def(name, [f](Retraction kind, In x, Out out) {
    const Rows batch = Rows(x).of(x, 6).of(out, 36);
    nb::gil_scoped_release release;
    for (std::size_t b = 0; b < batch.count; ++b) Eigen::Map<Rows66>(out.data() + 36 * b) = f(kind, row6(x, b));
  });
}

void bind(nb::module_& m, const char* name, MatrixInDirection f) {
  m.def(name, [f](Retraction kind, In x, In y, Out out) {
    const Rows batch = Rows(x).of(x, 6).of(y, 6).of(out, 36);
    nb::gil_scoped_release release;
    for (std::size_t b = 0; b < batch.count; ++b)
      Eigen::Map<Rows66>(out.data() + 36 * b) = f(kind, row6(x, b), row6(y, b));
  });
}

void bind_retractions(nb::module_& m) {
  nb::enum_<Retraction>(m, "Retraction").value("exp", Retraction::exp).value("cayley", Retraction::cayley);
  m.def("tau", [](Retraction kind, In x, Out out) {
    const Rows batch = Rows(x).of(x, 6).of(out, 16);
    nb::gil_scoped_release release;
    for (std::size_t b = 0; b < batch.count; ++b) tau(kind, row6(x, b)).store(out.data() + 16 * b);
  });
  m.def("tau_inverse", [](Retraction kind, In g, Out out) {
    const Rows batch = Rows(g).of(g, 16).of(out, 6);
    nb::gil_scoped_release release;
    for (std::size_t b = 0; b < batch.count; ++b) {
      Eigen::Map<Vec6>(out.data() + 6 * b) = tau_inverse(kind, Pose::from_matrix(g.data() + 16 * b));
    }
  });
  bind(m, "dtau", &dtau);
  bind(m, "dtau_inverse", &dtau_inverse);
  bind(m, "dtau_derivative", &dtau_derivative);
  bind(m, "dtau_inverse_derivative", &dtau_inverse_derivative);
}

}  // namespace

void bind_reduced(nb::module_& m) {
  bind_retractions(m);
  // The six variables of the free base, or none; and the shape variables.
  m.def("reduced_layout", [](const Model& model) {
    const ReducedLayout layout = reduced_layout(model);
    std::vector<int> base;
    for (int k = 0; k < layout.nb(); ++k) base.push_back(model.joints[layout.base + k].variable);
    return std::tuple(base, layout.shape);
  });
  // Whether every joint is outboard of the base or part of it.
  m.def("behind_base", [](const Model& model) {
    const int base = reduced_layout(model).base;
    return base == 0 && model.joints[0].subtree_end == model.n();
  });
  // (B15), (B17) along dr and dz; for the tests.
  m.def("metric_variation", [](const Model& model, In r, In dr, In z, In dz, Out dM, Out G, Out dG, Out Q, Out dQ) {
    const ReducedLayout layout = reduced_layout(model);
    const std::size_t n = layout.n(), nr = layout.nr();
    need(r, 1, nr);
    need(dr, 1, nr);
    need(z, 1, n);
    need(dz, 1, n);
    need(dM, n, n);
    for (Out* x : {&G, &dG}) need(*x, n, nr);
    for (Out* x : {&Q, &dQ}) need(*x, nr, nr);
    metric_variation(model, layout, r.data(), dr.data(), z.data(), dz.data(),
                     {dM.data(), G.data(), dG.data(), Q.data(), dQ.data()});
  });
  // Twelve outputs in the order of ReducedTensors; returns the first row of the batch at which I is singular, or -1.
  m.def("reduced_tensors", [](const Model& model, int order, In r, std::vector<Out> out) {
    const ReducedLayout layout = reduced_layout(model);
    ReducedMetric metric(model, layout);
    const std::size_t nr = layout.nr(), batch = Rows(r).of(r, nr).count;
    const std::size_t blocks[] = {36, nr * nr, 6 * nr, nr * nr};
    if (order < 0 || order > 2 || out.size() < 4 * (order + 1u)) throw nb::value_error("outputs of reduced tensors");
    for (std::size_t k = 0, derivative = 1; k < out.size(); ++k) {
      if (k > 0 && k % 4 == 0) derivative *= nr;
      need(out[k], batch, derivative * blocks[k % 4]);
    }
    nb::gil_scoped_release release;
    for (std::size_t b = 0; b < batch; ++b) {
      const auto at = [&](std::size_t k) {
        return k < out.size() ? out[k].data() + b * (out[k].size() / batch) : nullptr;
      };
      const ReducedTensors to{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11)};
      if (!reduced_tensors(layout, metric, r.data() + b * nr, order, to)) return static_cast<long>(b);
    }
    return -1L;
  });
}
