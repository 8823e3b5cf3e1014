#include "bough/integrators/lane_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/dynamics/elements.hpp"

namespace bough {

LaneCheck::LaneCheck(const Model& model, LaneTree& tree) : tree_(tree) {
  for (auto* x : {&q_, &p_, &v_, &rest_, &L_q_, &L_v_}) x->assign(model.n_variables, Lane4{});
}

void LaneCheck::check(const Runs& runs, bool* too_long) {
  std::size_t most = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    too_long[lane] = false;
    rows_[lane].clear();
    chosen_[lane].clear();
    if (!runs.run[lane]) continue;
    chosen_[lane] = rows_to_check(*runs.model[lane], *runs.run[lane]);
    if (runs.first[lane] && !chosen_[lane].empty() && chosen_[lane][0] == 0) {
      chosen_[lane].erase(chosen_[lane].begin());
      rows_[lane].push_back(*runs.first[lane]);
    }
    most = std::max(most, chosen_[lane].size());
  }
  for (std::size_t k = 0; k < most; ++k) set_rows(runs, k);
  for (int lane = 0; lane < lanes; ++lane) {
    if (!runs.run[lane]) continue;
    const Model& model = *runs.model[lane];
    const bool known = std::all_of(rows_[lane].begin(), rows_[lane].end(), [](const CheckedRow& row) {
      return row.kinetic >= 0.0 && std::isfinite(row.kinetic);  // else the mass matrix is singular there
    });
    const StepCheck found =
        known ? check_steps(model, *runs.run[lane], std::move(rows_[lane])) : check_steps(model, *runs.run[lane]);
    too_long[lane] = found.found != StepCheck::Found::nothing;
  }
}

double LaneCheck::potential_of_elements(const Model& model, const double* q) const {
  return model.elements.potentials.empty() ? 0.0 : elements_energy({model, no_poses_, q});
}

// Energies of the k-th row of each run. With v = 0 in the tree, alpha = 0 and dt = 1, K is minus the mass matrix.
void LaneCheck::set_rows(const Runs& runs, std::size_t k) {
  const std::size_t n = q_.size();
  for (int lane = 0; lane < lanes; ++lane) {
    if (k >= chosen_[lane].size()) continue;
    const RecordedRows& run = *runs.run[lane];
    put_lane(q_, lane, run.q + chosen_[lane][k] * n);
    put_lane(p_, lane, run.p + chosen_[lane][k] * n);
  }
  tree_.evaluate(q_, rest_, L_q_, L_v_);
  for (std::size_t i = 0; i < n; ++i) v_[i] = -p_[i];
  tree_.solve(1.0, 0.0, rest_, v_);
  Lane4 twice{};
  for (std::size_t i = 0; i < n; ++i) twice += p_[i] * v_[i];
  const Lane4 potential = tree_.potential_energy();
  for (int lane = 0; lane < lanes; ++lane) {
    if (k >= chosen_[lane].size()) continue;
    const std::size_t at = chosen_[lane][k];
    const double of_elements = potential_of_elements(*runs.model[lane], runs.run[lane]->q + at * n);
    const bool chord = runs.chords[lane] && at + 1 < runs.run[lane]->count;
    CheckedRow row{at, 0.5 * twice[lane], potential[lane] + of_elements,
                   chord ? runs.chords[lane][at] : std::numeric_limits<double>::quiet_NaN(), std::vector<double>(n)};
    take_lane(v_, lane, row.v.data());
    rows_[lane].push_back(std::move(row));
  }
}

}  // namespace bough
