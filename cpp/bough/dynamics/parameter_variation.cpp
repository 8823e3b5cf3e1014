#include "bough/dynamics/parameter_variation.hpp"

#include "bough/tree/sweep.hpp"

namespace bough {
namespace {

Mat3 difference(const Mat3& a, const Mat3& b) { return a + (-1.0) * b; }

// The twist of R^T dR, dp, in the axes of R.
Twist body_twist(const Pose& X, const Mat3& dR, const Vec3& dp) {
  const Mat3 W = transpose(X.R) * dR;
  return {0.5 * Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1)), transpose_times(X.R, dp)};
}

bool is_zero(const Twist& x) { return bough::is_zero(x.w) && bough::is_zero(x.v); }

}  // namespace

ParameterVariation::ParameterVariation(const Model& model, std::vector<Near> models, Changed elements)
    : near(std::move(models)), changed(std::move(elements)) {
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    const Inertia own = world_inertia(model.links[i], Pose::identity());
    Mat3 dR = Mat3::zero();
    Vec3 dp = Vec3::zero();
    Offset offset{i, Twist::zero(), 0.0, 0.0};
    Body body{i, 0.0, Vec3::zero(), Mat3::zero()};
    for (const auto& [other, weight] : near) {  // (PG1)
      const Joint& moved = other->joints[i];
      dR += weight * difference(moved.X.R, joint.X.R);
      dp += weight * (moved.X.p - joint.X.p);
      offset.shift += weight * (moved.shift - joint.shift);
      offset.ratio += weight * (moved.ratio - joint.ratio);
      turns_screws |= !is_zero(moved.S - joint.S);
      const Inertia at = world_inertia(other->links[i], Pose::identity());
      body.mass += weight * (at.m - own.m);
      body.moment += weight * (at.mc - own.mc);
      body.inertia += weight * difference(at.I, own.I);
    }
    offset.xi = body_twist(joint.X, dR, dp);
    if (!is_zero(offset.xi) || offset.shift != 0.0 || offset.ratio != 0.0) offsets.push_back(offset);
    if (body.mass != 0.0 || !bough::is_zero(body.moment) || !bough::is_zero(body.inertia)) bodies.push_back(body);
  }
  for (const auto& [other, weight] : near) gravity += weight * (other->gravity - model.gravity);
  moves_joints = turns_screws || !offsets.empty();
}

ParameterVariation ParameterVariation::of_frames(const Model& model, const FrameTable& table,
                                                 const std::vector<Entry>& entries, double step) {
  constexpr std::pair<double, double> difference[4] = {{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}};
  std::vector<double> kept;
  for (const Entry& entry : entries) kept.push_back(*entry.number);
  std::vector<Model> models;
  for (const auto& [at, weight] : difference) {
    for (std::size_t i = 0; i < entries.size(); ++i) *entries[i].number = kept[i] + at * step * entries[i].derivative;
    models.push_back(compile(table));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) *entries[i].number = kept[i];
  std::vector<Near> near;
  for (int k = 0; k < 4; ++k) near.push_back({&models[k], difference[k].second / (12.0 * step)});
  ParameterVariation made(model, std::move(near), {});
  made.near.clear();
  return made;
}

}  // namespace bough
