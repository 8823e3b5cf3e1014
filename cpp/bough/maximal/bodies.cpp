#include "bough/maximal/bodies.hpp"

#include "bough/maximal/chain.hpp"
#include "bough/solvers/dense.hpp"

namespace bough {
namespace {

constexpr double round_off = 1e-9;

// Which links are bodies.
std::vector<bool> choose(const Model& model) {
  std::vector<bool> body(model.n());
  std::vector<int> outboard(model.n() + 1, 0);  // subtrees with bodies outboard of a slot
  for (int i = model.n() - 1; i >= 0; --i) {
    body[i] = !model.links[i].massless || outboard[i + 1] > 1;
    if (body[i] || outboard[i + 1] > 0) ++outboard[model.joints[i].parent];
  }
  return body;
}

// Whether the screws at several configurations span no more than at one; then their span.
void find_span(const Model& model, const Bodies& bodies, Body& body) {
  constexpr int samples = 4;
  Eigen::MatrixXd columns(6, samples * body.freedom);
  std::vector<double> s(model.n());
  int column = 0;
  for (int sample = 0; sample < samples; ++sample) {
    for (int c = 0; c < body.length; ++c)
      s[bodies.chain[body.chain + c]] = 0.3 + 0.7 * sample + 0.41 * c * (sample + 1);
    Pose G = Pose::identity();
    for (int c = 0; c < body.length; ++c) {
      const Joint& joint = model.joints[bodies.chain[body.chain + c]];
      G = G * joint.X * exp_screw(joint.S, s[bodies.chain[body.chain + c]]);
      if (!joint.dynamic) continue;
      const Twist J = adjoint(G, joint.S);
      J.w.store(columns.col(column).data());
      J.v.store(columns.col(column).data() + 3);
      ++column;
    }
  }
  const auto [U, sizes] = left_singular_vectors(columns);
  body.constant_span = body.freedom == 6 || sizes[body.freedom] <= round_off * sizes[0];
  for (int k = 0; body.constant_span && k < body.freedom; ++k) {
    const double* u = U.col(k).data();
    body.span[k] = {Vec3(u), Vec3(u + 3)};
  }
}

}  // namespace

Bodies::Bodies(const Model& model)
    : slot_of(model.n() + 1, -1), first_joint(model.n_variables, -1), place(model.n(), -1), owner(model.n(), -1) {
  const std::vector<bool> chosen = choose(model);
  slot_of[0] = 0;
  for (int i = 0; i < model.n(); ++i) {
    if (!chosen[i]) continue;
    Body b{};
    b.link = i;
    std::vector<int> path;
    int slot = i + 1;
    do {
      path.push_back(slot - 1);
      slot = model.joints[slot - 1].parent;
    } while (slot_of[slot] < 0);
    b.parent = slot_of[slot];
    b.chain = static_cast<int>(chain.size());
    b.length = static_cast<int>(path.size());
    slot_of[i + 1] = n() + 1;
    for (int c = b.length - 1; c >= 0; --c) {
      const int j = path[c];
      place[j] = static_cast<int>(chain.size());
      owner[j] = n() + 1;
      chain.push_back(j);
      const Joint& joint = model.joints[j];
      if (joint.dynamic) ++b.freedom;
      if (first_joint[joint.variable] < 0)
        first_joint[joint.variable] = j;
      else if (joint.dynamic)
        coupled.push_back(j);
    }
    if (b.freedom > 1 && b.freedom <= 6) find_span(model, *this, b);
    body.push_back(b);
  }
}

Model body_space(const Bodies& bodies) {
  Model model;
  for (int b = 0; b < bodies.n(); ++b)
    for (int k = 0; k < 6; ++k) {
      Joint joint{};
      joint.parent = k == 0 ? 0 : 6 * b + k;
      joint.kind = JointKind::twist;
      joint.variable = 6 * b + k;
      joint.subtree_end = 6 * b + 6;
      joint.dynamic = true;
      joint.ratio = 1.0;
      joint.X = Pose::identity();
      joint.S = k < 3 ? Twist{Vec3::unit(k), Vec3::zero()} : Twist{Vec3::zero(), Vec3::unit(k - 3)};
      model.joints.push_back(joint);
      model.links.push_back(Link{});
    }
  model.n_variables = model.n_dynamic = 6 * bodies.n();
  return model;
}

FramePlace body_place(const Bodies& bodies, const FramePlace& place) {
  FramePlace moved = place;
  const int slot = bodies.slot_of[place.joint];
  moved.joint = slot < 0 ? -1 : 6 * slot;
  return moved;
}

}  // namespace bough
