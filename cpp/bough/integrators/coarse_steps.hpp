// What the recorded rows of a run tell about the length of its steps: docs/theory/coarse_steps.md.
#pragma once

#include <cstddef>
#include <vector>

#include "bough/tree/workspace.hpp"

namespace bough {

inline constexpr double coarse_energy = 0.05;  // of the largest kinetic energy: an error above it is reported

// What contacts did in a run, time first; null without contacts.
struct RecordedContacts {
  const double* state = nullptr;   // count x contact_state_size: statuses, the length of the step before, features
  const double* force = nullptr;   // count x n_contact_rows: forces of contacts
  const double* lost = nullptr;    // count x 2: energy lost in impacts and by friction up to each row
  const double* smooth = nullptr;  // count: 0 if an impact or a change of status follows before the next row
};

// The rows of a run, time first.
struct RecordedRows {
  std::size_t count = 0;
  const double* t = nullptr;     // count
  const double* q = nullptr;     // count x n_coordinates, of the user
  const double* p = nullptr;     // count x n_dynamic, or null
  const double* v = nullptr;     // count x n_variables, or null: then velocities are those of the momenta
  const double* u = nullptr;     // count x n_inputs
  const double* work = nullptr;  // count: of the forces up to each row
  bool every_step = true;        // each row is one step after the one before
  bool chords = true;            // differences of q are those of the motion
  int lock_angle = -1;           // the middle angle of a free base, if there is one
  RecordedContacts contacts = {};
};

struct StepCheck {
  enum class Found { nothing, energy, hidden };  // hidden: the steps jump over most of the motion (CS4)

  Found found = Found::nothing;
  double kinetic = 0.0;              // the largest kinetic energy
  double off = 0.0;                  // the largest energy that nothing explains (CS1)
  std::size_t worst = 0, first = 0;  // rows: where it is largest, and where it first exceeds coarse_energy
  double shown = 1.0;                // of the kinetic energy, along the chords (CS4)
};

StepCheck check_steps(const Model& model, const RecordedRows& run);

// The same in two parts, for runs that are checked together: the rows to check, and the result from what is found in them.
struct CheckedRow {
  std::size_t at = 0;
  double kinetic = 0.0, potential = 0.0;
  double chord;           // kinetic energy along the chord to the next row (CS4), NaN if not known
  std::vector<double> v;  // velocities
};
std::vector<std::size_t> rows_to_check(const Model& model, const RecordedRows& run);
StepCheck check_steps(const Model& model, const RecordedRows& run, std::vector<CheckedRow> rows);

}  // namespace bough
