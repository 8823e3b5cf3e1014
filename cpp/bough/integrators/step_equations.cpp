#include "bough/integrators/step_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/integrators/step_limits.hpp"
#include "bough/spatial/fours.hpp"

namespace bough {
namespace {

using namespace limits;

constexpr double h_round_off = 1e-12;

double relative(double x, double size) { return std::abs(x) / (size + std::numeric_limits<double>::min()); }

// The largest |x| / size; NaN if there is one. Four divisions at a time take as long as one.
inline double largest(const std::vector<double>& x, const std::vector<double>& size) {
  constexpr double least = std::numeric_limits<double>::min();
  Four found{}, sum{};
  std::size_t i = 0;
  for (; i + 4 <= x.size(); i += 4) {
    const Four at = *reinterpret_cast<const Four*>(x.data() + i);
    const Four ratio = (at < 0.0 ? -at : at) / (*reinterpret_cast<const Four*>(size.data() + i) + least);
    found = ratio > found ? ratio : found;
    sum += ratio;
  }
  double most = std::max(std::max(found[0], found[1]), std::max(found[2], found[3]));
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; i < x.size(); ++i) {
    const double ratio = relative(x[i], size[i]);
    most = std::max(most, ratio);
    all += ratio;
  }
  return std::isnan(all) ? all : most;
}

int place_of_largest(const std::vector<double>& x, const std::vector<double>& size) {
  int place = 0;
  double found = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double ratio = relative(x[i], size[i]);
    if (ratio <= found) continue;
    found = ratio;
    place = static_cast<int>(i);
    if (std::isnan(ratio)) break;
  }
  return place;
}

}  // namespace

std::vector<double> variable_units(const Model& model) {
  double size = 1.0;
  for (const FramePlace& place : model.frames) size = std::max(size, place.reach);
  std::vector<double> unit(model.n_dynamic, 1.0 / size);
  for (const Joint& joint : model.joints)
    if (joint.dynamic) unit[joint.variable] = std::abs(joint.ratio) / (is_zero(joint.S.w) ? size : 1.0);
  return unit;
}

StepEquations::StepEquations(const Model& model, std::unique_ptr<DiscreteLagrangian> rule, const StepSettings& settings)
    : model_(model),
      rule_(std::move(rule)),
      matrix_(model, rule_->along_tree()),
      constraints_(model, settings.constraint_tolerance),
      settings_(settings),
      unit_(variable_units(model)) {
  settings_.tolerance *= std::max(1, model.n());
  const std::size_t n = model.n_variables, nd = model.n_dynamic, m = model.elements.n_constraints;
  for (auto* x : {&D1_, &D2_, &scale_}) x->resize(n);
  q1_.resize(model.width());
  for (auto* x : {&f_, &correction_.q, &correction_.from}) x->resize(nd);
  for (auto* x : {&mu_, &correction_.mu}) x->resize(m);
  if (model.elements.n_contacts == 0) return;
  contacts_ = std::make_unique<StepContacts>(model, settings.constraint_tolerance);
  scratch_.q1.resize(q1_.size());
  scratch_.D1.resize(nd);
  scratch_.J.resize(n);
}

void StepEquations::forget() {
  floor_ = 0.0;
  constraints_.forget();
}

StepStatus StepEquations::solve(const StepPart& part, const double* first, bool damped) {
  const StepStart& start = start_;
  const int n = model_.n_variables, nd = model_.n_dynamic;
  step_ = {start.t, part.dt, start.q, q1_.data(), part.u};
  constraints_.begin(start.t, start.q);
  if (touching()) contacts_->begin(start.t, start.q, part.dt);
  attempt_.rests = touching() && rests(first);
  copy_fours(nd, attempt_.rests ? start.q : first, q1_.data());
  copy_fours(n - nd, part.k1, q1_.data() + nd);
  copy_fours(static_cast<int>(q1_.size()) - n, start.q + n, q1_.data() + n);
  for (std::size_t r = 0; r < mu_.size(); ++r)
    mu_[r] = attempt_.rests && start.lam ? -start.lam[r] * contacts_->node_time() : 0.0;
  attempted = 0;
  attempt_.refactor = true;
  StepStatus status = newton(*this, settings_.max_iterations, damped);
  while (status == StepStatus::fine && touching() && contacts_->turned()) {
    attempt_.refactor = true;
    attempt_.rests = false;
    status = newton(*this, settings_.max_iterations, damped);
  }
  if (status == StepStatus::fine) constraints_.set_gradient(step_.t + step_.dt, step_.q1);  // of the next q0
  return status;
}

// Whether a first q1 is q0 but for round-off, or the step before moved nothing. The motion is then tried at rest, so that round-off
// does not add up to a creep.
bool StepEquations::rests(const double* first) const {
  if (start_.before && std::equal(start_.q, start_.q + model_.n_dynamic, start_.before)) return true;
  constexpr double digits = 16.0 * std::numeric_limits<double>::epsilon();
  for (int i = 0; i < model_.n_dynamic; ++i) {
    const double place = unit_[i] > 0.0 ? 1.0 / unit_[i] : 0.0;
    if (!(std::abs(first[i] - start_.q[i]) <= digits * std::max(std::abs(start_.q[i]), place))) return false;
  }
  return true;
}

// (S1) at q1 and the size of its residuals.
StepStatus StepEquations::evaluate() {
  const int nd = model_.n_dynamic;
  rule_->evaluate(step_, D1_.data(), D2_.data(), scale_.data());
  const double *p = start_.p, *shift = start_.shift, *D1 = D1_.data();
  double *f_of = f_.data(), *scale_of = scale_.data();
  in_fours(nd, [=](auto i) {
    i(f_of) = i(p) - i(shift) + i(D1);
    i(scale_of) += absolute(i(p));
  });
  constraints_.evaluate(step_.t + step_.dt, step_.q1);
  for (int r = 0; r < constraints_.rows(); ++r)
    for (const int i : constraints_.variables(r)) {
      if (i >= nd) break;
      const double impulse = constraints_.Dh0(r, i) * mu_[r];
      f_[i] -= impulse;
      scale_[i] += std::abs(impulse);
    }
  residual_.closure = constraints_.rows() > 0 ? largest(constraints_.h(), constraints_.scale()) : 0.0;
  if (touching()) {
    contacts_->evaluate(step_.t + step_.dt, step_.q1);
    contacts_->add_impulses(f_.data(), scale_.data());
    const double contact = contacts_->residual();
    if (!(contact <= residual_.closure)) residual_.closure = contact;
  }
  residual_.momentum = largest(f_, scale_);
  const double f = residual_.momentum / settings_.tolerance, h = residual_.closure / settings_.constraint_tolerance;
  residual_.in_tolerances = std::isnan(f) || std::isnan(h) ? f + h : std::max(f, h);
  return std::isfinite(residual()) ? StepStatus::fine : StepStatus::not_finite;
}

// One iteration is always made, unless the guess is exact to round-off: what it leaves is far below the tolerance. On contacts that
// is asked of rest alone: there q1 is q0 and p1 is D2(q0, q0). What is left of f is round-off, which would add up in the momenta.
bool StepEquations::solved(int iteration) {
  const double tolerance = std::max(settings_.tolerance * (start_.little_history ? first_steps : 1.0), floor_);
  if (!(residual_.closure <= settings_.constraint_tolerance)) return false;
  if (iteration == 0 && attempt_.rests) {
    const auto balanced = [&] { return contacts_->balanced(f_.data(), scale_.data(), unit_.data(), exact); };
    if (!balanced() && !(contacts_->settle(f_.data(), constraints_.jacobians(), mu_.data()) && balanced()))
      return false;
    std::fill(f_.begin(), f_.end(), 0.0);
    return true;
  }
  if (!(residual_.momentum <= (iteration > 0 ? tolerance : contacts_ ? exact_of_contacts : exact))) return false;
  floor_ *= 0.9;
  return true;
}

// (S2)
StepStatus StepEquations::correct() {
  ++iterations;
  ++attempted;
  if (attempt_.refactor || matrix_.reads_rows()) constraints_.set_gradient(step_.t + step_.dt, step_.q1);
  const Jacobians D = constraints_.jacobians();
  double *x = correction_.q.data(), *from = correction_.from.data();
  const double *f = f_.data(), *q1 = q1_.data();
  in_fours(D.n_dynamic, [=](auto i) {
    i(x) = -i(f);
    i(from) = i(q1);
  });
  for (int r = 0; r < D.rows; ++r) correction_.mu[r] = -constraints_.h()[r];
  residual_.before = residual();
  if (attempt_.refactor) rule_->choose_branches(correction_.q.data());
  if (touching()) return correct_contacts(D);
  if (!attempt_.refactor)
    matrix_.solve_again(D, correction_.q.data(), correction_.mu.data());
  else if (!matrix_.factor(*rule_, D, correction_.q.data(), correction_.mu.data()))
    return StepStatus::no_convergence;
  return StepStatus::fine;
}

// (CT7), whose columns of Z are solved for beside that of the correction: many at once take as long as one. A matrix that is kept has
// the same Z, unless the rows of constraints are read again.
StepStatus StepEquations::correct_contacts(const Jacobians& D) {
  double *x = correction_.q.data(), *y = correction_.mu.data();
  if (attempt_.refactor) {
    const StepContacts::Columns of = contacts_->right_sides(x, y);
    if (!matrix_.factor(*rule_, D, of.x, of.y, of.count)) return StepStatus::no_convergence;
    contacts_->take_correction(x, y);
  } else {
    matrix_.solve_again(D, x, y);
    if (D.rows > 0 && matrix_.reads_rows()) {
      const StepContacts::Columns of = contacts_->right_sides(x, y);
      matrix_.solve(D, of.x, of.y, contacts_->rows());
    }
  }
  contacts_->set_gradient(step_.q1);
  return contacts_->correct(x, y) ? StepStatus::fine : StepStatus::no_convergence;
}

void StepEquations::move(double factor) {
  const double *x = correction_.q.data(), *from = correction_.from.data();
  double* q1 = q1_.data();
  in_fours(model_.n_dynamic, [=](auto i) { i(q1) = i(from) + factor * i(x); });
  for (std::size_t r = 0; r < correction_.mu.size(); ++r) mu_[r] += factor * correction_.mu[r];
  if (touching()) contacts_->move(factor);
}

void StepEquations::retract(double factor) {
  for (std::size_t r = 0; r < correction_.mu.size(); ++r) mu_[r] -= factor * correction_.mu[r];
}

// Round-off: an iteration with a fresh matrix gains nothing, at a residual that only round-off explains, or there is no
// better q1 because the correction was below its round-off (a slow motion far from q = 0).
Judgement StepEquations::judge(double factor) {
  const bool stagnates = residual() > stagnation * residual_.before;
  if (stagnates && attempt_.refactor &&
      residual_.closure <= std::max(h_round_off, 10.0 * settings_.constraint_tolerance)) {
    if (residual_.momentum <= std::max(f_round_off, 10.0 * settings_.tolerance)) {
      floor_ = std::max(floor_, 2.0 * residual_.momentum);
      return Judgement::accept;
    }
    if (factor == 1.0 && (below_round_off() || (contacts_ && at_resolution()))) return Judgement::accept;
  }
  attempt_.refactor = residual() > 0.02 * residual_.before;
  return Judgement::go_on;
}

int StepEquations::worst_row() const {
  const double f = residual_.momentum / settings_.tolerance, h = residual_.closure / settings_.constraint_tolerance;
  const bool open = std::isnan(residual_.closure) || h > f;
  if (open && touching() && !(contacts_->residual() < residual_.closure))
    return model_.n_dynamic + constraints_.rows() + contacts_->worst();
  return open ? model_.n_dynamic + place_of_largest(constraints_.h(), constraints_.scale())
              : place_of_largest(f_, scale_);
}

// The size of the system: the round-off of its positions is that of a translation whose own variable is small, such as a
// body that starts at x = 0 or a node of a beam near its place at rest.
double StepEquations::extent() const {
  double size = 0.0;
  for (const FramePlace& place : model_.frames) size = std::max(size, place.reach);
  for (const Link& link : model_.links) size = std::max(size, norm(link.com));
  for (const Joint& joint : model_.joints)
    if (is_zero(joint.S.w)) size += std::abs(joint.shift + joint.ratio * q1_[joint.variable]);
  return size;
}

// Whether the last correction was smaller than q can tell, or the positions (and turns, of order one) that elements
// compare. What constraints couple follows the variable that tells least.
bool StepEquations::below_round_off() const {
  constexpr double digits = 4.0 * std::numeric_limits<double>::epsilon();
  const double shift = extent(), turn = 1.0;
  const auto told = [&](const Joint& joint) {
    const int i = joint.variable;
    const double place = (is_zero(joint.S.w) ? shift : turn) / std::abs(joint.ratio);
    return unit_[i] * std::max({std::abs(q1_[i]), std::abs(start_.q[i]), place});
  };
  double least = 0.0;
  if (constraints_.rows() > 0 || touching())
    for (const Joint& joint : model_.joints)
      if (joint.dynamic) least = std::max(least, told(joint));
  for (const Joint& joint : model_.joints)
    if (joint.dynamic &&
        !(unit_[joint.variable] * std::abs(correction_.q[joint.variable]) <= digits * std::max(least, told(joint))))
      return false;
  return true;
}

// Whether what is left of f is no more than a few times what it changes by if q1 moves by its round-off: between two impacts a
// part of a step may be so short that velocities, differences of q over its length, are known to few digits.
bool StepEquations::at_resolution() {
  constexpr double digits = 4.0 * std::numeric_limits<double>::epsilon(), times = 4.0;
  const double shift = extent(), turn = 1.0;
  std::copy(q1_.begin(), q1_.end(), scratch_.q1.begin());
  std::copy_n(D1_.begin(), scratch_.D1.size(), scratch_.D1.begin());
  for (const Joint& joint : model_.joints) {
    if (!joint.dynamic) continue;
    const int i = joint.variable;
    const double place = (is_zero(joint.S.w) ? shift : turn) / std::abs(joint.ratio);
    q1_[i] = scratch_.q1[i] + (i % 2 == 0 ? digits : -digits) * std::max(std::abs(scratch_.q1[i]), place);
  }
  rule_->evaluate(step_, D1_.data(), D2_.data(), scale_.data());
  for (std::size_t i = 0; i < scratch_.D1.size(); ++i) scratch_.D1[i] = times * std::abs(D1_[i] - scratch_.D1[i]);
  std::copy(scratch_.q1.begin(), scratch_.q1.end(), q1_.begin());
  evaluate();
  for (std::size_t i = 0; i < f_.size(); ++i)
    if (!(std::abs(f_[i]) <= scratch_.D1[i] + settings_.tolerance * scale_[i])) return false;
  return true;
}

}  // namespace bough
