#include "bough/tree/compile.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace bough {
namespace {

// The screw of a transform, scaled to unit length; `length` is the factor that the parameter is then multiplied by.
Twist unit_screw(int kind, const double* screw, double& length) {
  Twist S = Twist::zero();
  length = 1.0;
  if (kind <= 3) S.v = Vec3::unit(kind - 1);
  if (kind >= 4 && kind <= 6) S.w = Vec3::unit(kind - 4);
  if (kind == 8) S.w = Vec3::unit(0);
  if (kind == 7) {
    S = {Vec3(screw), Vec3(screw + 3)};
    length = norm(S.w) > 0.0 ? norm(S.w) : norm(S.v);
    if (!(length > 0.0)) throw std::invalid_argument("a twist of zero length");
    S = (1.0 / length) * S;
  }
  return S;
}

Pose constant_pose(const FrameTable& t, int f) {
  if (t.kind[f] == 0) {
    const double* g = t.pose + 16 * static_cast<std::size_t>(f);
    return {Mat3::from_rows(g, 4), Vec3(g[3], g[7], g[11])};
  }
  double length;
  const Twist S = unit_screw(t.kind[f], t.screw + 6 * f, length);
  return exp_screw(S, length * t.value[f]);
}

// Adds a body (mass, com, inertia about com, in the link's axes) to a link: masses, moments and the parallel-axis rule.
void add_body(Link& link, double mass, const Vec3& com, const Mat3& inertia) {
  const double total = link.mass + mass;
  if (total > 0.0) {
    const Vec3 d = com - link.com;
    const double reduced = link.mass * mass / total;
    const Mat3 shift = Mat3::diagonal(reduced * dot(d, d)) + (-reduced) * outer(d, d);
    link.com = (link.mass * link.com + mass * com) / total;
    link.inertia += shift;
    link.inertia += inertia;
  } else {
    link.inertia += inertia;
  }
  link.mass = total;
  link.point = is_zero(link.inertia);
  link.massless = link.mass == 0.0 && link.point;
  const double moment = link.inertia(0, 0);
  const Mat3 rest = link.inertia + Mat3::diagonal(-moment);
  link.isotropic = is_zero(rest);
}

Joint make_joint(const FrameTable& t, int f, const FramePlace& parent) {
  Joint joint;
  joint.parent = joint.base = parent.joint;
  joint.kind = static_cast<JointKind>(t.kind[f]);
  joint.variable = t.variable[f];
  joint.dynamic = t.variable[f] < t.n_dynamic;
  joint.X = parent.X;
  joint.rotated = !is_identity(joint.X.R);
  joint.offset = !is_zero(joint.X.p);
  double length;
  joint.S = unit_screw(t.kind[f], t.screw + 6 * f, length);
  joint.ratio = length * t.ratio[f];
  joint.shift = length * t.offset[f];
  joint.subtree_end = 0;  // close_subtrees sets these two
  joint.last_child = false;
  return joint;
}

// The three joints of a ball, of which the first has the pose and the last moves the link.
void add_ball(Model& model, const FrameTable& t, int f, const FramePlace& parent) {
  if (t.variable[f] + 3 > t.n_dynamic) throw std::invalid_argument("a ball whose variables are not dynamic");
  const int first = model.n(), number = static_cast<int>(model.balls.size());
  for (int axis = 0; axis < 3; ++axis) {
    Joint joint = make_joint(t, f, axis == 0 ? parent : FramePlace{model.n(), Pose::identity(), 0.0});
    joint.base = parent.joint;
    joint.variable += axis;
    joint.S.w = Vec3::unit(axis);
    joint.ball = number;
    joint.axis = axis;
    model.joints.push_back(joint);
    model.links.push_back(Link{});
  }
  model.balls.push_back({first, t.variable[f], 0, 0});
}

// Where the quaternions stand: after the variables, or in place of those of their balls.
void place_balls(Model& model) {
  for (std::size_t i = 0; i < model.balls.size(); ++i) {
    Ball& ball = model.balls[i];
    ball.quaternion = model.n_variables + 4 * static_cast<int>(i);
    ball.place = ball.variable;
    for (const Ball& other : model.balls) ball.place += other.variable < ball.variable;
  }
  if (model.balls.empty()) return;
  for (std::size_t i = 0; i < model.balls.size(); i += FourBalls::width) {
    FourBalls& four = model.fours.emplace_back();
    for (std::size_t k = 0; k < FourBalls::width; ++k) {
      const std::size_t place = std::min(i + k, model.balls.size() - 1);
      const Ball& ball = model.balls[place];
      four.place[k] = static_cast<std::ptrdiff_t>(place);
      four.joint.at[k] = ball.joint;
      four.parent[k] = model.joints[ball.joint].parent;
      four.variable.at[k] = ball.variable;
      four.quaternion[k] = ball.quaternion;
    }
    for (FourBalls::Threes* x : {&four.joint, &four.variable}) {
      x->in_a_row = true;
      for (std::size_t k = 1; k < FourBalls::width; ++k) x->in_a_row &= x->at[k] == x->at[k - 1] + 3;
    }
  }
  model.place.assign(model.n_variables, 0);
  for (const Ball& ball : model.balls) std::fill_n(model.place.begin() + ball.variable, 3, -1);
  int next = 0;
  for (int i = 0; i < model.n_variables; ++i) {
    if (model.place[i] >= 0)
      model.place[i] = next++;
    else if (std::any_of(model.balls.begin(), model.balls.end(), [i](const Ball& b) { return b.variable == i; }))
      next += 4;
  }
  model.quaternions_alone = model.only_balls();
  for (const Ball& ball : model.balls) model.quaternions_alone &= ball.place == ball.quaternion - model.n_variables;
}

// subtree_end of every joint, with a stack of the joints whose subtree is still open.
void close_subtrees(Model& model) {
  std::vector<int> open;
  for (int i = 0; i < model.n(); ++i) {
    const int parent = model.joints[i].parent - 1;
    while (!open.empty() && open.back() != parent) {
      model.joints[open.back()].subtree_end = i;
      open.pop_back();
    }
    if (parent >= 0 && open.empty())
      throw std::invalid_argument("joint " + std::to_string(i) + " is not in depth-first order");
    open.push_back(i);
  }
  for (int i : open) model.joints[i].subtree_end = model.n();
  for (Joint& joint : model.joints) {
    const int end = joint.parent > 0 ? model.joints[joint.parent - 1].subtree_end : model.n();
    joint.last_child = joint.subtree_end == end;
  }
}

}  // namespace

Model compile(const FrameTable& t) {
  Model model;
  model.gravity = Vec3(t.gravity);
  model.n_variables = t.n_variables;
  model.n_dynamic = t.n_dynamic;
  model.dynamic_only = t.n_dynamic == t.n_variables;
  model.frames.reserve(t.n_frames);
  std::vector<int> uses(t.n_variables, 0);

  for (int f = 0; f < t.n_frames; ++f) {
    if (f > 0 && (t.parent[f] < 0 || t.parent[f] >= f))
      throw std::invalid_argument("the parent of frame " + std::to_string(f) + " does not come before it");
    if (t.kind[f] < 0 || t.kind[f] > static_cast<int>(JointKind::ball) || t.variable[f] >= t.n_variables)
      throw std::invalid_argument("frame " + std::to_string(f) + " has an unknown kind or variable");
    FramePlace place = f == 0 ? FramePlace{0, Pose::identity(), 0.0} : model.frames[t.parent[f]];
    if (t.kind[f] == static_cast<int>(JointKind::ball)) {
      add_ball(model, t, f, place);
      for (int axis = 0; axis < 3; ++axis) ++uses[t.variable[f] + axis];
      place = {model.n(), Pose::identity(), place.reach};
    } else if (t.variable[f] >= 0 && t.kind[f] != 0) {
      model.joints.push_back(make_joint(t, f, place));
      model.links.push_back(Link{});
      ++uses[t.variable[f]];
      place = {model.n(), Pose::identity(), place.reach};
    } else {
      const Pose step = constant_pose(t, f);
      place.X = place.X * step;
      place.reach += norm(step.p);
    }
    model.frames.push_back(place);
    const Mat3 inertia = Mat3::from_rows(t.inertia + 9 * static_cast<std::size_t>(f));
    if (t.mass[f] != 0.0 || !is_zero(inertia))
      add_body(place.joint > 0 ? model.links[place.joint - 1] : model.base, t.mass[f],
               place.X.p + place.X.R * Vec3(t.com + 3 * static_cast<std::size_t>(f)),
               place.X.R * inertia * transpose(place.X.R));
  }
  close_subtrees(model);
  place_balls(model);

  model.one_to_one = model.n() == t.n_variables;
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    model.shared |= uses[joint.variable] > 1;
    model.one_to_one &= joint.variable == i && joint.ratio == 1.0;
  }
  model.subtree_mass.assign(model.n() + 1, 0.0);
  for (int i = model.n() - 1; i >= 0; --i) {
    model.subtree_mass[i + 1] += model.links[i].mass;
    model.subtree_mass[model.joints[i].parent] += model.subtree_mass[i + 1];
  }
  model.plane = planar_tree(model);
  return model;
}

}  // namespace bough
