// Roll-outs, derivatives along a motion, and the sweeps of Newton's method over its steps.
#include <nanobind/stl/tuple.h>

#include "bindings/arrays.hpp"
#include "bough/control/reach.hpp"
#include "bough/control/rollout.hpp"
#include "bough/solvers/stagewise_newton.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

std::size_t axis(const In& array, std::size_t i) {
  if (array.ndim() <= i) throw nb::value_error("an array of too few axes");
  return array.shape(i);
}

// How it ended: a status, and the step that failed, or -1.
using Ended = std::tuple<StepStatus, int>;

Ended roll_out(Rollout& self, double t0, double dt, In x, In c, In d, In G, double length, Out to_x, Out to_c,
               Out lam) {
  const std::size_t count = axis(c, 0), nc = self.controls();
  need(x, count + 1, self.numbers());
  need(c, count, nc);
  if (d.size() > 0) need(d, count, nc);
  if (G.size() > 0) need(G, count, nc * self.moves());
  need(to_x, count + 1, self.numbers());
  need(to_c, count, nc);
  need(lam, count, self.stepper().model().elements.n_constraints);
  nb::gil_scoped_release release;
  const auto ended = self.run({static_cast<int>(count), t0, dt, x.data(), c.data(), d.size() ? d.data() : nullptr,
                               G.size() ? G.data() : nullptr, length},
                              {to_x.data(), to_c.data(), lam.data()});
  return {ended.status, ended.step};
}

Ended differentiate(Backward& self, double t0, double dt, In x, In c, In l_y, In l_d, In l_yy, In l_r, In l_rr,
                    In l_lam, bool second, Out J, Out H, Out b, Out costate, Out gradient, Out lam) {
  const StepShape& shape = self.shape();
  const std::size_t count = axis(c, 0), nx = shape.states(), nc = shape.controls(), nz = nx + nc, ny = self.pair();
  need(x, count + 1, self.numbers());
  need(c, count, nc);
  need(l_y, count, ny);
  need(l_d, count, ny);
  if (l_yy.size() > 0) need(l_yy, count, ny * ny);
  need(l_r, count, shape.nq);
  need(l_rr, count, shape.nq);
  if (l_lam.size() > 0) need(l_lam, count, shape.m);
  need(J, count, nx * nz);
  need(H, count, nz * nz);
  need(b, count, nz);
  need(costate, count + 1, nx);
  need(gradient, count, nc);
  if (lam.size() > 0) need(lam, count, shape.m * nz);
  nb::gil_scoped_release release;
  const auto ended = self.run(
      {static_cast<int>(count), t0, dt, x.data(), c.data(), l_y.data(), l_d.data(), l_yy.size() ? l_yy.data() : nullptr,
       l_r.data(), l_rr.data(), l_lam.size() ? l_lam.data() : nullptr, second},
      {J.data(), H.data(), b.data(), costate.data(), gradient.data(), lam.size() ? lam.data() : nullptr});
  return {ended.status, ended.step};
}

void differentiate_costs(Backward& self, double dt, In l_d, In l_yy, In l_rr, In J, Out H) {
  const StepShape& shape = self.shape();
  const std::size_t count = axis(J, 0), nx = shape.states(), nz = nx + shape.controls(), ny = self.pair();
  need(l_d, count, ny);
  if (l_yy.size() > 0) need(l_yy, count, ny * ny);
  need(l_rr, count, shape.nq);
  need(J, count, nx * nz);
  need(H, count, nz * nz);
  nb::gil_scoped_release release;
  Backward::Motion motion{};
  motion.count = static_cast<int>(count);
  motion.dt = dt;
  motion.l_d = l_d.data();
  motion.l_yy = l_yy.size() ? l_yy.data() : nullptr;
  motion.l_rr = l_rr.data();
  Backward::Derivatives out{};
  out.J = const_cast<double*>(J.data());  // which is read alone
  out.H = H.data();
  self.plain(motion, out);
}

Reach::Motion motion_of(const Reach& self, double t0, double dt, const In& x, const In& c) {
  const std::size_t count = axis(c, 0);
  need(x, count + 1, self.numbers());
  need(c, count, self.shape().controls());
  return {static_cast<int>(count), t0, dt, x.data(), c.data()};
}

// How it ended, and the number of columns of T.
std::tuple<StepStatus, int, int> reach(Reach& self, double t0, double dt, In x, In c, In scale, int most) {
  const Reach::Motion motion = motion_of(self, t0, dt, x, c);
  need(scale, 1, self.shape().states());
  nb::gil_scoped_release release;
  const auto ended = self.forward(motion, scale.data(), most);
  return {ended.status, ended.step, self.size()};
}

void write_reached(const Reach& self, Out T, Out J, Out lam) {
  const std::size_t nx = self.shape().states(), size = self.size(), nz = size + self.shape().controls();
  const std::size_t count = self.count();
  need(T, count + 1, nx * size);
  need(J, count, size * nz);
  if (lam.size() > 0) need(lam, count, self.shape().m * nz);
  nb::gil_scoped_release release;
  self.write(T.data(), J.data(), lam.size() ? lam.data() : nullptr);
}

Ended differentiate_reached(Reach& self, double t0, double dt, In x, In c, In l_y, In l_r, In l_lam, bool second, Out H,
                            Out costate, Out gradient) {
  const Reach::Motion motion = motion_of(self, t0, dt, x, c);
  const std::size_t count = motion.count, nc = self.shape().controls(), nz = self.size() + nc;
  if (motion.count != self.count()) throw nb::value_error("a motion of other length");
  need(l_y, count, self.pair());
  need(l_r, count, self.shape().nq);
  if (l_lam.size() > 0) need(l_lam, count, self.shape().m);
  need(costate, count + 1, self.shape().states());
  need(gradient, count, nc);
  if (second) need(H, count, nz * nz);
  const Reach::Costs costs{l_y.data(), l_r.data(), l_lam.size() ? l_lam.data() : nullptr};
  nb::gil_scoped_release release;
  if (!second) {
    self.set_gradient(motion, costs, costate.data() + count * self.shape().states(), gradient.data());
    return {StepStatus::fine, -1};
  }
  const auto ended = self.backward(motion, costs, {H.data(), costate.data(), gradient.data()});
  return {ended.status, ended.step};
}

StagewiseProblem stages(const In& J, const In& H, const In& b, const In& S, const In& c, double shift) {
  const std::size_t count = axis(J, 0), nx = axis(J, 1), nz = axis(J, 2), columns = axis(c, 1);
  if (nz < nx || columns == 0) throw nb::value_error("stages without states, or no right-hand side");
  if (H.size() > 0) need(H, count, nz * nz);
  need(b, count, nz);
  need(S, nx, nx);
  need(c, nx, columns);
  return {static_cast<int>(count),
          static_cast<int>(nx),
          static_cast<int>(nz - nx),
          static_cast<int>(columns),
          J.data(),
          H.size() ? H.data() : nullptr,
          b.data(),
          S.data(),
          c.data(),
          shift};
}

void need_gains(const StagewiseProblem& problem, const Out& G, const Out& w) {
  need(G, problem.count, static_cast<std::size_t>(problem.nu) * problem.nx);
  need(w, problem.count, static_cast<std::size_t>(problem.nu) * problem.columns);
}

void need_motion(const StagewiseProblem& problem, const Out& x, const Out& u) {
  need(x, problem.count + 1, static_cast<std::size_t>(problem.nx) * problem.columns);
  need(u, problem.count, static_cast<std::size_t>(problem.nu) * problem.columns);
}

}  // namespace

void bind_optimal_control(nb::module_& m) {
  nb::class_<Rollout>(m, "Rollout")
      .def(
          "__init__",
          [](Rollout* self, const Model& model, int method, double alpha, double tolerance, double constraint_tolerance,
             int max_iterations, int max_halvings, int order) {
            new (self)
                Rollout(model, method, alpha, {tolerance, constraint_tolerance, max_iterations, max_halvings, order});
          },
          nb::keep_alive<1, 2>(), "model"_a, "method"_a, "alpha"_a, "tolerance"_a, "constraint_tolerance"_a,
          "max_iterations"_a, "max_halvings"_a, "order"_a)
      .def("run", &roll_out)
      .def("failure", [](const Rollout& self) {
        const auto& failure = self.stepper().failure;
        return std::tuple(failure.residual, failure.worst_row, failure.iterations);
      });
  nb::class_<Backward>(m, "Backward")
      .def(
          "__init__",
          [](Backward* self, const Model& model, int method, double alpha, double tolerance,
             double constraint_tolerance, int max_iterations, int max_halvings, int order, int threads) {
            new (self) Backward(model, method, alpha,
                                {tolerance, constraint_tolerance, max_iterations, max_halvings, order}, threads);
          },
          nb::keep_alive<1, 2>(), "model"_a, "method"_a, "alpha"_a, "tolerance"_a, "constraint_tolerance"_a,
          "max_iterations"_a, "max_halvings"_a, "order"_a, "threads"_a)
      .def("run", &differentiate)
      .def("plain", &differentiate_costs);
  nb::class_<Reach>(m, "Reach")
      .def(
          "__init__",
          [](Reach* self, const Model& model, int method, double alpha, double tolerance, double constraint_tolerance,
             int max_iterations, int max_halvings, int order) {
            new (self)
                Reach(model, method, alpha, {tolerance, constraint_tolerance, max_iterations, max_halvings, order});
          },
          nb::keep_alive<1, 2>(), "model"_a, "method"_a, "alpha"_a, "tolerance"_a, "constraint_tolerance"_a,
          "max_iterations"_a, "max_halvings"_a, "order"_a)
      .def("forward", &reach)
      .def("write", &write_reached)
      .def("backward", &differentiate_reached);
  m.def("stagewise_newton", [](In J, In H, In b, In S, In c, double shift, Out x, Out u) {
    const StagewiseProblem problem = stages(J, H, b, S, c, shift);
    need(H, problem.count, static_cast<std::size_t>(axis(J, 2)) * axis(J, 2));
    need_motion(problem, x, u);
    nb::gil_scoped_release release;
    return stagewise_newton(problem, x.data(), u.data());
  });
  // H, or `ends` and `diagonal` in its place.
  m.def("stagewise_backward",
        [](In J, In H, In ends, In diagonal, In b, In S, In c, double shift, Out G, Out w, Out P, Out s) {
          StagewiseProblem problem = stages(J, H, b, S, c, shift);
          need_gains(problem, G, w);
          need(P, problem.nx, problem.nx);
          need(s, problem.nx, problem.columns);
          if (!problem.H) {
            const std::size_t n = axis(ends, 1);
            if (n > static_cast<std::size_t>(problem.nx)) throw nb::value_error("more weights than states");
            need(ends, problem.count, n);
            need(diagonal, problem.count, problem.nx + problem.nu);
            problem.n_ends = static_cast<int>(n);
            problem.ends = ends.data();
            problem.diagonal = diagonal.data();
          }
          nb::gil_scoped_release release;
          return stagewise_backward(problem, {G.data(), w.data(), P.data(), s.data()});
        });
  m.def("stagewise_forward", [](In J, In H, In b, In S, In c, Out G, Out w, Out x, Out u) {
    const StagewiseProblem problem = stages(J, H, b, S, c, 0.0);
    need_gains(problem, G, w);
    need_motion(problem, x, u);
    nb::gil_scoped_release release;
    stagewise_forward(problem, {G.data(), w.data()}, x.data(), u.data());
  });
}
