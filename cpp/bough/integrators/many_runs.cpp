#include "bough/integrators/many_runs.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <thread>

#include "bough/dynamics/constrained.hpp"
#include "bough/integrators/coarse_steps.hpp"
#include "bough/integrators/lane_check.hpp"
#include "bough/integrators/lane_step.hpp"
#include "bough/integrators/midpoint.hpp"
#include "bough/integrators/stepper.hpp"
#include "bough/integrators/trapezoidal.hpp"

namespace bough {
namespace {

// What one thread needs, for one model or structure at a time.
class Worker {
 public:
  explicit Worker(ManyRuns& runs) : runs_(runs), n_(runs.models[0]->n_variables), nd_(runs.models[0]->n_dynamic) {}

  // One run by itself.
  void run(std::size_t number) {
    const Model& model = model_of(number);
    prepare(model);
    set_first_row(number);
    if (!set_velocity(number)) return;
    ManyRuns::End& end = runs_.ends[number];
    const double* q = runs_.q + number * n_;
    Stepper& s = *stepper_;
    s.recall(fresh_);
    s.start(runs_.t0, q, runs_.p + number * nd_, v_.data());
    const long iterations = s.iterations(), halvings = s.halvings, coarse = s.coarse();
    for (long i = 0; i < runs_.steps; ++i) {
      const double* k = runs_.k ? runs_.k + i * (n_ - nd_) : q + nd_;
      end.status = s.step(length(i), k, u(number, i));
      if (end.status != StepStatus::fine) break;
      end.done = i + 1;
      if (!recorded(i)) continue;
      const std::size_t row = row_after(number, i);
      std::copy(s.state.q.begin(), s.state.q.end(), runs_.out_q + row * n_);
      std::copy(s.state.p.begin(), s.state.p.end(), runs_.out_p + row * nd_);
      runs_.out_work[row] = s.state.work;
    }
    end.iterations = s.iterations() - iterations;
    end.halvings = s.halvings - halvings;
    end.coarse = s.coarse() > coarse || too_long(number);
    end.residual = s.failure.residual;
    end.worst_row = s.failure.worst_row;
  }

  // Up to four runs with models of one structure, in lanes.
  void run(const std::size_t* numbers, int count) {
    const Model& first = model_of(numbers[0]);
    if (!structure_ || !LaneTree::alike(*structure_, first)) {
      together_ = std::make_unique<LaneStepper>(first, runs_.method.alpha, runs_.method.settings);
      check_ = std::make_unique<LaneCheck>(first, together_->tree());
      structure_ = &first;
    }
    LaneStepper& s = *together_;
    s.clear(runs_.t0);
    for (int lane = 0; lane < count; ++lane) {
      const std::size_t number = numbers[lane];
      set_first_row(number);
      s.start(lane, model_of(number), runs_.q + number * n_, runs_.p + number * nd_);
    }
    for (auto& chords : chords_) chords.clear();
    const double* inputs[lanes];
    const auto set_inputs = [&](long step) {
      for (int lane = 0; lane < lanes; ++lane) inputs[lane] = u(numbers[lane < count ? lane : 0], step);
    };
    set_inputs(0);
    s.begin(length(0), inputs);
    for (int lane = 0; lane < count; ++lane) keep_first(lane, s);
    for (long i = 0; i < runs_.steps && s.any(); ++i) {
      set_inputs(i);
      s.step(length(i), inputs);
      if (!recorded(i)) continue;
      for (int lane = 0; lane < count; ++lane)
        if (runs_.every == 1) chords_[lane].push_back(s.run(lane).chord);
      for (int lane = 0; lane < count; ++lane) {
        if (!s.run(lane).runs) continue;
        const std::size_t row = row_after(numbers[lane], i);
        s.q(lane, runs_.out_q + row * n_);
        s.p(lane, runs_.out_p + row * nd_);
        runs_.out_work[row] = s.run(lane).work;
      }
    }
    for (int lane = 0; lane < count; ++lane) finish(numbers[lane], s.run(lane));
    check(numbers, count);
  }

 private:
  const Model& model_of(std::size_t number) const { return *runs_.models[runs_.model[number]]; }
  double length(long step) const { return step + 1 < runs_.steps ? runs_.dt : runs_.last; }
  const double* u(std::size_t number, long step) const {
    return runs_.u + number * runs_.u_of_run + step * runs_.u_of_step;
  }
  bool recorded(long step) const { return (step + 1) % runs_.every == 0 || step + 1 == runs_.steps; }
  std::size_t row_after(std::size_t number, long step) const {
    return number * runs_.rows() + (step + runs_.every) / runs_.every;
  }

  void set_first_row(std::size_t number) {
    std::copy_n(runs_.q + number * n_, n_, runs_.out_q + number * runs_.rows() * n_);
    std::copy_n(runs_.p + number * nd_, nd_, runs_.out_p + number * runs_.rows() * nd_);
    runs_.out_work[number * runs_.rows()] = 0.0;
  }

  // The velocity at the start into v_; false if it is not defined.
  bool set_velocity(std::size_t number) {
    const Model& model = model_of(number);
    const double *q = runs_.q + number * n_, *p = runs_.p + number * nd_;
    v_.assign(n_, 0.0);
    std::copy_n(runs_.vk, n_ - nd_, v_.begin() + nd_);
    if (!space_ || space_of_ != &model) space_ = std::make_unique<ConstraintSpace>(model);
    space_of_ = &model;
    if (velocity_from_momentum(model, workspace(model), *space_, q, p, runs_.t0, v_.data()) < 0) return true;
    runs_.ends[number].status = StepStatus::singular;
    return false;
  }

  // What the check of a run in lanes has to know of its first row.
  void keep_first(int lane, const LaneStepper& s) {
    CheckedRow& row = first_[lane];
    row.at = 0;
    row.kinetic = s.beginning().kinetic[lane];
    row.potential = s.beginning().potential[lane];
    row.chord = std::numeric_limits<double>::quiet_NaN();
    row.v.resize(n_);
    take_lane(s.beginning().v, lane, row.v.data());
  }

  void finish(std::size_t number, const LaneStepper::Run& run) {
    ManyRuns::End& end = runs_.ends[number];
    end.status = run.status;
    end.done = run.steps;
    end.alone = run.alone;
    end.iterations = run.iterations;
    end.halvings = run.halvings;
    end.residual = run.failure.residual;
    end.worst_row = run.failure.worst_row;
    end.coarse = run.coarse > 0;
  }

  bool to_check(std::size_t number) const {
    return runs_.t && runs_.ends[number].done == runs_.steps && runs_.rows() > 1 && nd_ > 0;
  }

  // The rows of a run that has finished; its inputs go into `inputs`.
  RecordedRows rows_of(std::size_t number, std::vector<double>& inputs) const {
    const std::size_t nu = model_of(number).elements.n_inputs, rows = runs_.rows();
    inputs.resize(rows * nu);
    for (std::size_t row = 0; row < rows; ++row) {
      const long step = std::max(0L, std::min<long>(row * runs_.every, runs_.steps - 1));
      std::copy_n(u(number, step), nu, inputs.data() + row * nu);
    }
    return {.count = rows,
            .t = runs_.t,
            .q = runs_.out_q + number * rows * n_,
            .p = runs_.out_p + number * rows * nd_,
            .u = inputs.data(),
            .work = runs_.out_work + number * rows,
            .every_step = runs_.every == 1,
            .lock_angle = runs_.lock_angle};
  }

  // Whether the rows of a run tell that its steps are too long.
  bool too_long(std::size_t number) {
    if (!to_check(number)) return false;
    return check_steps(model_of(number), rows_of(number, u_[0])).found != StepCheck::Found::nothing;
  }

  // The same of runs that were made in lanes.
  void check(const std::size_t* numbers, int count) {
    LaneCheck::Runs found;
    RecordedRows rows[lanes];
    for (int lane = 0; lane < count; ++lane) {
      const std::size_t number = numbers[lane];
      found.model[lane] = &model_of(number);
      if (!to_check(number) || runs_.ends[number].coarse) continue;
      rows[lane] = rows_of(number, u_[lane]);
      found.run[lane] = &rows[lane];
      if (together_->begun(lane)) found.first[lane] = &first_[lane];
      if (runs_.every == 1) {
        found.chords[lane] = chords_[lane].data();
        first_[lane].chord = chords_[lane][0];
      }
    }
    bool coarse[lanes];
    check_->check(found, coarse);
    for (int lane = 0; lane < count; ++lane)
      if (coarse[lane]) runs_.ends[numbers[lane]].coarse = true;
  }

  void prepare(const Model& model) {
    if (stepper_ && &stepper_->model() == &model) return;
    std::unique_ptr<DiscreteLagrangian> rule;
    if (runs_.method.trapezoidal)
      rule = std::make_unique<Trapezoidal>(model);
    else
      rule = std::make_unique<Midpoint>(model, runs_.method.alpha);
    stepper_ = std::make_unique<Stepper>(model, std::move(rule), runs_.method.settings);
    stepper_->remember(fresh_);
  }

  ManyRuns& runs_;
  const std::size_t n_, nd_;
  std::unique_ptr<Stepper> stepper_;
  Stepper::Memory fresh_;  // of a stepper that has made no step
  std::unique_ptr<LaneStepper> together_;
  const Model* structure_ = nullptr;  // of together_
  std::unique_ptr<ConstraintSpace> space_;
  const Model* space_of_ = nullptr;
  std::unique_ptr<LaneCheck> check_;
  CheckedRow first_[lanes];
  std::vector<double> v_, u_[lanes], chords_[lanes];
};

// Runs that share registers: up to four with models of one structure, fewer if there are threads for more of them.
std::vector<std::vector<std::size_t>> groups(const ManyRuns& runs, int threads) {
  std::vector<int> first;  // of each structure, a model
  std::vector<std::size_t> structure(runs.models.size());
  for (std::size_t i = 0; i < runs.models.size(); ++i) {
    std::size_t k = 0;
    while (k < first.size() && !LaneTree::alike(*runs.models[first[k]], *runs.models[i])) ++k;
    if (k == first.size()) first.push_back(static_cast<int>(i));
    structure[i] = k;
  }
  const std::size_t share = (runs.count + threads - 1) / threads, width = std::min<std::size_t>(share, lanes);
  std::vector<std::vector<std::size_t>> found, open(first.size());
  for (std::size_t number = 0; number < runs.count; ++number) {
    auto& group = open[structure[runs.model[number]]];
    group.push_back(number);
    if (group.size() < width) continue;
    found.push_back(std::move(group));
    group.clear();
  }
  for (auto& group : open)
    if (!group.empty()) found.push_back(std::move(group));
  return found;
}

}  // namespace

bool in_lanes(const Model& model, const ManyRuns::Method& method) {
  return !method.trapezoidal && method.settings.order == 2 && LaneEquations::fits(model);
}

void make_runs(ManyRuns& runs, int threads) {
  runs.ends.assign(runs.count, {});
  const auto fits = [&](const Model* model) { return in_lanes(*model, runs.method); };
  std::vector<std::vector<std::size_t>> together;
  if (runs.lanes && std::all_of(runs.models.begin(), runs.models.end(), fits)) together = groups(runs, threads);
  const std::size_t tasks = together.empty() ? runs.count : together.size();
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  const auto work = [&] {
    try {
      Worker worker(runs);
      for (std::size_t i = next++; i < tasks && !failed; i = next++)
        if (together.empty())
          worker.run(i);
        else
          worker.run(together[i].data(), static_cast<int>(together[i].size()));
    } catch (...) {  // out of memory
      if (!failed.exchange(true)) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const long wanted = std::min<long>(threads, static_cast<long>(tasks));
  for (long i = 1; i < wanted; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace bough
