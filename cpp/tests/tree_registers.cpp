// The kernels of balls that are compiled twice, for 16 registers of four lanes and for 32: a run with either has the same bits.
#include <algorithm>
#include <memory>
#include <vector>

#include "bough/integrators/midpoint.hpp"
#include "bough/integrators/stepper.hpp"
#include "bough/tree/ball_lanes.hpp"
#include "bough/tree/compile.hpp"
#include "tests/cases.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

// Links on balls, each a step away from its parent; each fourth has a moment of inertia of its own about every axis.
Model balls(const std::vector<int>& parents) {
  const int n = static_cast<int>(parents.size()), frames = 2 * n + 1;
  std::vector<int> parent(frames, -1), kind(frames, 0), variable(frames, -1), place(n);
  std::vector<double> value(frames, 0.0), ratio(frames, 1.0), offset(frames, 0.0), mass(frames, 0.0), gravity{1, 2, -9};
  std::vector<double> pose(16 * frames, 0.0), screw(6 * frames, 0.0), com(3 * frames, 0.0), inertia(9 * frames, 0.0);
  for (int f = 0; f < frames; ++f)
    for (int i = 0; i < 4; ++i) pose[16 * f + 5 * i] = 1.0;
  for (int j = 0, f = 1; f < frames; ++j, f += 2) {
    parent[f] = parents[j] < 0 ? 0 : place[parents[j]];
    kind[f] = 8;
    variable[f] = 3 * j;
    parent[f + 1] = f;
    place[j] = f + 1;
    pose[16 * (f + 1) + 3] = 0.3;
    pose[16 * (f + 1) + 11] = -0.5;
    mass[f + 1] = 1.0 + 0.1 * j;
    for (int i = 0; i < 3; ++i) inertia[9 * (f + 1) + 4 * i] = j % 4 == 3 ? 0.1 + 0.02 * i : 0.1;
  }
  return compile({frames, parent.data(), kind.data(), variable.data(), value.data(), ratio.data(), offset.data(),
                  pose.data(), screw.data(), mass.data(), com.data(), inertia.data(), gravity.data(), 3 * n, 3 * n});
}

// All configurations and momenta of twenty steps from rest.
std::vector<double> run(const Model& model, bool with_32) {
  has_32_registers = with_32;
  Stepper stepper(model, std::make_unique<Midpoint>(model, 0.5), {1e-12, 1e-10, 30, 4});
  std::vector<double> q(model.width(), 0.0), p(model.n_dynamic, 0.0), v(model.n_variables, 0.0), found;
  for (const Ball& ball : model.balls) q[ball.quaternion] = 1.0;
  expect(stepper.start(0.0, q.data(), p.data(), v.data()), "a start");
  for (int step = 0; step < 20; ++step) {
    expect(stepper.step(0.01, nullptr, nullptr) == StepStatus::fine, "a step");
    found.insert(found.end(), stepper.state.q.begin(), stepper.state.q.end());
    found.insert(found.end(), stepper.state.p.begin(), stepper.state.p.end());
  }
  return found;
}

}  // namespace

CASE(tree_of_balls_moves_alike_with_16_and_32_registers) {
  const bool has = has_32_registers;
  if (!has) return;  // there is one version
  for (const auto& parents :
       {std::vector<int>{-1}, std::vector<int>{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8}, std::vector<int>{-1, 0, 1, 1, 3, 0},
        std::vector<int>{-1, 0, 1, 1, 3, 1, 0, 6, 6, -1, 9}}) {
    const Model model = balls(parents);
    expect(!model.fours.empty() && model.only_balls(), "a tree of balls");
    const std::vector<double> usual = run(model, false), with_32 = run(model, true);
    has_32_registers = has;
    double moved = 0.0;
    for (int i = 1; i <= model.n_dynamic; ++i) moved = std::max(moved, std::abs(*(usual.end() - i)));
    expect(moved > 0.1, "momenta at the end");
    for (std::size_t i = 0; i < usual.size(); ++i) near(with_32[i], usual[i], 0.0, "number " + std::to_string(i));
  }
}
