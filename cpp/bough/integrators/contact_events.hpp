// The impacts of a run, in the order of time, as flat arrays; and the nodes within one step.
#pragma once

#include <vector>

#include "bough/integrators/contact_state.hpp"

namespace bough {

struct ContactEvents {
  struct Impact {
    double t;
    int passes;
    double theta, loss;  // of the energy guard (IL4); energy lost
    bool plastic;        // ended without restitution by the cap on passes, or by the rules against endless hits
  };
  std::vector<Impact> impacts;
  std::vector<double> impulses;  // a row over the rows of all contacts for each impact
  std::vector<char> hits;        // likewise over contacts: 1 for one that closed there, 2 if it opens again at once
  std::vector<double> nodes;     // likewise the configuration of the user, and the velocities before and after
  std::size_t rows = 0, contacts = 0, numbers = 0;  // of one impact

  void resize(std::size_t count) {
    impacts.resize(count);
    impulses.resize(count * rows);
    hits.resize(count * contacts);
    nodes.resize(count * numbers);
  }
};

// What happened in the last step of the user if it was split, in the order of time: what its derivatives are taken through. Kept
// if it is asked for; empty if the step was made as a whole.
struct ContactTrace {
  // A part that is an implicit step, or too short for one (EV6); an impact; the end of sliding; a contact that joins the closed
  // ones without an impact; a node whose impulse is that of the half step before it alone, (CT13).
  enum class Kind { part, brief, impact, stop, joined, unload };
  struct Node {
    Kind kind = Kind::part;
    double dt = 0.0;                // the length of a part
    std::vector<double> q, p, lam;  // after it, q of the user
    ContactState contacts;
    std::vector<double> v_before, v, impulse;  // of an impact, stop or unload
    std::vector<double> restitution;           // of each contact that is struck, else -1
    int passes = 0;
    double theta = 1.0;
    bool plastic = false;
  };
  bool kept = false;
  std::vector<Node> nodes;
};

}  // namespace bough
