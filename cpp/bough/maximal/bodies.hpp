// From a tree of joints to free rigid bodies: one for every link with mass, held to the one before it by the chain of
// joints between them. A link without mass that several bodies hang from is a body without inertia; any other link
// without mass is a part of the chain that passes through it.
//
// Where the screws of a chain span the same twists in every configuration (revolute, prismatic, cylindrical, spherical,
// planar, free), the span is kept and the chain has no singular configuration, whatever its variables do.
#pragma once

#include <string>
#include <vector>

#include "bough/tree/model.hpp"

namespace bough {

struct Body {
  int link;                    // joint of the model that moves it
  int parent;                  // slot of the body before it, 0 for the world
  int chain, length;           // its joints, root first: Bodies::chain[chain], ...
  int freedom = 0;             // how many of them are dynamic
  bool constant_span = false;  // freedom above one, and the span below holds
  Twist span[6];               // basis of the freedom in the axes of the body before it
};

struct Bodies {
  explicit Bodies(const Model& model);
  int n() const { return static_cast<int>(body.size()); }

  std::vector<Body> body;        // slot b + 1
  std::vector<int> chain;        // joints of the model
  std::vector<int> slot_of;      // by slot of the model: the slot of the body, or -1 on a merged link
  std::vector<int> first_joint;  // by variable: a joint in a chain that it drives, or -1
  std::vector<int> place;        // by joint: where it is in `chain`, or -1
  std::vector<int> owner;        // by joint: the slot of the body whose chain it is in, or -1
  std::vector<int> coupled;      // joints that share their dynamic variable with first_joint
};

// What acts on bodies: 6 variables for each, the world twist of body slot b in places 6 (b - 1), ...; elements between
// frames on bodies are evaluated there as they are in a tree.
Model body_space(const Bodies& bodies);

// The frame in the body space; joint is -1 where it is on a merged link.
FramePlace body_place(const Bodies& bodies, const FramePlace& place);

}  // namespace bough
