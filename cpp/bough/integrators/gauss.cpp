#include "bough/integrators/gauss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double round_off = 1e-11;  // of rates: where a correction that does not fall any more is taken for round-off
constexpr double f_round_off = 1e-13;         // of the equations of momenta, relative to their terms
constexpr double h_round_off = 1e-12;         // of constraints likewise
constexpr double position_round_off = 1e-13;  // of positions, in turns or sizes of the system
constexpr double suited = 64.0;     // rad, or sizes of the system: up to there, the round-off of q is that of 1
constexpr double noisy = 1e-14;     // of rates: where a correction may be noise for the most part
constexpr double stalled = 0.25;    // of two iterations: a contraction that is none, near round-off
constexpr double sluggish = 0.1;    // of two iterations: a contraction that Newton's method does better than
constexpr double slow = 0.8;        // of two iterations: a contraction that leads nowhere
constexpr int long_tried = 8;       // iterations after which constraints may be met less well
constexpr int patience = 3;         // iterations with such a contraction
constexpr double refactored = 0.1;  // a contraction of Newton's method that asks for a new matrix
constexpr int newton_steps = 16;    // steps by Newton's method after one that needed it
constexpr int newton_size = 600;    // unknowns at most: the matrix is dense

// sum += x, with what rounding leaves in rest.
inline void add(double& sum, double& rest, double x) {
  const double y = x + rest, total = sum + y, part = total - sum;
  rest = (sum - (total - part)) + (y - part);
  sum = total;
}

}  // namespace

GaussStepper::GaussStepper(const Model& model, const StepSettings& settings)
    : model_(model),
      rows_(model),
      table_(gauss_tables[settings.order / 2 - 2]),
      settings_(settings),
      rows_m_(model.elements.n_constraints) {
  const std::size_t s = table_.stages, n = model.n_variables, nd = model.n_dynamic, m = rows_m_;
  for (std::size_t i = 0; i < s; ++i) stages_.emplace_back(model);
  for (auto* x : {&r_, &y_}) x->assign(s, std::vector<double>(nd));
  nodes_.assign(s + 1, std::vector<double>(n));
  for (auto* x : {&gain_, &column_, &line_, &push_}) x->resize(nd);
  for (auto* x : {&impulses_, &measured_, &delta_, &middle_}) x->resize(s * m);
  for (auto* x : {&h_, &h_scale_}) x->resize((s + 1) * m);
  G_.resize((s + 1) * m * n);
  if (m > 0) schur_.fit(static_cast<int>(m));
  S_.resize(m, m);
  rhs_.resize(m);
  unit_ = variable_units(model);
  state.q.resize(n);
  for (auto* x : {&state.p, &state.q_rest, &state.p_rest}) x->resize(nd);
  state.rates.resize(2 * s * n);
  state.impulses.resize(s * m);
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

// What does not change during the iteration: rates of kinematic variables (GL5), and G_0.
void GaussStepper::begin(double h, const Drive& drive) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int j = 0; j < s; ++j)
    for (int i = nd; i < n; ++i) {
      double rate = 0.0;
      for (int k = 1; k <= s; ++k) rate += table_.slope[j][k] * (drive.node(k)[i - nd] - state.q[i]);
      stages_[j].v[i] = rate / h;
    }
  if (rows_m_ > 0) evaluate_node(0, state.q.data(), state.t);
}

// The polynomial through the rates of the step before, of two stages through those of two steps: it saves an iteration. For
// h = 0, the rate at the end of the step before in all stages.
void GaussStepper::extrapolate(double h) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  const double further = state.dt_before > 0.0 ? h / state.dt_before : 0.0;
  const double back = s == 2 && state.dt_before > 0.0 ? state.dt_earlier / state.dt_before : 0.0;
  const int points = back > 0.0 ? 2 * s : s;
  double at[2 * most_stages];
  for (int j = 0; j < points; ++j) at[j] = j < s ? table_.c[j] : (table_.c[j - s] - 1.0) * back;
  for (int i = 0; i < s; ++i) {
    const double x = 1.0 + table_.c[i] * further;
    double weight[2 * most_stages];
    for (int j = 0; j < points; ++j) {
      weight[j] = 1.0;
      for (int l = 0; l < points; ++l)
        if (l != j) weight[j] *= (x - at[l]) / (at[j] - at[l]);
    }
    double* __restrict v = stages_[i].v.data();
    for (int k = 0; k < nd; ++k) {
      double sum = 0.0;
      for (int j = 0; j < points; ++j) sum += weight[j] * state.rates[j * n + k];
      v[k] = sum;
    }
  }
}

// (GL2), and L_v, F there.
void GaussStepper::evaluate_stages(double h, const Drive& drive) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  for (int i = 0; i < s; ++i) {
    double* __restrict q = stages_[i].q.data();
    for (int k = 0; k < n; ++k) {
      double sum = 0.0;
      for (int j = 0; j < s; ++j) sum += table_.a[i][j] * stages_[j].v[k];
      q[k] = state.q[k] + ((k < nd ? state.q_rest[k] : 0.0) + h * sum);
    }
    stages_[i].evaluate(state.t + (state.t_rest + table_.c[i] * h), drive.stage(i));
  }
}

// (GL7)
void GaussStepper::set_residuals(double h) {
  const int s = table_.stages, nd = model_.n_dynamic;
  for (int i = 0; i < s; ++i) {
    double* __restrict r = r_[i].data();
    for (int k = 0; k < nd; ++k) {
      double sum = 0.0;
      for (int j = 0; j < s; ++j) sum += table_.a[i][j] * stages_[j].F[k];
      r[k] = (state.p[k] - stages_[i].L_v[k]) + (h * sum + state.p_rest[k]);
    }
  }
  if (rows_m_ == 0) return;
  add_impulses(impulses_);
  momentum_ = 0.0;
  for (int i = 0; i < s; ++i)
    for (int k = 0; k < nd; ++k) {
      const double size = std::abs(state.p[k]) + std::abs(stages_[i].L_v[k]) + std::abs(h * stages_[i].F[k]);
      momentum_ = std::max(momentum_, std::abs(r_[i][k]) / (size + push_[k] + std::numeric_limits<double>::min()));
    }
}

bool GaussStepper::factor() {
  for (GaussStage& stage : stages_)
    if (const int found = stage.factor(); found >= 0) {
      failure.worst = found;
      return false;
    }
  if (rows_m_ > 0) factor_constraints();
  return true;
}

// V += correction; the largest correction, and the largest rate, in turns or sizes of the system a second.
double GaussStepper::correction(double* largest_rate) {
  double largest = 0.0, rate = 0.0, sum = 0.0;
  for (int i = 0; i < table_.stages; ++i)
    for (int k = 0; k < model_.n_dynamic; ++k) {
      stages_[i].v[k] += r_[i][k];
      const double size = unit_[k] * std::abs(r_[i][k]);
      sum += size;
      if (size > largest) {
        largest = size;
        failure.worst = k;
      }
      rate = std::max(rate, unit_[k] * std::abs(stages_[i].v[k]));
    }
  *largest_rate = rate;
  return std::isfinite(sum) ? largest : sum;
}

// The last correction.
void GaussStepper::take_back() {
  for (int i = 0; i < table_.stages; ++i)
    for (int k = 0; k < model_.n_dynamic; ++k) stages_[i].v[k] -= r_[i][k];
  std::copy(measured_.begin(), measured_.end(), impulses_.begin());
}

// Whether no stage is further than a turn, or a size of the system, from where the last velocity leads: Newton's method may
// find other roots.
bool GaussStepper::near_start(double h) const {
  for (const GaussStage& stage : stages_)
    for (int k = 0; k < model_.n_dynamic; ++k)
      if (!(unit_[k] * std::abs(h * (stage.v[k] - line_[k])) <= 1.0)) return false;
  return true;
}

StepStatus GaussStepper::iterate(double h, const Drive& drive, bool newton) {
  double before = 0.0, contraction = newton ? 1.0 : state.contraction, pair = 1.0;
  int in_vain = 0;
  const bool last_resort = newton || !newton_fits();
  failure = {};
  // Constraints tell positions to round-off and not further, whatever the rates.
  const double place = far(), size = std::max(1.0, place / suited);
  const double position = rows_m_ > 0 ? 0.25 * epsilon * size / std::abs(h) : 0.0;
  for (int k = 0; k < settings_.max_iterations; ++k) {
    ++iterations;
    ++failure.iterations;
    evaluate_stages(h, drive);
    if (rows_m_ > 0) evaluate_nodes(h, drive);
    set_residuals(h);
    std::copy(impulses_.begin(), impulses_.end(), measured_.begin());
    if (!newton) {
      if (k == 0 && !factor()) return StepStatus::singular;
      for (int i = 0; i < table_.stages; ++i) stages_[i].solve(r_[i].data());
      if (rows_m_ > 0) correct_constraints(h);
    } else {
      if ((k == 0 || contraction > refactored) && !factor_newton(h, drive)) return StepStatus::no_convergence;
      solve_newton(h);
    }
    double rate;
    const double now = correction(&rate);
    failure.residual = now / (rate + std::numeric_limits<double>::min());
    if (!std::isfinite(now) || !std::isfinite(closure_)) return StepStatus::not_finite;
    // Contractions alternate, since rates and places take turns: two of them tell how the iteration goes.
    const double last_pair = pair, last = contraction;
    if (k > 0) contraction = before > 0.0 ? now / before : 0.0;
    if (k > 1) pair = contraction * last;
    const bool closed = closure_ <= settings_.constraint_tolerance;
    const bool stays =
        rows_m_ == 0 || std::abs(h) * now <= suited * epsilon * size;  // closed: the correction moves hardly anything
    if (closed && stays && std::max(contraction, last) * now <= std::max(settings_.tolerance * rate, position)) {
      if (!newton) state.contraction = std::max(contraction, last);
      return StepStatus::fine;
    }
    // Round-off: the correction is that of the rates' last digits, or of positions that a step moves by less than their own,
    // or the equations are met to their last digits (near a loss of rank they do not tell the rates further); and nothing
    // is gained any more, or much less than before: the rest of the correction is noise.
    const bool noise = pair > stalled || (failure.residual <= noisy && pair > 5.0 * last_pair);
    const bool fine = failure.residual <= round_off || std::abs(h) * now <= position_round_off * place ||
                      (rows_m_ > 0 && momentum_ <= f_round_off);
    if (k > 1 && noise && fine && (closed || (last_resort && k > long_tried && closure_ <= h_round_off))) {
      if (rows_m_ > 0) take_back();  // what was measured is known to hold
      return StepStatus::fine;
    }
    if (k > 1 && pair > slow && ++in_vain == patience) break;
    if (k > patience && pair > sluggish && !fine && !last_resort) break;
    before = now;
  }
  return StepStatus::no_convergence;
}

// The largest variable, in rad or sizes of the system, at least one: large where a shaft has turned for long.
double GaussStepper::far() const {
  double largest = 1.0;
  for (int i = 0; i < model_.n_dynamic; ++i) largest = std::max(largest, unit_[i] * std::abs(state.q[i]));
  return largest;
}

bool GaussStepper::newton_fits() const { return table_.stages * model_.n_dynamic <= newton_size; }

// From the polynomial taken so far ahead.
StepStatus GaussStepper::attempt(double h, const Drive& drive, double ahead, bool newton) {
  extrapolate(ahead);
  std::copy(state.impulses.begin(), state.impulses.end(), impulses_.begin());
  const StepStatus status = iterate(h, drive, newton);
  return status == StepStatus::fine && newton && !near_start(h) ? StepStatus::no_convergence : status;
}

// From the polynomial; where that fails, along the line of the last velocity.
StepStatus GaussStepper::solve(double h, const Drive& drive) {
  begin(h, drive);
  extrapolate(0.0);
  std::copy_n(stages_[0].v.begin(), model_.n_dynamic, line_.begin());
  if (state.newton == 0) {
    const StepStatus status = attempt(h, drive, h, false);
    if (status == StepStatus::fine || status == StepStatus::singular) return status;
  }
  if (!newton_fits()) return attempt(h, drive, 0.0, false);
  StepStatus status = StepStatus::no_convergence;
  for (const double ahead : {h, 0.0}) {
    status = attempt(h, drive, ahead, true);
    if (status != StepStatus::fine) continue;
    state.newton = state.newton > 0 ? state.newton - 1 : newton_steps;
    break;
  }
  return status;
}

// (GL2), (GL6)
void GaussStepper::accept(double h, const Drive& drive) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  std::fill(gain_.begin(), gain_.end(), 0.0);
  if (rows_m_ > 0) add_node_impulses(gain_.data());
  for (int k = 0; k < nd; ++k) {
    double shift = 0.0, force = 0.0;
    for (int j = 0; j < s; ++j) {
      shift += table_.b[j] * stages_[j].v[k];
      force += table_.b[j] * stages_[j].F[k];
    }
    add(state.q[k], state.q_rest[k], h * shift);
    add(state.p[k], state.p_rest[k], h * force + gain_[k]);
  }
  if (!model_.elements.forces.empty())
    for (int j = 0; j < s; ++j)
      for (int k = 0; k < nd; ++k) state.work += h * table_.b[j] * stages_[j].force[k] * stages_[j].v[k];
  std::copy_n(drive.node(s), n - nd, state.q.begin() + nd);
  add(state.t, state.t_rest, h);
  std::copy_n(state.rates.begin(), s * n, state.rates.begin() + s * n);
  for (int i = 0; i < s; ++i) std::copy_n(stages_[i].v.begin(), n, state.rates.begin() + i * n);
  std::copy(impulses_.begin(), impulses_.end(), state.impulses.begin());
  state.dt_earlier = state.dt_before;
  state.dt_before = h;
}

// The step in two halves, each halved again where it fails. Between the stages, inputs and kinematic variables are those of
// the polynomials through their values.
StepStatus GaussStepper::halve(double h, const Drive& drive, int depth) {
  const std::size_t s = table_.stages, nd = model_.n_dynamic, nk = model_.n_variables - nd;
  const std::size_t nu = model_.elements.n_inputs;
  ++halvings;
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
  for (const Drive& part : parts) {
    StepStatus status = solve(0.5 * h, part);
    if (status == StepStatus::fine)
      accept(0.5 * h, part);
    else if (depth > 1)
      status = halve(0.5 * h, part, depth - 1);
    if (status != StepStatus::fine) return status;
  }
  return StepStatus::fine;
}

StepStatus GaussStepper::step(double dt, const Drive& drive) {
  StepStatus status = solve(dt, drive);
  if (status == StepStatus::fine) {
    accept(dt, drive);
    return status;
  }
  if (settings_.max_halvings == 0) return status;
  before_ = state;
  const Failure whole = failure;
  const StepStatus found = status;
  const auto undo = [&] {
    state = before_;
    failure = whole;
  };
  try {
    status = halve(dt, drive, settings_.max_halvings);
  } catch (...) {  // of an element that a user wrote
    undo();
    throw;
  }
  if (status != StepStatus::fine) {
    undo();
    return found;
  }
  // As a step that is not halved: kinematic variables and the time without the round-off of parts.
  std::copy_n(drive.node(table_.stages), model_.n_variables - model_.n_dynamic, state.q.begin() + model_.n_dynamic);
  state.t = before_.t;
  state.t_rest = before_.t_rest;
  add(state.t, state.t_rest, dt);
  return status;
}

}  // namespace bough
