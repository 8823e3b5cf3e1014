// Whether the steps of a run are too long for its motion: docs/theory/coarse_steps.md.
//
// (CS1) e = E - E0 - W: the energy that nothing explains; W is the work of the forces.
// (CS6) e = E - E0 - W + L with contacts, L the energy lost in impacts and by friction.
// (CS2) dt (P0 + 4 P + P1) / 6: that work in a step, from the powers at its ends and in the middle of the cubic curve
//       between them. It differs from that of the chord if damping or springs make a step jump.
// (CS3) |(p+ - 2 p + p-) . (q+ - q)|: the rows in which this is largest are checked, and some at equal distances.
// (CS4) T((q + q+) / 2, (q+ - q) / dt): the kinetic energy along a chord, 1 / (1 + (w dt / 2)^2) of that of the nodes in a
//       motion of the frequency w.
#include "bough/integrators/coarse_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "bough/dynamics/constrained.hpp"
#include "bough/dynamics/elements.hpp"
#include "bough/dynamics/energy.hpp"
#include "bough/dynamics/forward_dynamics.hpp"
#include "bough/dynamics/gaps.hpp"
#include "bough/integrators/ball_rows.hpp"
#include "bough/integrators/contact_node.hpp"
#include "bough/tree/ball_lanes.hpp"
#include "bough/tree/kinematics.hpp"

namespace bough {
namespace {

constexpr std::size_t all_rows = 40;                   // a run of no more rows is checked in all of them
constexpr std::size_t min_even = 16, max_even = 48;    // rows at equal distances: one for every 32 rows of a run
constexpr std::size_t min_rough = 16, max_rough = 32;  // rows of the largest (CS3), likewise
constexpr std::size_t min_chords = 8;                  // steps from which on chords are judged
constexpr double at_rest = 1e-12;                      // J/kg, of motions by some um/s
constexpr double least_smooth = 0.6;  // of the steps of a run with contacts, from which on chords are judged
constexpr double min_shown = 0.3;     // of the kinetic energy, along chords: w dt = 3, half a turn a step
constexpr double at_lock = 1e-6;      // cosine of the middle angle of a base: there are no rates of the others below
constexpr double near_lock = 0.1;     // cosine of the middle angle: rates of the others tell little below

using Row = CheckedRow;
const Row unknown{0, 0.0, 0.0, std::numeric_limits<double>::quiet_NaN(), {}};

class Check {
 public:
  Check(const Model& model, const RecordedRows& run)
      : model_(model), run_(run), ws_(workspace(model)), n_(model.n_variables) {}

  StepCheck result() {
    const std::vector<std::size_t> chosen = rows_to_check(model_, run_);
    std::vector<Row> balls = rows_of_balls(model_, run_, chosen);
    if (!balls.empty()) return result(std::move(balls));
    for (const std::size_t at : chosen) {
      Row row = unknown;
      if (evaluate(at, row)) rows_.push_back(std::move(row));
    }
    return result(std::move(rows_));
  }

  StepCheck result(std::vector<Row> rows) {
    rows_ = std::move(rows);
    StepCheck result;
    if (rows_.empty()) return result;
    for (const Row& row : rows_) result.kinetic = larger(result.kinetic, row.kinetic);
    result.kinetic = larger(result.kinetic, lost_in_a_step());
    if (result.kinetic <= at_rest * total_mass(model_)) return result;

    const std::vector<double> done = work();
    const double start = rows_[0].kinetic + rows_[0].potential - done[0];
    bool exceeded = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double off = std::abs(rows_[i].kinetic + rows_[i].potential - done[i] - start);  // (CS1)
      if (!exceeded && !(off <= coarse_energy * result.kinetic)) {
        exceeded = true;
        result.first = rows_[i].at;
      }
      if (larger(result.off, off) != result.off && !std::isnan(result.off)) {
        result.off = off;
        result.worst = rows_[i].at;
      }
    }
    if (exceeded)
      result.found = StepCheck::Found::energy;
    else
      hide(result);
    return result;
  }

 private:
  static double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }  // NaN counts as the largest

  // A configuration of the core. Of a model with balls, it is valid until the next call with this place.
  const double* q(std::size_t row, int place = 0) {
    const double* user = run_.q + row * model_.n_coordinates();
    if (model_.balls.empty()) return user;
    q_[place].resize(model_.width());
    to_core(model_, user, q_[place].data());
    return q_[place].data();
  }

  // q1 with the balls as they turn from q0, valid until the next call.
  const double* seen_from(const double* q0, const double* q1) {
    if (model_.balls.empty()) return q1;
    std::vector<double>& end = end_;
    end.assign(q1, q1 + model_.width());
    for (const Ball& ball : model_.balls) {
      const Mat3 from = rotation(quaternion_of(ball, q0)), to = rotation(quaternion_of(ball, q1));
      set_ball_vector(ball, end.data(), rotation_vector(transpose(from) * to));
      set_quaternion(ball, end.data(), quaternion_of(ball, q0));
    }
    return end.data();
  }

  // Velocities and energies in a row; false if its mass matrix is singular.
  bool evaluate(std::size_t at, Row& row) {
    row.at = at;
    if (run_.v) {
      row.v.assign(run_.v + at * n_, run_.v + (at + 1) * n_);
      row.kinetic = kinetic_energy(model_, ws_, q(at), row.v.data());
    } else if (!evaluate_momenta(run_.p + at * model_.n_dynamic, row)) {
      return false;
    }
    row.potential = potential_energy(model_, ws_, q(at));
    return true;
  }

  // Velocity and kinetic energy of the momenta in a row.
  bool evaluate_momenta(const double* p, Row& row) {
    row.v.assign(n_, 0.0);  // kinematic variables do not move
    if (run_.contacts.state) {
      if (!node_) node_.emplace(model_);
      const std::size_t contacts = model_.elements.n_contacts;
      const double* state = run_.contacts.state + row.at * contact_state_size(model_);
      if (has_features(model_)) node_->freeze(state + contacts + 1);
      const int singular = node_->velocity(
          run_.t[row.at], q(row.at), p, state[contacts], [state](int i) { return state[i] != 0.0; },
          run_.contacts.force + row.at * model_.elements.n_contact_rows, row.v.data());
      if (singular >= 0) return false;
      row.kinetic = kinetic_energy(model_, ws_, q(row.at), row.v.data());
      return true;
    }
    if (model_.elements.n_constraints == 0) {
      if (mass_solve(model_, ws_, q(row.at), p, row.v.data()) >= 0) return false;
      row.kinetic = 0.5 * std::inner_product(p, p + model_.n_dynamic, row.v.begin(), 0.0);
      return true;
    }
    if (!space_) space_.emplace(model_);
    if (velocity_from_momentum(model_, ws_, *space_, q(row.at), p, run_.t[row.at], row.v.data()) >= 0) return false;
    row.kinetic = kinetic_energy(model_, ws_, q(row.at), row.v.data());
    return true;
  }

  // Of contacts: the energy lost up to a row, the most that impacts took between two rows, and whether a motion is smooth
  // from a row to the next.
  double lost(std::size_t row) const {
    const double* both = run_.contacts.lost;
    return both ? both[2 * row] + both[2 * row + 1] : 0.0;
  }
  double lost_in_a_step() const {
    double most = 0.0;
    const double* both = run_.contacts.lost;
    for (std::size_t row = 1; both && row < run_.count; ++row) most = std::max(most, both[2 * row] - both[2 * row - 2]);
    return most;
  }
  bool smooth(std::size_t row) const { return !run_.contacts.smooth || run_.contacts.smooth[row] != 0.0; }
  // A body that bounces once in two steps is seen at the top of its way alone: its chords show nothing.
  bool mostly_smooth() const {
    const double* flags = run_.contacts.smooth;
    return !flags || std::accumulate(flags, flags + run_.count, 0.0) >= least_smooth * static_cast<double>(run_.count);
  }

  // The work of the forces up to the chosen rows, corrected by (CS2): a step stands for those up to the next row.
  std::vector<double> work() {
    std::vector<double> done(rows_.size());
    for (std::size_t i = 0; i < done.size(); ++i) done[i] = run_.work[rows_[i].at] - lost(rows_[i].at);  // (CS6)
    const bool any =
        run_.every_step && std::any_of(run_.work, run_.work + run_.count, [](double w) { return w != 0.0; });
    if (!any) return done;
    std::vector<double> correction(done.size(), 0.0);
    for (std::size_t i = 0; i + 1 < done.size(); ++i) {
      const std::size_t first = rows_[i].at;
      correction[i + 1] = correction[i];
      if (!smooth(first)) continue;
      Row next = unknown;
      if (!evaluate(first + 1, next)) return done;  // what single steps do is not known
      const double counted = run_.work[first + 1] - run_.work[first];
      const auto steps = static_cast<double>(rows_[i + 1].at - first);
      correction[i + 1] += steps * (simpson(rows_[i], next) - counted);
    }
    for (std::size_t i = 0; i < done.size(); ++i) done[i] += correction[i];
    return done;
  }

  // (CS2)
  double simpson(const Row& a, const Row& b) {
    const double t0 = run_.t[a.at], t1 = run_.t[b.at], dt = t1 - t0;
    const double *q0 = q(a.at), *q1 = q(b.at, 1), *u = run_.u + a.at * model_.elements.n_inputs;
    const double* end = seen_from(q0, q1);
    qm_.assign(end, end + model_.width());
    vm_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      qm_[i] = 0.5 * (q0[i] + end[i]) + dt * (a.v[i] - b.v[i]) / 8.0;
      vm_[i] = 1.5 * (end[i] - q0[i]) / dt - 0.25 * (a.v[i] + b.v[i]);
    }
    const double middle = power(qm_.data(), vm_.data(), u, 0.5 * (t0 + t1));
    return dt / 6.0 * (power(q0, a.v.data(), u, t0) + 4.0 * middle + power(q1, b.v.data(), u, t1));
  }

  double power(const double* q, const double* v, const double* u, double t) {
    sweep_velocities(model_, ws_, q, v);
    force_.assign(n_, 0.0);
    add_forces({model_, ws_.state, q, v, u, t}, 1.0, force_.data());
    return std::inner_product(force_.begin(), force_.end(), v, 0.0);
  }

  double chord(std::size_t first) {
    const double *before = q(first), dt = run_.t[first + 1] - run_.t[first];
    const double* after = seen_from(before, q(first + 1, 1));
    qm_.assign(after, after + model_.width());
    vm_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      qm_[i] = 0.5 * (before[i] + after[i]);
      vm_[i] = (after[i] - before[i]) / dt;
    }
    return kinetic_energy(model_, ws_, qm_.data(), vm_.data());
  }

  // Whether the steps jump over most of the motion (CS4).
  void hide(StepCheck& result) {
    if (!run_.every_step || !run_.chords || rows_.size() <= min_chords || !mostly_smooth()) return;
    double along = 0.0, at_nodes = 0.0;
    for (std::size_t k = 0; k + 1 < rows_.size(); ++k) {
      if (!smooth(rows_[k].at)) continue;
      along += std::isnan(rows_[k].chord) ? chord(rows_[k].at) : rows_[k].chord;
      at_nodes += rows_[k].kinetic;
    }
    if (!(along < min_shown * at_nodes)) return;
    result.found = StepCheck::Found::hidden;
    result.shown = along / at_nodes;
  }

  const Model& model_;
  const RecordedRows& run_;
  Workspace& ws_;
  std::optional<KeptConstraintSpace> space_;  // if there are constraints
  std::optional<ContactNode> node_;           // if there are contacts
  std::size_t n_;
  std::vector<double> force_, qm_, vm_, end_, q_[2];  // empty until they are needed
  std::vector<Row> rows_;
};

// p . (q+ - q) of a row and the next, with the turns of balls in their place: twice the vector part of Q^-1 Q+, as they are small.
double along(const Model& model, const double* p, const double* q, const double* next) {
  double sum = 0.0;
  for (int i = 0; !model.only_balls() && i < model.n_dynamic; ++i)
    if (const int at = model.place[i]; at >= 0) sum += p[i] * (next[at] - q[at]);
  for (const Ball& ball : model.balls) {
    const double *a = q + ball.place, *b = next + ball.place, *of = p + ball.variable;
    sum += 2.0 * (of[0] * (a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]) +
                  of[1] * (a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]) +
                  of[2] * (a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]));
  }
  return sum;
}

// The same for the second differences of momenta in all rows, of a tree of balls alone: what a row has is the next one's before.
// Row after row, as they are in memory: a run of many rows does not fit the caches.
std::vector<double> along_balls(const Model& model, const RecordedRows& run, const double* momenta) {
  struct Last {
    LaneQuaternion turned;
    LaneVec here, rise;
    Lane4 each;  // 2, and 0 in place of balls beyond the last, which have its numbers
  };
  const int n = model.n_variables, width = model.n_coordinates();
  const double *p = momenta + n, *q = run.q + width;
  std::vector<Last> last;
  for (std::size_t left = model.balls.size(); const FourBalls& at : model.fours) {
    const LaneVec here = vectors(at.variable, p);
    last.push_back({quaternions(at, q, n), here, here - vectors(at.variable, momenta),
                    Lane4{2.0, left > 1 ? 2.0 : 0.0, left > 2 ? 2.0 : 0.0, left > 3 ? 2.0 : 0.0}});
    left -= std::min(left, FourBalls::width);
  }
  std::vector<double> sums(run.count, 0.0);
  for (std::size_t row = 1; row + 1 < run.count; ++row) {
    p += n;
    q += width;
    Lane4 sum{};
    for (std::size_t k = 0; k < last.size(); ++k) {
      const FourBalls& at = model.fours[k];
      auto& [turned, here, rise, each] = last[k];
      const LaneQuaternion next = quaternions(at, q, n);
      const LaneVec after = vectors(at.variable, p), more = after - here;
      sum += each * dot(more - rise, turned.w * next.v - next.w * turned.v - cross(turned.v, next.v));
      turned = next;
      here = after;
      rise = more;
    }
    sums[row] = bough::sum(sum);
  }
  return sums;
}

// The rows of the largest (CS3); of a method without momenta, with velocities.
std::vector<std::size_t> roughest(const Model& model, const RecordedRows& run, std::size_t number) {
  const std::size_t nd = model.n_dynamic, stride = run.p ? nd : model.n_variables, width = model.n_coordinates();
  const double* p = run.p ? run.p : run.v;
  // A heap of the largest so far, the least of them on top: of a smooth motion, few rows enter it.
  using Scored = std::pair<double, std::size_t>;
  std::vector<Scored> best;
  std::vector<double> second(model.balls.empty() ? 0 : nd);
  best.reserve(number);
  const std::vector<double> balls =
      model.quaternions_alone && run.count > 2 ? along_balls(model, run, p) : std::vector<double>();
  for (std::size_t row = 1; row + 1 < run.count; ++row) {
    const double *before = p + (row - 1) * stride, *here = before + stride, *after = here + stride;
    const double *q = run.q + row * width, *next = q + width;
    double sum = 0.0;
    if (!balls.empty()) {
      sum = balls[row];
    } else if (second.empty()) {
      for (std::size_t i = 0; i < nd; ++i) sum += (after[i] - here[i] - (here[i] - before[i])) * (next[i] - q[i]);
    } else {
      for (std::size_t i = 0; i < nd; ++i) second[i] = after[i] - here[i] - (here[i] - before[i]);
      sum = along(model, second.data(), q, next);
    }
    const Scored scored{std::isnan(sum) ? std::numeric_limits<double>::infinity() : std::abs(sum), row};
    if (best.size() == number) {
      if (!(scored.first > best.front().first)) continue;
      std::pop_heap(best.begin(), best.end(), std::greater<>());
      best.pop_back();
    }
    best.push_back(scored);
    std::push_heap(best.begin(), best.end(), std::greater<>());
  }
  std::vector<std::size_t> rows;
  for (const Scored& scored : best) rows.push_back(scored.second);
  return rows;
}

}  // namespace

// In order, the first two and the last among them; some may occur twice.
std::vector<std::size_t> rows_to_check(const Model& model, const RecordedRows& run) {
  std::vector<std::size_t> rows(run.count);
  if (run.count <= all_rows) {
    std::iota(rows.begin(), rows.end(), std::size_t{0});
  } else {
    rows = roughest(model, run, std::min(max_rough, min_rough + run.count / 32));
    const std::size_t even = std::min(max_even, min_even + run.count / 32);
    for (std::size_t i = 0; i < even; ++i) rows.push_back(i * (run.count - 1) / (even - 1));
    rows.push_back(1);
    std::sort(rows.begin(), rows.end());
  }
  if (run.lock_angle >= 0)
    std::erase_if(rows, [&](std::size_t row) {
      const int place = model.balls.empty() ? run.lock_angle : model.place[run.lock_angle];
      const double cosine = std::abs(std::cos(run.q[row * model.n_coordinates() + place]));
      return cosine < at_lock || (row > 0 && run.chords && cosine < near_lock);
    });
  return rows;
}

StepCheck check_steps(const Model& model, const RecordedRows& run) { return Check(model, run).result(); }

StepCheck check_steps(const Model& model, const RecordedRows& run, std::vector<CheckedRow> rows) {
  return Check(model, run).result(std::move(rows));
}

}  // namespace bough
