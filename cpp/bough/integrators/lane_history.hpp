// The last configurations of four runs side by side, and the polynomials through them that guess the next ones: as History,
// with numbers of rows, ages and points of each run. The first guesses of a run have rows from before its start besides:
// (RL3)-(RL5).
#pragma once

#include "bough/integrators/history.hpp"
#include "bough/spatial/lane_arrays.hpp"

namespace bough {

class LaneHistory {
 public:
  explicit LaneHistory(int n_variables);

  // How a run starts: with a velocity or, at rest, with an acceleration; reversible: from rest it would have come the way
  // that it goes.
  enum class Opening { none, moving, resting, reversible };
  void start(int lane, const LaneArray& q, const LaneArray& slope, Opening opening);
  // A lane without a run: its guess is zero.
  void rest(int lane);

  // Rows and ages counted from the newest one, which is 0.
  const LaneArray& row(int back) const { return ring_[(newest_ + History::memory - back) % History::memory]; }
  const Lane4& age_of(int back) const { return ages_[back]; }
  int known(int lane) const { return past_[lane].known; }

  void guess(double dt, LaneArray& out);
  void add(const LaneArray& q, double dt);

  // How many points the guess takes, and the steps since that was chosen; the number is chosen again after so many of them.
  int points(int lane) const { return past_[lane].points; }
  int age(int lane) const { return past_[lane].age; }
  void choose_soon(int lane);
  void accepted(int lane);

  // One run's history in a form that `Stepper` takes, and back.
  const History& of(int lane);
  void take(int lane, const History& history, int points, int age);

 private:
  struct Past {
    int known = 0;
    bool made_up = false;
    int points = History::memory, age = 0;
    int unsettled = 0;                // steps for which the weights of the guess still change
    Opening opening = Opening::none;  // as long as the steps since the start are few and equal
    int guides = 0;                   // rows for the guess, with those from before the start; 0: those known
  };
  void set_weights(int lane, double dt);
  void set_row_before_start(int lane, double dt);

  int newest_ = 0;   // in the ring
  double dt_ = 0.0;  // of the guess before
  LaneArray ring_[History::memory];
  Lane4 ages_[History::memory], weights_[History::memory];  // by how far back
  LaneArray slope_;                                         // of the starts
  Lane4 slope_weights_;                                     // in the first guess from rest
  Past past_[lanes];
  History single_;
  std::vector<double> room_;
};

}  // namespace bough
