#include "bough/integrators/gauss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {
namespace {

// sum += x, with what rounding leaves in rest.
inline void add(double& sum, double& rest, double x) {
  const double y = x + rest, total = sum + y, part = total - sum;
  rest = (sum - (total - part)) + (y - part);
  sum = total;
}

}  // namespace

GaussStepper::GaussStepper(const Model& model, const StepSettings& settings)
    : Substeps(settings.max_halvings, 1),
      model_(model),
      table_(gauss_tables[settings.order / 2 - 2]),
      settings_(settings),
      constraints_(model) {
  const std::size_t s = table_.stages, n = model.n_variables, nd = model.n_dynamic, m = constraints_.m;
  for (std::size_t i = 0; i < s; ++i) stages_.emplace_back(model);
  for (auto* x : {&r_, &y_}) x->assign(s, std::vector<double>(nd));
  nodes_.assign(s + 1, std::vector<double>(n));
  for (auto* x : {&gain_, &column_, &line_, &constraints_.push}) x->resize(nd);
  for (auto* x : {&constraints_.impulses, &constraints_.measured, &constraints_.delta, &constraints_.middle})
    x->resize(s * m);
  for (auto* x : {&constraints_.h, &constraints_.h_scale}) x->resize((s + 1) * m);
  constraints_.G.resize((s + 1) * m * n);
  if (m > 0) constraints_.schur.fit(static_cast<int>(m));
  constraints_.S.resize(m, m);
  constraints_.rhs.resize(m);
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
  if (constraints_.m > 0) evaluate_node(0, state.q.data(), state.t);
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
  if (constraints_.m == 0) return;
  add_impulses(constraints_.impulses);
  constraints_.momentum = 0.0;
  for (int i = 0; i < s; ++i)
    for (int k = 0; k < nd; ++k) {
      const double size = std::abs(state.p[k]) + std::abs(stages_[i].L_v[k]) + std::abs(h * stages_[i].F[k]);
      constraints_.momentum =
          std::max(constraints_.momentum,
                   std::abs(r_[i][k]) / (size + constraints_.push[k] + std::numeric_limits<double>::min()));
    }
}

bool GaussStepper::factor() {
  for (GaussStage& stage : stages_)
    if (const int found = stage.factor(); found >= 0) {
      failure.worst = found;
      return false;
    }
  if (constraints_.m > 0) factor_constraints();
  return true;
}

// (GL2), (GL6)
void GaussStepper::accept(double h, const Drive& drive) {
  const int s = table_.stages, n = model_.n_variables, nd = model_.n_dynamic;
  std::fill(gain_.begin(), gain_.end(), 0.0);
  if (constraints_.m > 0) add_node_impulses(gain_.data());
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
  std::copy(constraints_.impulses.begin(), constraints_.impulses.end(), state.impulses.begin());
  state.dt_earlier = state.dt_before;
  state.dt_before = h;
}

StepStatus GaussStepper::try_step(const GaussPart& part) {
  const StepStatus status = solve(part.dt, part.drive);
  if (status == StepStatus::fine) accept(part.dt, part.drive);
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
