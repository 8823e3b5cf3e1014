#include "bough/tree/kinematics.hpp"

#include "bindings/arrays.hpp"

using namespace bough;

namespace {

std::size_t rows(const In& q) { return q.shape(0); }

// A quantity of one frame that depends on q; `size` doubles a row.
using FrameQuantity = void (*)(const Model&, Workspace&, int, const double*, double*);
using FrameVelocityQuantity = void (*)(const Model&, Workspace&, int, const double*, const double*, double*);

void bind(nb::module_& m, const char* name, FrameQuantity quantity) {
  m.def(name, [quantity](const Model& model, int frame, In q, Out out) {
    const std::size_t size = rows(q) ? out.size() / rows(q) : 0;
    for_batch(model, rows(q), [&](Workspace& ws, std::size_t b) {
      quantity(model, ws, frame, q.data() + b * model.n_variables, out.data() + b * size);
    });
  });
}

void bind(nb::module_& m, const char* name, FrameVelocityQuantity quantity) {
  m.def(name, [quantity](const Model& model, int frame, In q, In v, Out out) {
    const std::size_t size = rows(q) ? out.size() / rows(q) : 0;
    for_batch(model, rows(q), [&](Workspace& ws, std::size_t b) {
      const std::size_t at = b * model.n_variables;
      quantity(model, ws, frame, q.data() + at, v.data() + at, out.data() + b * size);
    });
  });
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  bind(m, "pose", &pose);
  bind(m, "pose_dq", &pose_dq);
  bind(m, "pose_dqdq", &pose_dqdq);
  bind(m, "body_velocity", &body_velocity);
  bind(m, "body_velocity_dq", &body_velocity_dq);
  bind(m, "body_velocity_dqdq", &body_velocity_dqdq);
  bind(m, "body_velocity_dqdv", &body_velocity_dqdv);
  m.def("poses", [](const Model& model, InInt frames, In q, Out out) {
    const int count = static_cast<int>(frames.size());
    for_batch(model, rows(q), [&](Workspace& ws, std::size_t b) {
      poses(model, ws, frames.data(), count, q.data() + b * model.n_variables, out.data() + 16 * count * b);
    });
  });
  m.def("pose_derivative", [](const Model& model, int frame, In q, InInt variables, Out out) {
    for_batch(model, rows(q), [&](Workspace& ws, std::size_t b) {
      pose_derivative(model, ws, frame, q.data() + b * model.n_variables, variables.data(),
                      static_cast<int>(variables.size()), out.data() + 16 * b);
    });
  });
  m.def("jacobian", [](const Model& model, int frame, int kind, In q, Out out) {
    for_batch(model, rows(q), [&](Workspace& ws, std::size_t b) {
      jacobian(model, ws, frame, static_cast<JacobianKind>(kind), q.data() + b * model.n_variables,
               out.data() + 6 * b * model.n_variables);
    });
  });
}
