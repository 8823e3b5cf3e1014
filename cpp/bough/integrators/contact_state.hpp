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
  std::vector<double> features;       // of each contact: what it is frozen at, 0 for one that has none
  double impact_loss = 0.0, friction_loss = 0.0;  // energy since the start
  // The mean velocities of the kinematic variables in the step before, and its length; 0 at a start.
  std::vector<double> drive;
  double drive_time = 0.0;

  bool operator==(const ContactState&) const = default;

  void resize(int contacts, int rows, int kinematic) {
    drive.resize(kinematic);
    status.resize(contacts);
    features.resize(contacts);
    force.resize(rows);
    slip.resize(rows);
  }
};

}  // namespace bough
