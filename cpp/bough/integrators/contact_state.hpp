// What a motion carries of its contacts from one step to the next.
#pragma once

#include <vector>

namespace bough {

// Of a contact at a node: not there, there and at rest along its tangents (or without friction), or sliding.
enum class ContactStatus : signed char { open, stick, slide };

struct ContactState {
  std::vector<ContactStatus> status;  // of each contact
  std::vector<double> force;          // over the rows of contacts: during the step before
  std::vector<double> slip;           // likewise: the tangential velocity of the step before, of contacts that slide
  double impact_loss = 0.0, friction_loss = 0.0;  // energy since the start

  void resize(int contacts, int rows) {
    status.resize(contacts);
    force.resize(rows);
    slip.resize(rows);
  }
};

}  // namespace bough
