#include "bough/integrators/gauss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {
namespace {

// sum += x, with what rounding leaves in rest: (GL12).
inline void add(double& sum, double& rest, double x) {
  const double y = x + rest, total = sum + y, part = total - sum;
  rest = (sum - (total - part)) + (y - part);
  sum = total;
}

constexpr int newton_steps = 16;  // steps by Newton's method after one that needed it

}  // namespace

GaussStepper::GaussStepper(const Model& model, const StepSettings& settings)
    : Substeps(settings.max_halvings, 1),
      model_(model),
      table_(gauss_tables[settings.order / 2 - 2]),
      solver_(model, table_, settings) {
  const std::size_t s = table_.stages, n = model.n_variables, nd = model.n_dynamic;
  gain_.resize(nd);
  state.q.resize(n);
  for (auto* x : {&state.p, &state.q_rest, &state.p_rest}) x->resize(nd);
  state.rates.resize(2 * s * n);
  state.impulses.resize(s * model.elements.n_constraints);
  before_ = state;
  halves_.resize(settings.max_halvings);
  for (Half& half : halves_) {
    half.k.resize(2 * s * (n - nd));
    half.u.resize(2 * s * model.elements.n_inputs);
  }
}

void GaussStepper::start(double t, const double* q, const double* p, const double* v) {
  const int n = model_.n_variables, nd = model_.n_dynamic;
  state.t = t;
  state.t_rest = state.dt_before = state.dt_earlier = 0.0;
  state.contraction = 1.0;
  state.work = 0.0;
  state.newton = 0;
  std::copy_n(q, n, state.q.begin());
  std::copy_n(p, nd, state.p.begin());
  for (int i = 0; i < table_.stages; ++i) std::copy_n(v, n, state.rates.begin() + i * n);
  for (auto* x : {&state.q_rest, &state.p_rest, &state.impulses}) std::fill(x->begin(), x->end(), 0.0);
}

bool GaussStepper::fits(const Memory& x) const {
  return x.q.size() == state.q.size() && x.p.size() == state.p.size() && x.q_rest.size() == state.q_rest.size() &&
         x.p_rest.size() == state.p_rest.size() && x.rates.size() == state.rates.size() &&
         x.impulses.size() == state.impulses.size() && x.newton >= 0;
}

// (GL2), (GL6)
void GaussStepper::accept(const GaussPart& part, State& to) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  const double h = part.dt;
  const GaussStages& stages = solver_.stages();
  std::fill(gain_.begin(), gain_.end(), 0.0);
  solver_.constraints().add_impulses_of_nodes(gain_.data());
  for (int k = 0; k < nd; ++k) {
    double shift = 0.0, force = 0.0;
    for (int j = 0; j < s; ++j) {
      shift += table_.b[j] * stages.v[k][j];
      force += table_.b[j] * stages.F[k][j];
    }
    add(to.q[k], to.q_rest[k], h * shift);
    add(to.p[k], to.p_rest[k], h * force + gain_[k]);
  }
  if (!model_.elements.forces.empty())
    for (int j = 0; j < s; ++j)
      for (int k = 0; k < nd; ++k) to.work += h * table_.b[j] * stages.force[k][j] * stages.v[k][j];
  std::copy_n(part.drive.node(s), n - nd, to.q.begin() + nd);
  add(to.t, to.t_rest, h);
  std::copy_n(to.rates.begin(), s * n, to.rates.begin() + s * n);
  for (int i = 0; i < s; ++i)
    for (int k = 0; k < n; ++k) to.rates[i * n + k] = stages.v[k][i];
  const std::vector<double>& impulses = solver_.constraints().impulses;
  std::copy(impulses.begin(), impulses.end(), to.impulses.begin());
  to.dt_earlier = to.dt_before;
  to.dt_before = h;
  to.contraction = solver_.contraction();
  if (solver_.by_newton()) to.newton = to.newton > 0 ? to.newton - 1 : newton_steps;
}

StepStatus GaussStepper::try_step(const GaussPart& part) {
  const double further = state.dt_before > 0.0 ? part.dt / state.dt_before : 0.0;
  const StepStatus status = solver_.solve({state, part.dt, part.drive}, {state, 1.0, further});
  if (status == StepStatus::fine) accept(part, state);
  failure = solver_.failure;
  return status;
}

StepStatus GaussStepper::side_step(const State& node, double tau, const Drive& drive, State& to) {
  const bool within = &node != &state && state.dt_before > 0.0 &&
                      std::abs(node.t + state.dt_before - state.t) <=
                          4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(node.t), std::abs(state.t));
  const State& made = within ? state : node;
  const double length = made.dt_before > 0.0 ? tau / made.dt_before : 0.0;
  const StepStatus status = solver_.solve({node, tau, drive}, {made, within ? 0.0 : 1.0, length});
  failure = solver_.failure;
  if (status != StepStatus::fine) return status;
  to = node;
  accept({tau, drive}, to);
  return status;
}

// Between the stages, inputs and kinematic variables are those of the polynomials through their values.
std::array<GaussPart, 2> GaussStepper::halves(const GaussPart& whole, int depth) {
  const std::size_t s = table_.stages, nd = model_.n_dynamic, nk = model_.n_variables - nd;
  const std::size_t nu = model_.elements.n_inputs;
  const Drive& drive = whole.drive;
  auto& [k, u] = halves_[depth - 1];
  Drive parts[2] = {drive, drive};
  for (int part = 0; part < 2; ++part) {
    if (drive.k_stride > 0) {
      double* to = k.data() + part * s * nk;
      for (std::size_t node = 1; node <= s; ++node)
        for (std::size_t i = 0; i < nk; ++i) {
          const auto& weight = table_.half_node[part][node];
          double sum = weight[0] * state.q[nd + i];
          for (std::size_t l = 1; l <= s; ++l) sum += weight[l] * drive.node(static_cast<int>(l))[i];
          to[(node - 1) * nk + i] = sum;
        }
      parts[part].k = to;
    }
    if (drive.u_stride > 0) {
      double* to = u.data() + part * s * nu;
      for (std::size_t stage = 0; stage < s; ++stage)
        for (std::size_t i = 0; i < nu; ++i) {
          double sum = 0.0;
          for (std::size_t j = 0; j < s; ++j)
            sum += table_.half_input[part][stage][j] * drive.stage(static_cast<int>(j))[i];
          to[stage * nu + i] = sum;
        }
      parts[part].u = to;
    }
  }
  return {GaussPart{0.5 * whole.dt, parts[0]}, GaussPart{0.5 * whole.dt, parts[1]}};
}

void GaussStepper::save() {
  before_ = state;
  whole_failure_ = failure;
}

void GaussStepper::restore() {
  state = before_;
  failure = whole_failure_;
}

// Kinematic variables and the time without the round-off of parts.
void GaussStepper::finish(const GaussPart& whole) {
  std::copy_n(whole.drive.node(table_.stages), model_.n_variables - model_.n_dynamic,
              state.q.begin() + model_.n_dynamic);
  state.t = before_.t;
  state.t_rest = before_.t_rest;
  add(state.t, state.t_rest, whole.dt);
}

StepStatus GaussStepper::step(double dt, const Drive& drive) {
  begin_step();
  return advance({dt, drive});
}

}  // namespace bough
