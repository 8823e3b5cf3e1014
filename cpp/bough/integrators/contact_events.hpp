// The impacts of a run, in the order of time, as flat arrays.
#pragma once

#include <vector>

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

}  // namespace bough
