#include "bough/tree/kinematics.hpp"

#include "bindings/arrays.hpp"

using namespace bough;

namespace {

// A quantity of one frame that depends on q, with the number of doubles in a row for n variables.
using FrameQuantity = void (*)(const Model&, Workspace&, int, const double*, double*);
using FrameVelocityQuantity = void (*)(const Model&, Workspace&, int, const double*, const double*, double*);

using Size = std::size_t (*)(std::size_t n);

void bind(nb::module_& m, const char* name, FrameQuantity quantity, Size size_of) {
  m.def(name, [quantity, size_of](const Model& model, int frame, In q, Out out) {
    const std::size_t n = model.n_variables, size = size_of(n);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(out, size);
    frame_of(model, frame);
    Configurations config(model, q);
    for_batch(model, batch.count,
              [&](Workspace& ws, std::size_t b) { quantity(model, ws, frame, config(b), out.data() + b * size); });
  });
}

void bind(nb::module_& m, const char* name, FrameVelocityQuantity quantity, Size size_of) {
  m.def(name, [quantity, size_of](const Model& model, int frame, In q, In v, Out out) {
    const std::size_t n = model.n_variables, size = size_of(n);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(v, n).of(out, size);
    frame_of(model, frame);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      quantity(model, ws, frame, config(b), v.data() + b * n, out.data() + b * size);
    });
  });
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  nb::enum_<JacobianKind>(m, "JacobianKind")
      .value("body", JacobianKind::body)
      .value("spatial", JacobianKind::spatial)
      .value("hybrid", JacobianKind::hybrid);
  bind(m, "pose", &pose, [](std::size_t) -> std::size_t { return 16; });
  bind(m, "pose_dq", &pose_dq, [](std::size_t n) -> std::size_t { return 16 * n; });
  bind(m, "pose_dqdq", &pose_dqdq, [](std::size_t n) -> std::size_t { return 16 * n * n; });
  bind(m, "body_velocity", &body_velocity, [](std::size_t) -> std::size_t { return 6; });
  bind(m, "body_velocity_dq", &body_velocity_dq, [](std::size_t n) -> std::size_t { return 6 * n; });
  bind(m, "body_velocity_dqdq", &body_velocity_dqdq, [](std::size_t n) -> std::size_t { return 6 * n * n; });
  bind(m, "body_velocity_dqdv", &body_velocity_dqdv, [](std::size_t n) -> std::size_t { return 6 * n * n; });
  m.def("poses", [](const Model& model, InInt frames, In q, Out out) {
    const int count = static_cast<int>(frames.size());
    for (int i = 0; i < count; ++i) frame_of(model, frames.data()[i]);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(out, 16 * frames.size());
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      poses(model, ws, frames.data(), count, config(b), out.data() + 16 * count * b);
    });
  });
  m.def("pose_derivative", [](const Model& model, int frame, In q, InInt variables, Out out) {
    frame_of(model, frame);
    for (std::size_t i = 0; i < variables.size(); ++i) variable_of(model, variables.data()[i]);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(out, 16);
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      pose_derivative(model, ws, frame, config(b), variables.data(), static_cast<int>(variables.size()),
                      out.data() + 16 * b);
    });
  });
  m.def("jacobian", [](const Model& model, int frame, JacobianKind kind, In q, Out out) {
    frame_of(model, frame);
    const Rows batch = Rows(q).of(q, model.n_coordinates()).of(out, 6 * static_cast<std::size_t>(model.n_variables));
    Configurations config(model, q);
    for_batch(model, batch.count, [&](Workspace& ws, std::size_t b) {
      jacobian(model, ws, frame, kind, config(b), out.data() + 6 * b * model.n_variables);
    });
  });
}
