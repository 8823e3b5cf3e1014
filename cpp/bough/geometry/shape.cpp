#include "bough/geometry/shape.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <set>
#include <stdexcept>

#include "bough/geometry/heightfield.hpp"

namespace bough {
namespace {

constexpr double flat = 1e-9;  // of the size of a hull: corners in one plane

}  // namespace

ContactShape ContactShape::plane() {
  ContactShape s;
  s.reach_ = HUGE_VAL;
  return s;
}

ContactShape ContactShape::sphere(double radius) {
  ContactShape s;
  s.kind_ = ShapeKind::sphere;
  s.radius_ = s.reach_ = radius;
  s.corners_ = {Vec3::zero()};
  return s;
}

ContactShape ContactShape::capsule(double radius, double length) {
  ContactShape s;
  s.kind_ = ShapeKind::capsule;
  s.radius_ = radius;
  s.half_ = 0.5 * length;
  s.reach_ = radius + s.half_;
  s.corners_ = {Vec3(0, 0, -s.half_), Vec3(0, 0, s.half_)};
  s.edges_ = {{0, 1, {-1, -1}}};
  return s;
}

ContactShape ContactShape::cylinder(double radius, double length) {
  ContactShape s;
  s.kind_ = ShapeKind::cylinder;
  s.half_ = 0.5 * length;
  s.radii_ = Vec3(radius, radius, s.half_);
  s.reach_ = std::hypot(radius, s.half_);
  for (int i = 0; i < 2 * ring; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i % ring) / ring;
    s.corners_.push_back(Vec3(radius * std::cos(angle), radius * std::sin(angle), i < ring ? -s.half_ : s.half_));
  }
  return s;
}

ContactShape ContactShape::ellipsoid(const Vec3& radii) {
  ContactShape s;
  s.kind_ = ShapeKind::ellipsoid;
  s.radii_ = radii;
  s.reach_ = std::max({radii[0], radii[1], radii[2]});
  return s;
}

ContactShape ContactShape::core_of_ellipsoid(const Vec3& radii) {
  ContactShape s = ellipsoid(radii);
  const double least = std::min({radii[0], radii[1], radii[2]});
  s.radius_ = least * least / s.reach_;
  return s;
}

// Corner i has the sign of bit k of i along axis k.
ContactShape ContactShape::box(const Vec3& size) {
  ContactShape s;
  s.kind_ = ShapeKind::box;
  s.radii_ = 0.5 * size;
  s.reach_ = norm(s.radii_);
  for (int i = 0; i < 8; ++i)
    s.corners_.push_back(
        Vec3((i & 1 ? 1 : -1) * s.radii_[0], (i & 2 ? 1 : -1) * s.radii_[1], (i & 4 ? 1 : -1) * s.radii_[2]));
  for (int axis = 0; axis < 3; ++axis)
    for (const int sign : {0, 1}) {
      const int x = 1 << ((axis + 1) % 3), y = 1 << ((axis + 2) % 3), base = sign << axis;
      std::vector<int> around = {base, base | x, base | x | y, base | y};
      if (sign == 0) std::swap(around[1], around[3]);
      s.faces_.push_back({(sign ? 1.0 : -1.0) * Vec3::unit(axis), s.radii_[axis], around});
    }
  s.set_edges();
  return s;
}

ContactShape ContactShape::hull(const std::vector<Vec3>& corners, const std::vector<std::array<int, 3>>& triangles) {
  ContactShape s;
  s.kind_ = ShapeKind::hull;
  s.corners_ = corners;
  for (const Vec3& x : corners) s.reach_ = std::max(s.reach_, norm(x));
  std::map<std::pair<int, int>, std::size_t> at_edge;  // the triangle that an edge goes round with
  std::vector<bool> left(triangles.size(), false);     // in no face yet; a triangle without an area is never in one
  const auto area_of = [&](const std::array<int, 3>& t) {
    return cross(corners[t[1]] - corners[t[0]], corners[t[2]] - corners[t[0]]);
  };
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto& t = triangles[i];
    left[i] = norm(area_of(t)) > 0.0;
    for (int k = 0; k < 3 && left[i]; ++k) at_edge[{t[k], t[(k + 1) % 3]}] = i;
  }
  std::vector<std::vector<std::array<int, 3>>> groups;  // a face: neighbours in one plane
  for (std::size_t first = 0; first < triangles.size(); ++first) {
    const auto& t = triangles[first];
    const Vec3 area = area_of(t);
    if (!(norm(area) > 0.0)) continue;
    const Vec3 normal = area / norm(area);
    const double offset = dot(normal, corners[t[0]]);
    for (const Vec3& x : corners)
      if (dot(normal, x) > offset + flat * s.reach_) throw std::invalid_argument("not convex");
    if (!left[first]) continue;
    const auto inside = [&](int i) { return std::abs(dot(normal, corners[i]) - offset) <= flat * s.reach_; };
    groups.emplace_back();
    s.faces_.push_back({normal, offset, {}});
    std::vector<std::size_t> waiting = {first};
    left[first] = false;
    while (!waiting.empty()) {
      const auto& now = triangles[waiting.back()];
      waiting.pop_back();
      groups.back().push_back(now);
      for (int k = 0; k < 3; ++k) {
        const auto found = at_edge.find({now[(k + 1) % 3], now[k]});
        if (found == at_edge.end() || !left[found->second]) continue;
        const auto& next = triangles[found->second];
        if (!inside(next[0]) || !inside(next[1]) || !inside(next[2])) continue;
        left[found->second] = false;
        waiting.push_back(found->second);
      }
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {  // edges that belong to one triangle of the group go round the face
    std::set<std::pair<int, int>> border;
    for (const auto& t : groups[g])
      for (int k = 0; k < 3; ++k)
        if (border.erase({t[(k + 1) % 3], t[k]}) == 0) border.insert({t[k], t[(k + 1) % 3]});
    std::map<int, int> next(border.begin(), border.end());
    if (next.empty()) throw std::invalid_argument("not closed");
    const int start = next.begin()->first;
    int at = start;
    do {
      s.faces_[g].corners.push_back(at);
      const auto found = next.find(at);
      if (found == next.end() || s.faces_[g].corners.size() > next.size()) throw std::invalid_argument("not closed");
      at = found->second;
    } while (at != start);
  }
  s.set_edges();
  return s;
}

ContactShape ContactShape::heightfield(std::shared_ptr<const Heightfield> field) {
  ContactShape s;
  s.kind_ = ShapeKind::heightfield;
  s.reach_ = field->reach();
  s.field_ = std::move(field);
  return s;
}

ContactShape ContactShape::triangle() {
  ContactShape s;
  s.kind_ = ShapeKind::hull;
  s.corners_.assign(3, Vec3::zero());
  return s;
}

void ContactShape::set_triangle(const Vec3& second, const Vec3& third) {
  corners_[1] = second;
  corners_[2] = third;
  reach_ = std::max(norm(second), norm(third));
}

void ContactShape::set_edges() {
  std::map<std::pair<int, int>, int> half;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const auto& c = faces_[f].corners;
    for (std::size_t k = 0; k < c.size(); ++k) half[{c[k], c[(k + 1) % c.size()]}] = static_cast<int>(f);
  }
  for (const auto& [ends, face] : half) {
    const auto other = half.find({ends.second, ends.first});
    if (other == half.end()) throw std::invalid_argument("not closed");
    if (ends.first < ends.second) edges_.push_back({ends.first, ends.second, {face, other->second}});
  }
}

Vec3 ContactShape::farthest(const Vec3& d) const {
  if (kind_ == ShapeKind::cylinder) {
    const double across = std::hypot(d[0], d[1]), f = across > 0.0 ? radii_[0] / across : 0.0;
    return Vec3(f * d[0], f * d[1], d[2] < 0.0 ? -half_ : half_);
  }
  if (kind_ == ShapeKind::ellipsoid) {
    const Vec3 scaled(radii_.a * d.a);
    const double size = norm(scaled);
    if (!(size > 0.0)) return Vec3(radii_[0] - radius_, 0, 0);
    const Vec3 outer = Vec3(radii_.a * scaled.a) / size;
    return radius_ > 0.0 ? outer - (radius_ / norm(d)) * d : outer;
  }
  if (kind_ == ShapeKind::box)
    return Vec3(std::copysign(radii_[0], d[0]), std::copysign(radii_[1], d[1]), std::copysign(radii_[2], d[2]));
  int best = 0;
  double most = -HUGE_VAL;
  for (int i = 0; i < static_cast<int>(corners_.size()); ++i) {
    const double along = dot(d, corners_[i]);
    if (along <= most) continue;
    most = along;
    best = i;
  }
  return corners_[best];
}

}  // namespace bough
