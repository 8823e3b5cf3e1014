// Whether the steps of up to four runs are too long (coarse_steps.hpp), with the energies of their rows computed in lanes: a
// check alone takes longer than the steps of a short run.
#pragma once

#include "bough/integrators/coarse_steps.hpp"
#include "bough/integrators/lane_tree.hpp"

namespace bough {

class LaneCheck {
 public:
  // In the lanes of the tree are the models of the runs to check.
  LaneCheck(const Model& model, LaneTree& tree);

  // By lane: a run with momenta of a model without constraints and kinematic variables, or null; and its first row, if it
  // is known.
  struct Runs {
    const Model* model[lanes] = {};
    const RecordedRows* run[lanes] = {};
    const CheckedRow* first[lanes] = {};
    const double* chords[lanes] = {};  // kinetic energies (CS4) of all steps, NaN if not known; null: of none
  };
  void check(const Runs& runs, bool* too_long);

 private:
  void set_rows(const Runs& runs, std::size_t k);
  double potential_of_elements(const Model& model, const double* q) const;

  LaneTree& tree_;
  LaneArray q_, p_, v_, rest_, L_q_, L_v_;  // rest_: zeros
  std::vector<std::size_t> chosen_[lanes];
  std::vector<CheckedRow> rows_[lanes];
  const std::vector<JointState> no_poses_;
};

}  // namespace bough
