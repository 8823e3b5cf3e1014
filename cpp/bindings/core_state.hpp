// States that live in the core, and steps from one to the next: what a control loop in Python calls. The checks made here ask
// no more than whether the core can use the arguments as they are; where it cannot, Python checks them again and says why.
#pragma once

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>

#include "bindings/arrays.hpp"
#include "bindings/packed.hpp"
#include "bindings/vectors.hpp"
#include "bough/dynamics/constrained.hpp"

// What differs between steppers, by specialisation:
//   time(memory), configuration(memory), momenta(memory)
//   step(s, dt, k0, k1, u)        a step; k1 null: the kinematic variables are held at k0
//   each(memory, visit)           visits all parts of a memory
//   velocity(model, memory, v)    of a model with contacts, which v is projected on; if the stepper knows contacts
template <class S>
struct Steps;

// An instant of a motion with a stepper of type S. Python shares it freely: it never changes.
template <class S>
struct CoreState {
  typename S::Memory memory;
  std::vector<double> vk;  // velocities of the kinematic variables
  std::vector<double> u;   // inputs of the step that led here

  template <class Self, class Visit>
  static void each(Self& self, Visit& visit) {
    Steps<S>::each(self.memory, visit);
    visit(self.vk);
    visit(self.u);
  }
};

// A stepper at work: `now` is where it is, `next_vk` and `next_u` are of a step on the way. Arrays of Python look into `now`,
// whose vectors keep their sizes and so their places.
template <class S>
struct CoreRunner {
  S& stepper;
  CoreState<S> now;
  std::vector<double> next_vk, next_u;
  std::unique_ptr<bough::ConstraintSpace> space;  // made when velocities are asked for first
};

constexpr int for_python = -1;  // the outcome of a step whose arguments Python has to look at

template <class S>
bool fits(const S& s, const CoreState<S>& state) {
  const std::size_t nk = s.model().n_variables - s.model().n_dynamic;
  return s.fits(state.memory) && state.vk.size() == nk;
}

// One step from `from`, where the stepper is, with arguments of Python; its vk and u. The outcome is a status, 0 where all is
// well.
template <class S>
int step_from(const CoreState<S>& from, S& s, nb::handle u, nb::handle k, nb::handle dt, std::vector<double>& vk,
              std::vector<double>& inputs) {
  const bough::Model& model = s.model();
  const std::size_t nk = model.n_variables - model.n_dynamic, nu = model.elements.n_inputs;
  if (!PyFloat_Check(dt.ptr())) return for_python;
  const double size = PyFloat_AsDouble(dt.ptr());
  if (!(size > 0.0 && size * size > 0.0 && std::isfinite(size))) return for_python;
  inputs.assign(nu, 0.0);
  if (!u.is_none()) {
    const Vector given(u, nu);
    if (!given.readable()) return for_python;
    std::copy_n(given.data(), nu, inputs.begin());
  }
  const double* held = Steps<S>::configuration(from.memory).data() + model.n_dynamic;
  const Vector end(k, nk);
  if (!k.is_none() && !end.readable()) return for_python;
  vk.assign(nk, 0.0);
  for (std::size_t i = 0; end.readable() && i < nk; ++i) vk[i] = (end.data()[i] - held[i]) / size;
  nb::gil_scoped_release release;
  return static_cast<int>(Steps<S>::step(s, size, held, end.data(), inputs.data()));
}

// The state after a step from another one, or None where Python has to look at the arguments, or at why the step failed.
template <class S>
nb::object advance(S& s, nb::handle from, nb::handle u, nb::handle k, nb::handle dt) {
  const CoreState<S>* state = nullptr;
  if (!nb::try_cast(from, state) || !state || !fits(s, *state)) return nb::none();
  s.recall(state->memory);
  CoreState<S> next;
  if (step_from(*state, s, u, k, dt, next.vk, next.u) != 0) return nb::none();
  s.remember(next.memory);
  return nb::cast(std::move(next));
}

// The same in place. False: the runner is where it was.
template <class S>
bool step(CoreRunner<S>& runner, nb::handle u, nb::handle k, nb::handle dt) {
  CoreState<S>& now = runner.now;
  int outcome;
  try {
    outcome = step_from(now, runner.stepper, u, k, dt, runner.next_vk, runner.next_u);
  } catch (...) {  // of an element that a user wrote
    runner.stepper.recall(now.memory);
    throw;
  }
  if (outcome != 0) {
    if (outcome != for_python) runner.stepper.recall(now.memory);
    return false;
  }
  runner.stepper.remember(now.memory);
  std::copy(runner.next_vk.begin(), runner.next_vk.end(), now.vk.begin());
  std::copy(runner.next_u.begin(), runner.next_u.end(), now.u.begin());
  return true;
}

// Puts a stepper into a state; false where that is of another model.
template <class S>
bool load(S& s, const CoreState<S>& state) {
  if (!fits(s, state)) return false;
  s.recall(state.memory);
  return true;
}

// A runner at a state, from which it goes on.
template <class S>
CoreRunner<S> runner_at(S& s, const CoreState<S>& state) {
  if (!load(s, state)) throw nb::value_error("the state of another model");
  CoreRunner<S> runner{s, state, {}, {}, nullptr};
  runner.now.u.resize(s.model().elements.n_inputs);
  return runner;
}

constexpr int no_impact = -2;  // the outcome of a start at which contacts are hit and no impulses are found

// Puts a stepper at a start with momenta; vk: velocities of the kinematic variables. Returns -1, or the variable at which the
// mass matrix is singular, or no_impact.
template <class S>
int start_from_momenta(S& s, double t, In q, In p, In vk) {
  const bough::Model& model = s.model();
  bough::KeptConstraintSpace space(model);
  need(q, 1, model.n_coordinates());
  Configurations config(model, q);
  const double* q0 = config(0);
  need(p, 1, model.n_dynamic);
  if (vk.size() + model.n_dynamic != static_cast<std::size_t>(model.n_variables)) throw nb::value_error("vk");
  std::vector<double> v(model.n_variables, 0.0);
  std::copy_n(vk.data(), vk.size(), v.begin() + model.n_dynamic);
  const int singular = velocity_from_momentum(model, workspace(model), space, q0, p.data(), t, v.data());
  if (singular >= 0) return singular;
  if constexpr (std::is_same_v<decltype(s.start(t, q0, p.data(), v.data())), bool>) {
    if (!s.start(t, q0, p.data(), v.data())) return no_impact;
  } else {
    s.start(t, q0, p.data(), v.data());
  }
  return singular;
}

// The velocities of all variables. Returns -1, or the variable at which the mass matrix is singular.
template <class S>
int velocity(const bough::Model& model, const CoreState<S>& state, bough::ConstraintSpace& space, Out& v) {
  const std::vector<double>&q = Steps<S>::configuration(state.memory), &p = Steps<S>::momenta(state.memory);
  need_exactly(q, model.width());
  need_exactly(p, model.n_dynamic);
  need_exactly(state.vk, model.n_variables - model.n_dynamic);
  need(v, 1, model.n_variables);
  std::fill_n(v.data(), model.n_dynamic, 0.0);
  std::copy(state.vk.begin(), state.vk.end(), v.data() + model.n_dynamic);
  nb::gil_scoped_release release;
  if constexpr (requires { Steps<S>::velocity(model, state.memory, v.data()); })
    if (model.elements.n_contacts > 0) return Steps<S>::velocity(model, state.memory, v.data());
  return velocity_from_momentum(model, workspace(model), space, q.data(), p.data(), Steps<S>::time(state.memory),
                                v.data());
}

// A view of numbers that `owner` holds, not to be written to.
inline auto view(const std::vector<double>& x, nb::handle owner) {
  const std::size_t shape[1] = {x.size()};
  return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(x.data(), 1, shape, owner);
}

// Properties that look into a state: `of` gives the state of an object, `vector` a part of it.
template <class Class, class Of, class Part>
void bind_view(Class& c, const char* name, Of of, Part part) {
  c.def_prop_ro(
      name, [of, part](nb::handle self) { return view(part(of(nb::cast<const typename Class::Type&>(self))), self); });
}

template <class S>
void bind_core_state(nb::module_& m, nb::class_<S>& stepper, const std::string& name) {
  using State = CoreState<S>;
  using Runner = CoreRunner<S>;
  const auto itself = [](const State& x) -> const State& { return x; };
  const auto now = [](const Runner& x) -> const State& { return x.now; };
  const auto vk = [](const State& x) -> const std::vector<double>& { return x.vk; };
  const auto u = [](const State& x) -> const std::vector<double>& { return x.u; };

  auto state = nb::class_<State>(m, (name + "State").c_str());
  state
      .def("__init__",
           [](State* self, const std::vector<double>& numbers) {
             State made;
             Unpacked parts(numbers);
             State::each(made, parts);
             parts.end();
             new (self) State(std::move(made));
           })
      .def("numbers",
           [](const State& self) {
             Packed parts;
             State::each(self, parts);
             return parts.numbers;
           })
      .def("velocity",
           [](const State& self, const bough::Model& model, Out v) {
             bough::KeptConstraintSpace space(model);
             return velocity(model, self, space, v);
           })
      .def_prop_ro("t", [](const State& self) { return Steps<S>::time(self.memory); });
  bind_view(state, "vk", itself, vk);
  bind_view(state, "u", itself, u);

  auto runner = nb::class_<Runner>(m, (name + "Runner").c_str());
  runner
      .def(
          "__init__", [](Runner* self, S& s, const State& start) { new (self) Runner(runner_at(s, start)); },
          nb::keep_alive<1, 2>())
      .def("step", &step<S>, nb::arg("u").none(), nb::arg("k").none(), nb::arg("dt"))
      .def("load",
           [](Runner& self, const State& other) {
             if (!load(self.stepper, other)) throw nb::value_error("the state of another model");
             self.now.memory = other.memory;
             self.now.vk = other.vk;
             std::copy_n(other.u.begin(), std::min(other.u.size(), self.now.u.size()), self.now.u.begin());
           })
      .def("state", [](const Runner& self) { return self.now; })
      .def("velocity",
           [](Runner& self, const bough::Model&, Out v) {
             const bough::Model& model = self.stepper.model();
             if (!self.space) self.space = std::make_unique<bough::ConstraintSpace>(model);
             return velocity(model, self.now, *self.space, v);
           })
      .def_prop_ro("t", [](const Runner& self) { return Steps<S>::time(self.now.memory); });

  Steps<S>::each_view([&](const char* part, auto get) {
    const auto of_memory = [get](const State& x) -> const std::vector<double>& { return get(x.memory); };
    bind_view(state, part, itself, of_memory);
    bind_view(runner, part, now, of_memory);
  });
  stepper.def("advance", &advance<S>, nb::arg("state").none(), nb::arg("u").none(), nb::arg("k").none(), nb::arg("dt"))
      .def("load", &load<S>)
      .def("save", [](const S& s, In vk, In u) {
        State saved;
        s.remember(saved.memory);
        saved.vk.assign(vk.data(), vk.data() + vk.size());
        saved.u.assign(u.data(), u.data() + u.size());
        need_exactly(saved.vk, s.model().n_variables - s.model().n_dynamic);
        need_exactly(saved.u, s.model().elements.n_inputs);
        return saved;
      });
}
