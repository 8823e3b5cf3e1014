#include "bindings/arrays.hpp"
#include "bough/dynamics/gaps.hpp"
#include "bough/tree/kinematics.hpp"

using namespace bough;

namespace {

// Calls f(instant, row) with the poses of every row of a batch.
template <class F>
void at_rows(const Model& model, std::size_t rows, const In& q, const In& t, F f) {
  const std::size_t n = model.n_variables;
  for_batch(model, rows, [&](Workspace& ws, std::size_t b) {
    sweep_poses(model, ws, q.data() + b * n);
    f(Instant{model, ws.state, q.data() + b * n, nullptr, nullptr, t.data()[b]}, b);
  });
}

}  // namespace

void bind_contacts(nb::module_& m) {
  m.def("gap", [](const Model& model, In q, In t, Out phi, Out scale) {
    const std::size_t contacts = model.elements.n_contacts;
    const Rows batch = Rows(q).of(q, model.n_variables).of(t, 1).of(phi, contacts).of(scale, contacts);
    at_rows(model, batch.count, q, t,
            [&](const Instant& at, std::size_t b) { gap(at, phi.data() + b * contacts, scale.data() + b * contacts); });
  });
  m.def("gap_dq", [](const Model& model, In q, In t, Out out) {
    const std::size_t size = static_cast<std::size_t>(model.elements.n_contacts) * model.n_variables;
    const Rows batch = Rows(q).of(q, model.n_variables).of(t, 1).of(out, size);
    at_rows(model, batch.count, q, t, [&](const Instant& at, std::size_t b) { gap_dq(at, out.data() + b * size); });
  });
  m.def("gap_dt", [](const Model& model, In q, In t, Out out) {
    const std::size_t contacts = model.elements.n_contacts;
    const Rows batch = Rows(q).of(q, model.n_variables).of(t, 1).of(out, contacts);
    at_rows(model, batch.count, q, t,
            [&](const Instant& at, std::size_t b) { gap_rate(at, out.data() + b * contacts); });
  });
}
