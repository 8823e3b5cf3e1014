// A step in parts: halved if it fails, or composed of parts that make it of higher order (composition.hpp).
//
// `Part` says what a part of a step is given; it has a length `dt`.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "bough/solvers/step_status.hpp"

namespace bough {

template <class Part>
class Substeps {
 public:
  long halvings = 0;

  // Lengths of the parts that made up the last step, in their order: what its derivatives are taken through.
  const std::vector<double>& parts() const { return parts_; }

 protected:
  Substeps(int max_halvings, int parts_in_a_step) : max_halvings_(max_halvings) {
    parts_.reserve(static_cast<std::size_t>(parts_in_a_step) << std::min(max_halvings, 10));
  }
  virtual ~Substeps() = default;

  // Makes a part of a step; if it fails, the state is as before.
  virtual StepStatus try_step(const Part& part) = 0;
  // What the two halves of a part are given; depth: how often they may be halved again, and one.
  virtual std::array<Part, 2> halves(const Part& whole, int depth) = 0;
  // Keeps the state and what is known of a failure, and goes back to both.
  virtual void save() = 0;
  virtual void restore() = 0;
  // Around each half that is made, and after both.
  virtual void begin_half(const Part&, int /*depth*/) {}
  virtual void end_half(const Part&, int /*depth*/) {}
  virtual void end_halves(const Part&, int /*depth*/) {}
  // After a step in halves: the end without the round-off of its parts.
  virtual void finish(const Part& whole) = 0;

  void begin_step() { parts_.clear(); }

  // Of the part that is attempted: how often it was halved, and whether it can be halved again.
  int depth() const { return max_halvings_ - left_; }
  bool divisible() const { return left_ > 0; }

  // The part, in halves if it fails, each of them halved again if it fails. The status is that of the whole part.
  StepStatus advance(const Part& whole) {
    left_ = max_halvings_;
    const StepStatus status = attempt(whole);
    if (status == StepStatus::fine || max_halvings_ == 0) return status;
    save();
    const std::size_t before = parts_.size();
    const auto undo = [&] {
      restore();
      parts_.resize(before);
    };
    try {
      if (halve(whole, max_halvings_) == StepStatus::fine) {
        finish(whole);
        return StepStatus::fine;
      }
    } catch (...) {  // of an element that a user wrote
      undo();
      throw;
    }
    undo();
    return status;
  }

 private:
  StepStatus attempt(const Part& part) {
    const StepStatus status = try_step(part);
    if (status == StepStatus::fine) parts_.push_back(part.dt);
    return status;
  }

  StepStatus halve(const Part& whole, int depth) {
    ++halvings;
    for (const Part& half : halves(whole, depth)) {
      begin_half(half, depth);
      left_ = depth - 1;
      StepStatus status = attempt(half);
      if (status != StepStatus::fine && depth > 1) status = halve(half, depth - 1);
      if (status != StepStatus::fine) return status;
      end_half(half, depth);
    }
    end_halves(whole, depth);
    return StepStatus::fine;
  }

  const int max_halvings_;
  int left_ = 0;  // halvings of the part that is attempted
  std::vector<double> parts_;
};

}  // namespace bough
