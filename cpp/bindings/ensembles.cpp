#include "bough/integrators/many_runs.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>

#include "bindings/arrays.hpp"

using namespace bough;
using namespace nb::literals;

namespace {

template <class T>
using Numbers = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Ends = std::tuple<Numbers<int>, Numbers<std::int64_t>, Numbers<std::int64_t>, Numbers<std::int64_t>,
                        Numbers<bool>, Numbers<double>, Numbers<int>, Numbers<std::int64_t>>;

// One number of each run.
template <class T, class Of>
Numbers<T> each(const ManyRuns& runs, Of of) {
  const std::size_t count = runs.ends.size();
  auto* numbers = new T[count];
  nb::capsule owner(numbers, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<T>(of(runs.ends[i]));
  return Numbers<T>(numbers, {count}, owner);
}

// (status, steps done, iterations, halvings, whether steps are too long, residual, its row, steps alone) of each run.
Ends ends_of(const ManyRuns& runs) {
  using End = ManyRuns::End;
  return {each<int>(runs, [](const End& end) { return end.status; }),
          each<std::int64_t>(runs, [](const End& end) { return end.done; }),
          each<std::int64_t>(runs, [](const End& end) { return end.iterations; }),
          each<std::int64_t>(runs, [](const End& end) { return end.halvings; }),
          each<bool>(runs, [](const End& end) { return end.coarse; }),
          each<double>(runs, [](const End& end) { return end.residual; }),
          each<int>(runs, [](const End& end) { return end.worst_row; }),
          each<std::int64_t>(runs, [](const End& end) { return end.alone; })};
}

// Models without elements written in Python; u: (1 or count, 1 or steps, nu); k: (steps, nk), or none: held.
Ends make(std::vector<const Model*> models, InInt model, int method, double alpha, double tolerance,
          double constraint_tolerance, int max_iterations, int max_halvings, int order, double t0, double dt,
          double last, long steps, long every, In q, In p, In vk, In k, In u, std::size_t u_runs, std::size_t u_steps,
          In t, int lock_angle, Out out_q, Out out_p, Out out_work, int threads, bool lanes) {
  ManyRuns runs;
  runs.count = model.size();
  if (models.empty() || steps < 0 || every < 1 || threads < 1) throw nb::value_error("runs of an ensemble");
  const std::size_t n = models[0]->n_variables, nd = models[0]->n_dynamic, nu = models[0]->elements.n_inputs;
  for (const Model* other : models)
    if (other->n_variables != static_cast<int>(n) || other->n_dynamic != static_cast<int>(nd) ||
        other->elements.n_inputs != static_cast<int>(nu))
      throw nb::value_error("models of different sizes");
  for (std::size_t i = 0; i < runs.count; ++i)
    if (model.data()[i] < 0 || model.data()[i] >= static_cast<int>(models.size()))
      throw nb::index_error("no such model");
  if ((u_runs != 1 && u_runs != runs.count) || (u_steps != 1 && u_steps != static_cast<std::size_t>(steps)))
    throw nb::value_error("inputs of an ensemble");
  runs.models = std::move(models);
  runs.model = model.data();
  runs.method = {method != 0, alpha, {tolerance, constraint_tolerance, max_iterations, max_halvings, order}};
  runs.lanes = lanes;
  runs.t0 = t0, runs.dt = dt, runs.last = last, runs.steps = steps, runs.every = every;
  need(q, runs.count, n);
  need(p, runs.count, nd);
  need(vk, 1, n - nd);
  need(u, u_runs * u_steps, nu);
  if (k.size() > 0) need(k, steps, n - nd);
  need(out_q, runs.count * runs.rows(), n);
  need(out_p, runs.count * runs.rows(), nd);
  need(out_work, runs.count * runs.rows(), 1);
  runs.q = q.data(), runs.p = p.data(), runs.vk = vk.data(), runs.u = u.data();
  runs.k = k.size() > 0 ? k.data() : nullptr;
  if (t.size() > 0) need(t, runs.rows(), 1);
  if (lock_angle >= static_cast<int>(n)) throw nb::index_error("no such variable");
  runs.t = t.size() > 0 ? t.data() : nullptr;
  runs.lock_angle = lock_angle;
  runs.u_of_step = u_steps > 1 ? nu : 0;
  runs.u_of_run = u_runs > 1 ? nu * u_steps : 0;
  runs.out_q = out_q.data(), runs.out_p = out_p.data(), runs.out_work = out_work.data();
  {
    nb::gil_scoped_release release;
    make_runs(runs, threads);
  }
  return ends_of(runs);
}

}  // namespace

void bind_ensembles(nb::module_& m) {
  m.def("make_runs", &make, "models"_a, "model"_a, "method"_a, "alpha"_a, "tolerance"_a, "constraint_tolerance"_a,
        "max_iterations"_a, "max_halvings"_a, "order"_a, "t0"_a, "dt"_a, "last"_a, "steps"_a, "every"_a, "q"_a, "p"_a,
        "vk"_a, "k"_a, "u"_a, "u_runs"_a, "u_steps"_a, "t"_a, "lock_angle"_a, "out_q"_a, "out_p"_a, "out_work"_a,
        "threads"_a, "lanes"_a = true);
  m.def(
      "runs_in_lanes",
      [](const Model& model, int method, int order) {
        return in_lanes(model, {method != 0, 0.5, {1e-12, 1e-12, 1, 0, order}});
      },
      "model"_a, "method"_a, "order"_a);
}
