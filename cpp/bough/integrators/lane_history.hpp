// The last configurations of four runs side by side, and the polynomials through them that guess the next ones: as History,
// with numbers of rows, ages and points of each run.
#pragma once

#include "bough/integrators/history.hpp"
#include "bough/spatial/lane_arrays.hpp"

namespace bough {

class LaneHistory {
 public:
  explicit LaneHistory(int n_variables);

  // A run starts in a lane, as History::start().
  void start(int lane, const double* q, const double* v);
  // A lane without a run: its guess is zero.
  void rest(int lane);

  // Rows and ages counted from the newest one, which is 0.
  const LaneArray& row(int back) const { return ring_[(newest_ + History::memory - back) % History::memory]; }
  const Lane4& age_of(int back) const { return ages_[back]; }
  int known(int lane) const { return past_[lane].known; }

  void guess(double dt, LaneArray& out);
  void add(const LaneArray& q, double dt);

  // How many points the guess takes, and the steps since that was chosen; they are chosen anew after so many of them.
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
    int unsettled = 0;  // steps for which the weights of the guess still change
  };
  void set_weights(int lane, double dt);

  int newest_ = 0;   // in the ring
  double dt_ = 0.0;  // of the guess before
  LaneArray ring_[History::memory];
  Lane4 ages_[History::memory], weights_[History::memory];  // by how far back
  Past past_[lanes];
  History single_;
  std::vector<double> room_;
};

}  // namespace bough
