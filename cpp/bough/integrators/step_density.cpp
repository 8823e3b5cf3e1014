#include "bough/integrators/step_density.hpp"

#include <algorithm>
#include <cmath>

#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

constexpr double farthest = 2.0;  // factor by which the density may stray from the rate before it starts again

// x of x (1 + e^x) = 2 y: both sides grow with x, so that Newton's method finds it.
double grown(double y) {
  double x = y < 0.0 ? std::max(y, -1.0) : std::log1p(y);
  for (int i = 0; i < 50; ++i) {
    const double e = std::exp(x), step = (x * (1.0 + e) - 2.0 * y) / (1.0 + e * (1.0 + x));
    x -= step;
    if (std::abs(step) <= 1e-16 * (1.0 + std::abs(x))) break;
  }
  return x;
}

}  // namespace

StepDensity::StepDensity(const Model& model, std::vector<std::array<int, 2>> pairs, double epsilon, double w0)
    : model_(model), pairs_(std::move(pairs)), epsilon_(epsilon), w0_(w0), equations_(model, 0.0, 0.0), space_(model) {
  for (auto* x : {&v_, &a_, &q_beside_, &v_beside_, &zero_}) x->resize(model.n_variables);
}

double StepDensity::rate(const double* q, const double* v, double w0) {
  Workspace& ws = workspace(model_);
  sweep_velocities(model_, ws, q, v);
  double sum = w0 * w0;
  for (std::size_t i = 1; i <= model_.joints.size(); ++i) sum += dot(ws.state[i].V.w, ws.state[i].V.w);
  const auto point = [&](int frame, Vec3& x, Vec3& velocity) {
    const FramePlace& place = model_.frames[frame];
    const JointState& link = ws.state[place.joint];
    x = link.g.p + link.g.R * place.X.p;
    velocity = link.V.v + cross(link.V.w, x);
  };
  for (const auto& [a, b] : pairs_) {
    Vec3 xa, xb, va, vb;
    point(a, xa, va);
    point(b, xb, vb);
    const Vec3 x = xb - xa, velocity = vb - va;
    const double square = dot(x, x);
    if (square > 0.0) sum += dot(velocity, velocity) / square;
  }
  return std::sqrt(sum);
}

double StepDensity::length(double t, const double* q, const double* p, const double* u) {
  const int n = model_.n_variables, nd = model_.n_dynamic;
  std::fill(v_.begin(), v_.end(), 0.0);
  if (velocity_from_momentum(model_, workspace(model_), space_, q, p, t, v_.data()) >= 0) return 0.0;
  const Prescribed held{q + nd, zero_.data(), zero_.data()};
  if (!equations_.acceleration(t, held, q, v_.data(), u, a_.data())) return 0.0;
  const double here = rate(q, v_.data(), w0_), eta = 4e-3 / here;
  const auto logarithm = [&](double step) {
    for (int i = 0; i < n; ++i) {
      q_beside_[i] = q[i] + step * v_[i];
      v_beside_[i] = v_[i] + (i < nd ? step * a_[i] : 0.0);
    }
    return std::log(rate(q_beside_.data(), v_beside_.data(), w0_));
  };
  const auto odd = [&](double step) { return logarithm(step) - logarithm(-step); };
  const double growth =
      (8.0 * odd(eta) - odd(2.0 * eta)) / (12.0 * eta);  // (SD3): ln sigma is minus the log of the rate
  const bool astray = z > 0.0 && !(z > here / farthest && z < here * farthest);
  if (astray) ++resets;
  z = z == 0.0 || astray ? here * std::exp(0.5 * grown(epsilon_ * growth / here))
                         : z * std::exp(grown(epsilon_ * growth / z));
  return epsilon_ / z;  // (SD2)
}

StepStatus StepDensity::advance(GaussStepper& stepper, double end, const Drive& drive) {
  const double t = stepper.state.t;
  if (left_ == 0) {
    if (judge_ && whole_ == 0.0) judge_->begin(stepper.state);
    last = whole_ = length(t, stepper.state.q.data(), stepper.state.p.data(), drive.u);
    if (!(whole_ > 0.0)) return whole_ == 0.0 ? StepStatus::singular : StepStatus::not_finite;
    pending_[left_++] = 0;
  }
  while (true) {
    const int depth = pending_[left_ - 1];
    last = std::ldexp(whole_, -depth);
    if (t + last == t) return StepStatus::no_convergence;
    stepper.remember(memory_);
    const StepStatus status = stepper.step(last, drive);
    if (judge_ && too_long(stepper, status, depth)) {
      stepper.recall(memory_);
      ++halved;
      pending_[left_ - 1] = pending_[left_] = depth + 1;
      ++left_;
      continue;
    }
    if (t + last > end) {  // how long it may be is known now
      stepper.recall(memory_);
      last = end - t;
      const StepStatus shorter = stepper.step(last, drive);
      if (shorter == StepStatus::fine) stepper.state.t = end;
      return shorter;
    }
    if (status != StepStatus::fine) return status;
    if (judge_) judge_->accept();
    if (!(t + last < end)) stepper.state.t = end;
    --left_;
    return status;
  }
}

// Whether a step, or a part that was halved so often, is to be made in halves.
bool StepDensity::too_long(const GaussStepper& stepper, StepStatus status, int depth) {
  const bool divisible = depth < StepJudge::deepest;
  if (status != StepStatus::fine) {
    judge_->failed(depth);
    return divisible;
  }
  const StepJudge::Verdict found = judge_->verdict(stepper, last, depth);
  if (found == StepJudge::Verdict::fine) return false;
  if (divisible && found == StepJudge::Verdict::too_long) return true;
  ++unresolved;
  return false;
}

}  // namespace bough
