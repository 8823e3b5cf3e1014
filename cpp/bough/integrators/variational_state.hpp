// All that the next step of a variational motion depends on.
#pragma once

#include <algorithm>

#include "bough/integrators/contact_state.hpp"
#include "bough/integrators/history.hpp"

namespace bough {

struct VariationalState {
  double t = 0.0, dt_before = 0.0;
  std::vector<double> q, p, lam;
  std::vector<double> coordinates;  // q of the user, if there are balls
  std::vector<double> shift;        // what p holds that the step before has moved to its start: (VS4)
  History history;
  // For the energy of a driven motion: what the step before gave at its end, fd+ of dynamic variables and D2 of kinematic
  // ones, and the running maximum of the kinetic energy.
  bool given_known = false;
  std::vector<double> given;
  double peak = 0.0;
  double work = 0.0;  // of the forces since the start, along the chords of the steps (S6)
  ContactState contacts;

  // Whether a motion on contacts goes on from here as from another state, but for the time: the kinetic energy says nothing there.
  bool goes_on_as(const VariationalState& x) const {
    return dt_before == x.dt_before && q == x.q && p == x.p && lam == x.lam && coordinates == x.coordinates &&
           shift == x.shift && history == x.history && given_known == x.given_known && given == x.given &&
           work == x.work && contacts == x.contacts;
  }

  // (q, p) of a step from here: q of the user, p without what the step before has moved to its start.
  void write(double* x) const {
    const std::vector<double>& shown = coordinates.empty() ? q : coordinates;
    x = std::copy(shown.begin(), shown.end(), x);
    for (std::size_t i = 0; i < p.size(); ++i) x[i] = p[i] - shift[i];
  }
};

}  // namespace bough
