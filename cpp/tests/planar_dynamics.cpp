// planar_dynamics: the accelerations of forward_dynamics on trees that move in a plane.
#include "bough/dynamics/planar_dynamics.hpp"

#include "bough/dynamics/forward_dynamics.hpp"
#include "tests/trees.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

const std::vector<std::vector<int>> shapes{{-1},
                                           {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                                           {-1, 0, 1, 1, 3, 0},
                                           {-1, 0, 1, 1, 3, 1, 0, 6, 6, -1, 9},
                                           {-1, -1, 1, -1, 3, 3, 5, 3, 7}};

// Turns the joint within the plane, and every third one over, so that its axis is reversed.
void turn(Joint& joint, int axis, int i) {
  Twist about{Vec3::unit(axis), Vec3::zero()};
  joint.X.R = exp_screw(about, 0.4 * i).R;
  if (i % 3 == 1) {
    about.w = Vec3::unit((axis + 1) % 3);
    joint.X.R = joint.X.R * exp_screw(about, 3.141592653589793).R;
  }
  joint.rotated = true;
}

Model without_plane(Model model) {
  model.plane = {};
  return model;
}

}  // namespace

CASE(planar_dynamics_accelerates_as_forward_dynamics_does) {
  for (const auto& parents : shapes)
    for (int axis = 0; axis < 3; ++axis)
      for (int held = -1; held < static_cast<int>(parents.size()); ++held) {  // the joint that is kinematic
        Model model = tree(parents, axis);
        const int n = model.n();
        for (int i = 0; i < n; ++i) {
          model.joints[i].ratio = i % 2 ? -1.5 : 0.75;
          model.joints[i].shift = 0.2 * i;
          turn(model.joints[i], axis, i);
        }
        if (held >= 0) model.joints[held].dynamic = false;
        model.plane = planar_tree(model);
        expect(model.plane.axis == axis, "the axis of the tree");
        Random random(11);
        std::vector<double> q(n), v(n), tau(n), a(n), b(n);
        for (auto* x : {&q, &v, &tau, &a})
          for (double& value : *x) value = 3.0 * random();
        b = a;
        const Model general = without_plane(model);
        expect(planar_dynamics(model, workspace(model), q.data(), v.data(), tau.data(), a.data()) == -1, "a solution");
        expect(forward_dynamics(general, workspace(general), q.data(), v.data(), tau.data(), b.data()) == -1,
               "the same");
        double size = 0.0;
        for (const double value : b) size = std::max(size, std::abs(value));
        for (int i = 0; i < n; ++i) near(a[i], b[i], 1e-12 * size, "acceleration");
      }
}

// Without mass outboard of it a joint has no pivot, nor does the first hinge of a stretched arm whose only mass is at its end.
CASE(planar_dynamics_names_what_has_no_inertia) {
  for (const int empty : {1, 3, 4}) {  // two hinges and a slide, in trees where nothing is outboard of them
    Model model = tree(empty == 1   ? std::vector<int>{-1, 0}
                       : empty == 3 ? std::vector<int>{-1, 0, 0, 0}
                                    : std::vector<int>{-1, 0, 1, 1, 0},
                       1);
    model.links[empty] = Link{};
    model.subtree_mass[empty + 1] = 0.0;
    model.plane = planar_tree(model);
    std::vector<double> q(5, 0.3), zero(5, 0.0), a(5);
    const Model general = without_plane(model);
    expect(planar_dynamics(model, workspace(model), q.data(), zero.data(), zero.data(), a.data()) == empty, "its name");
    expect(forward_dynamics(general, workspace(general), q.data(), zero.data(), zero.data(), a.data()) == empty,
           "again");
  }
  Model arm = tree({-1, 0}, 1);
  for (Link& link : arm.links) link.inertia = Mat3::zero();
  arm.links[0] = Link{};
  arm.links[1].com = arm.joints[1].X.p;
  arm.subtree_mass[1] = arm.links[1].mass;
  arm.plane = planar_tree(arm);
  const std::vector<double> stretched{0.7, 0.0}, bent{0.7, 1e-3}, zero{0.0, 0.0};
  std::vector<double> a(2);
  for (const Model& model : {arm, without_plane(arm)}) {
    Workspace& ws = workspace(model);
    expect(forward_dynamics(model, ws, stretched.data(), zero.data(), zero.data(), a.data()) == 0, "stretched");
    expect(forward_dynamics(model, ws, bent.data(), zero.data(), zero.data(), a.data()) == -1, "bent");
  }
}

CASE(planar_tree_knows_planes) {
  expect(tree({-1, 0, 1}).plane.axis == -1, "three axes");
  expect(tree({-1}).plane.axis == 0, "one hinge about x");
  Model sliding = tree({-1, 0, 1, 2}, 1);
  expect(sliding.plane.axis == 1, "a slide across the axis");
  sliding.joints[3].S = {Vec3::zero(), Vec3::unit(1)};
  expect(planar_tree(sliding).axis == -1, "a slide along the axis");
}
