// Roll-outs, derivatives along a motion, and the sweeps of Newton's method over its steps.
#include <nanobind/stl/tuple.h>

#include "bindings/arrays.hpp"
#include "bough/control/pairs.hpp"
#include "bough/control/reach.hpp"
#include "bough/control/rollout.hpp"
#include "bough/solvers/stagewise_newton.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

template <class A>
std::size_t axis(const A& array, std::size_t i) {
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

// How it ended, and whether the step that is told has parts.
std::tuple<StepStatus, int> differentiate_pairs(Pairs& self, double t0, double dt, In x, In c, In l_y, In l_r, In l_lam,
                                                bool second, Out costate, Out gradient, Out lam) {
  const StepShape& shape = self.shape();
  const std::size_t count = axis(c, 0), nx = shape.states(), nc = shape.controls();
  need(x, count + 1, self.numbers());
  need(c, count, nc);
  need(l_y, count, self.pair());
  need(l_r, count, shape.nq);
  if (l_lam.size() > 0) need(l_lam, count, shape.m);
  need(costate, count + 1, nx);
  need(gradient, count, nc);
  if (lam.size() > 0) need(lam, count, shape.m * (nx + nc));
  nb::gil_scoped_release release;
  const auto ended = self.run({static_cast<int>(count), t0, dt, x.data(), c.data(), l_y.data(), l_r.data(),
                               l_lam.size() ? l_lam.data() : nullptr, second},
                              {costate.data(), gradient.data(), lam.size() ? lam.data() : nullptr});
  return {ended.status, ended.step};
}

// The quadratic problem over the pairs of the last run.
PairProblem pairs_of(const Pairs& self, double dt, const In& l_d, const In& l_yy, const In& l_rr, const In& H,
                     bool curved) {
  const StepShape& shape = self.shape();
  const std::size_t count = self.count(), nz = shape.states() + shape.controls(), ny = self.pair();
  if (l_d.size() > 0) need(l_d, count, ny);
  if (l_yy.size() > 0) need(l_yy, count, ny * ny);
  if (l_rr.size() > 0) need(l_rr, count, shape.nq);
  if (H.size() > 0) need(H, count, nz * nz);
  PairProblem problem{};
  problem.count = self.count();
  problem.dt = dt;
  problem.l_d = l_d.size() ? l_d.data() : nullptr;
  problem.l_yy = l_yy.size() ? l_yy.data() : nullptr;
  problem.l_rr = l_rr.size() ? l_rr.data() : nullptr;
  problem.H = H.size() ? H.data() : nullptr;
  problem.curved = curved;
  return problem;
}

int sweep_pairs(Pairs& self, double dt, In l_d, In l_yy, In l_rr, In H, bool curved, In b, In S, In s, double shift,
                Out G, Out w, Out P, Out slope) {
  PairProblem problem = pairs_of(self, dt, l_d, l_yy, l_rr, H, curved);
  const std::size_t count = self.count(), nx = self.shape().states(), nc = self.shape().controls();
  const std::size_t columns = axis(s, 1);
  if (columns == 0) throw nb::value_error("no right-hand side");
  need(b, count, nx + nc);
  need(S, nx, nx);
  need(s, nx, columns);
  need(G, count, nc * nx);
  need(w, count, nc * columns);
  need(P, nx, nx);
  need(slope, nx, columns);
  problem.columns = static_cast<int>(columns);
  problem.b = b.data();
  problem.S = S.data();
  problem.s = s.data();
  problem.shift = shift;
  nb::gil_scoped_release release;
  return self.backward(problem, {G.data(), w.data(), P.data(), slope.data()});
}

void follow_pairs(Pairs& self, Out G, Out w, Out x, Out c) {
  const std::size_t count = self.count(), nx = self.shape().states(), nc = self.shape().controls();
  const std::size_t columns = axis(w, 2);
  need(G, count, nc * nx);
  need(w, count, nc * columns);
  need(x, count + 1, nx * columns);
  need(c, count, nc * columns);
  PairProblem problem{};
  problem.count = self.count();
  problem.columns = static_cast<int>(columns);
  nb::gil_scoped_release release;
  self.forward(problem, {G.data(), w.data(), nullptr, nullptr}, x.data(), c.data());
}

void bind_pairs(nb::module_& m) {
  nb::class_<Pairs>(m, "Pairs")
      .def(
          "__init__",
          [](Pairs* self, const Model& model, int method, double alpha, double tolerance, double constraint_tolerance,
             int max_iterations, int max_halvings, int order, int threads) {
            if (order != 2 || max_halvings != 0) throw nb::value_error("steps of several parts have no pairs");
            new (self) Pairs(model, method, alpha,
                             {tolerance, constraint_tolerance, max_iterations, max_halvings, order}, threads);
          },
          nb::keep_alive<1, 2>(), "model"_a, "method"_a, "alpha"_a, "tolerance"_a, "constraint_tolerance"_a,
          "max_iterations"_a, "max_halvings"_a, "order"_a, "threads"_a)
      .def("run", &differentiate_pairs)
      .def("sweep", &sweep_pairs)
      .def("follow", &follow_pairs)
      .def("slope",
           [](const Pairs& self, double dt, In l_y, In l_r, Out b) {
             need(l_y, self.count(), self.pair());
             need(l_r, self.count(), self.shape().nq);
             need(b, self.count(), self.shape().states() + self.shape().controls());
             nb::gil_scoped_release release;
             self.slope(dt, l_y.data(), l_r.data(), b.data());
           })
      .def("states",
           [](const Pairs& self, In xi, Out dx) {
             need(xi, self.count() + 1, self.shape().states());
             need(dx, self.count() + 1, self.shape().states());
             nb::gil_scoped_release release;
             self.states(xi.data(), dx.data());
           })
      .def("gains",
           [](const Pairs& self, In G, Out over_states) {
             const std::size_t size = static_cast<std::size_t>(self.shape().controls()) * self.shape().states();
             need(G, self.count(), size);
             need(over_states, self.count(), size);
             nb::gil_scoped_release release;
             self.gains(G.data(), over_states.data());
           })
      .def("start",
           [](const Pairs& self, Out D1_0) {
             const StepShape& shape = self.shape();
             need(D1_0, shape.nd, shape.nq);
             if (self.count() == 0) throw nb::value_error("no steps");
             std::copy_n(self.stage(0) + self.layout().D1_0, static_cast<std::size_t>(shape.nd) * shape.nq,
                         D1_0.data());
           })
      .def("control_diagonal",
           [](Pairs& self, double dt, In l_d, In l_yy, In l_rr, In H, bool curved, Out diagonal) {
             const PairProblem problem = pairs_of(self, dt, l_d, l_yy, l_rr, H, curved);
             need(diagonal, self.count(), self.shape().controls());
             nb::gil_scoped_release release;
             self.control_diagonal(problem, diagonal.data());
           })
      .def_prop_ro("curved", &Pairs::curved);
}

StagewiseProblem stages(const In& J, const In& H, const In& b, const In& S, const In& c, double shift) {
  const std::size_t count = axis(J, 0), nx = axis(J, 1), nz = axis(J, 2), columns = axis(c, 1);
  if (nz < nx || columns == 0) throw nb::value_error("stages without states, or no right-hand side");
  need(H, count, nz * nz);
  need(b, count, nz);
  need(S, nx, nx);
  need(c, nx, columns);
  return {static_cast<int>(count),
          static_cast<int>(nx),
          static_cast<int>(nz - nx),
          static_cast<int>(columns),
          J.data(),
          H.data(),
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
  bind_pairs(m);
  m.def("stagewise_backward", [](In J, In H, In b, In S, In c, double shift, Out G, Out w, Out P, Out s) {
    const StagewiseProblem problem = stages(J, H, b, S, c, shift);
    need_gains(problem, G, w);
    need(P, problem.nx, problem.nx);
    need(s, problem.nx, problem.columns);
    nb::gil_scoped_release release;
    return stagewise_backward(problem, {G.data(), w.data(), P.data(), s.data()});
  });
  m.def("stagewise_forward", [](In J, Out G, Out w, Out x, Out u) {
    StagewiseProblem problem{};
    problem.count = static_cast<int>(axis(J, 0));
    problem.nx = static_cast<int>(axis(J, 1));
    problem.nu = static_cast<int>(axis(J, 2)) - problem.nx;
    problem.columns = static_cast<int>(axis(w, 2));
    problem.J = J.data();
    if (problem.nu < 0) throw nb::value_error("stages without states");
    need_gains(problem, G, w);
    need_motion(problem, x, u);
    nb::gil_scoped_release release;
    stagewise_forward(problem, {G.data(), w.data()}, x.data(), u.data());
  });
}
