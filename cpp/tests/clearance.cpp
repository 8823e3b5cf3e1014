// joint_ways and clearance: bounds of motion against the motion itself, of random configurations.
#include "bough/contacts/clearance.hpp"

#include <array>

#include "bough/tree/balls.hpp"
#include "tests/trees.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

// Two trees: a body that slides three ways and turns as a ball, with a branch that turns and slides and another one that turns about
// a screw; and a slider.
Model robot() {
  constexpr int frames = 13, n = 10;
  constexpr int world = 0, fixed = 0, tx = 1, ty = 2, tz = 3, rx = 4, ry = 5, screw = 7, ball = 8;
  const int parent[frames] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 4, 9, 0, 11};
  const int kind[frames] = {fixed, tx, ty, tz, ball, fixed, ry, fixed, tz, fixed, screw, rx, tx};
  const int variable[frames] = {-1, 0, 1, 2, 3, -1, 6, -1, 7, -1, 8, -1, 9};
  std::array<double, frames> value{}, ratio, offset{}, mass;
  ratio.fill(1.0);
  ratio[6] = -1.5;
  offset[8] = 0.4;
  mass.fill(1.0);
  mass[world] = 0.0;
  std::array<double, 16 * frames> pose{};
  std::array<double, 6 * frames> twist{};
  std::array<double, 3 * frames> com{};
  std::array<double, 9 * frames> inertia{};
  for (int f = 0; f < frames; ++f) {
    for (int i = 0; i < 4; ++i) pose[16 * f + 5 * i] = 1.0;
    for (int i = 0; i < 3; ++i) inertia[9 * f + 4 * i] = 0.1;
  }
  pose[16 * 5 + 3] = 0.3;
  pose[16 * 7 + 11] = -0.5;
  pose[16 * 9 + 7] = 0.4;
  twist[6 * 10 + 2] = 1.0;  // about z, and along y and z
  twist[6 * 10 + 4] = 0.3;
  twist[6 * 10 + 5] = 0.1;
  value[11] = 0.7;
  const double gravity[3] = {0, 0, -9.81};
  return compile({frames, parent, kind, variable, value.data(), ratio.data(), offset.data(), pose.data(), twist.data(),
                  mass.data(), com.data(), inertia.data(), gravity, n, n});
}

using Numbers = std::vector<double>;

Numbers at_rest(const Model& model) {
  Numbers q(model.width(), 0.0);
  for (const Ball& ball : model.balls) q[ball.quaternion] = 1.0;
  return q;
}

// The direction of a motion: of all variables, or of one of them, so that nothing but its own bound covers what it does.
Numbers direction(const Model& model, Random& random) {
  Numbers v(model.n_variables, 0.0);
  const int one = static_cast<int>(5.0 * (1.0 + random())) % model.n_variables;
  const bool all = random() > 0.3;
  for (int i = 0; i < model.n_variables; ++i) v[i] = all || i == one ? random() : 0.0;
  return v;
}

// Moves variables; every second time the balls take their turn into their quaternions.
Numbers moved(const Model& model, const Numbers& from, double step, const Numbers& v, Random& random) {
  Numbers q = from;
  for (int i = 0; i < model.n_variables; ++i) q[i] += step * v[i];
  if (random() > 0.0) settle(model, q.data());
  return q;
}

std::vector<JointState> states_at(const Model& model, const Numbers& q) {
  Workspace& ws = workspace(model);
  sweep_poses(model, ws, q.data());
  return {ws.state.begin(), ws.state.begin() + model.n() + 1};
}

Vec3 place_of(const ShapeBody& body, const std::vector<JointState>& states) {
  const JointState& s = states[body.place.joint];
  return s.g.p + s.g.R * body.place.X.p;
}

}  // namespace

CASE(tree_points_move_no_farther_than_their_bound) {
  const Model model = robot();
  Random random(5);
  JointWays ways(model, std::vector<bool>(model.joints.size() + 1, true));
  for (int trial = 0; trial < 2000; ++trial) {
    const double step = std::pow(10.0, 2.0 * random() - 1.0);
    const Numbers q0 = moved(model, at_rest(model), 3.0, direction(model, random), random);
    const Numbers q1 = moved(model, q0, step, direction(model, random), random);
    ways.move_between(q0.data(), q1.data(), nullptr);
    const std::vector<JointState> start = states_at(model, q0), end = states_at(model, q1);
    for (int slot = 1; slot <= model.n(); ++slot) {
      const Vec3 x = 0.5 * random_vector(random);
      const double way = norm(end[slot].g.p + end[slot].g.R * x - start[slot].g.p - start[slot].g.R * x);
      expect(way <= (1.0 + 1e-9) * ways.of(ways.place(slot), norm(x)) + 1e-14, "a bound");
    }
  }
  const Numbers q0 = at_rest(model);
  Numbers q1 = q0;
  q1[1] = 0.25;  // a slide is bounded by itself, a turn by its arc
  ways.move_between(q0.data(), q1.data(), nullptr);
  for (int slot = 2; slot <= ways.place(model.n()); ++slot)
    if (model.joints[slot - 1].parent > 0 && slot < model.n())
      near(ways.of(ways.place(slot), 0.5), 0.25, 1e-15, "a slide");
  q1 = q0;
  q1[4] = 0.01;
  settle(model, q1.data());
  ways.move_between(q0.data(), q1.data(), nullptr);
  near(ways.of(ways.place(4), 0.5), 0.005, 0.0006, "a turn");
}

// Spheres of random radii that are moved about, each pair measured only if it is awake: no two that count as apart have met on the
// way, nor have their boxes begun or ceased to meet.
CASE(geometry_of_pairs_that_are_apart) {
  const Model model = robot();
  Random random(6);
  std::vector<ShapeBody> bodies;
  for (int slot = 0; slot <= model.n(); ++slot) {
    const Vec3 place = 0.3 * random_vector(random);
    bodies.push_back({{slot, {Mat3::identity(), place}, 0.0}, 0.15 + 0.1 * random()});
  }
  std::vector<BodyPair> pairs;
  for (int i = 0; i < static_cast<int>(bodies.size()); ++i)
    for (int j = 0; j < i; ++j) pairs.push_back({i, j});
  Clearance known(model, bodies, pairs, 1);
  const auto distance = [&](int k, const std::vector<JointState>& states) {
    const ShapeBody &a = bodies[pairs[k].a], &b = bodies[pairs[k].b];
    return norm(place_of(a, states) - place_of(b, states)) - a.reach - b.reach;
  };
  const auto boxes = [&](int k, const std::vector<JointState>& states) {
    const ShapeBody &a = bodies[pairs[k].a], &b = bodies[pairs[k].b];
    const Vec3 apart = abs(place_of(a, states) - place_of(b, states));
    return std::max({apart[0], apart[1], apart[2]}) - 1.25 * (a.reach + b.reach);
  };
  Numbers q = at_rest(model), v;
  known.move(q.data());
  long asleep = 0, measured = 0, met = 0, moves = 0;
  for (double step = 0.001; step < 0.2; step *= 2.0)
    for (int trial = 0; trial < 600; ++trial, ++moves) {
      if (trial % 20 == 0) v = direction(model, random);  // there and back, so that nothing is far for long
      if (trial % 20 == 10)
        for (double& x : v) x = -x;
      const std::vector<JointState> here = states_at(model, q);
      known.each_awake([&](int k) {
        const double between = boxes(k, here);
        known.set(k, between <= 0.0, std::min(distance(k, here), std::abs(between)));
        ++measured;
      });
      const Numbers next = moved(model, q, step, v, random);
      known.move(next.data());
      for (const double s : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        Numbers on_way = q;  // the quaternions of q, unless the balls have taken their turn
        const bool settled = !std::equal(q.begin() + model.n_variables, q.end(), next.begin() + model.n_variables);
        if (settled && s < 1.0) continue;
        for (int i = 0; i < model.n_variables; ++i) on_way[i] += s * (next[i] - q[i]);
        const std::vector<JointState> there = states_at(model, s < 1.0 ? on_way : next);
        for (int k = 0; k < static_cast<int>(pairs.size()); ++k) {
          met += distance(k, there) < 0.0;
          if (!known.apart(k)) continue;
          ++asleep;
          expect(distance(k, there) > 0.0, "a pair that counts as apart is apart");
          expect(known.near(k) == (boxes(k, there) <= 0.0), "its boxes are as they were");
        }
      }
      q = next;
    }
  expect(met > 1000 && asleep > 100000, "pairs meet, and most are apart");
  expect(measured < moves * static_cast<long>(pairs.size()) / 2, "few are measured");
}

CASE(geometry_of_pairs_that_are_woken) {
  const Model model = robot();
  std::vector<ShapeBody> bodies;
  for (const int slot : {0, 3, 8}) bodies.push_back({{slot, Pose::identity(), 0.0}, 0.1});
  Clearance known(model, bodies, {{0, 1}, {2, 1}, {0, 2}}, 1);
  Numbers q = at_rest(model);
  known.move(q.data());
  std::vector<int> awake;
  const auto look = [&] {
    awake.clear();
    known.each_awake([&](int k) { awake.push_back(k); });
    return awake;
  };
  expect(look() == std::vector<int>{0, 2, 1}, "all at first, in the order of their bodies");
  for (const int k : {0, 1, 2}) known.set(k, k < 2, 0.5);
  expect(look().empty() && known.count_settled() == 2, "none is awake");
  q[0] = 0.3;  // both bodies of one tree: nothing between them has changed
  known.move(q.data());
  expect(look().empty(), "less than their distance");
  q[0] = 0.6;
  known.move(q.data());
  expect(look() == std::vector<int>{0, 2}, "those between the tree and the world");
  known.wake(1);
  expect(look() == std::vector<int>{0, 2, 1} && known.count_settled() == 1, "what is woken");
  known.set(1, true, -0.1);
  expect(!known.apart(1) && !known.settled(1), "what overlaps is never apart");
}
