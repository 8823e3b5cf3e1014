#include "bough/integrators/contact_reach.hpp"

#include <algorithm>
#include <cmath>

#include "bough/tree/model.hpp"

namespace bough {
namespace {

constexpr double above = 1.0 + 1e-9;  // what a bound is taken larger by, for round-off

}  // namespace

ContactReach::ContactReach(const Model& model, const ContactRows& rows) {
  std::vector<Unilateral::Reach> reaches;
  std::vector<bool> read(model.joints.size() + 1);
  for (int i = 0; i < rows.contacts(); ++i) {
    place_.push_back(rows[i].featured ? -1 : static_cast<int>(contacts_.size()));
    Unilateral::Reach reach;
    const bool known = !rows[i].dry() && rows[i].element->reach(model, rows[i].of_element, reach);
    if (!known) reach = {};
    bounded_ &= known;
    for (const auto& point : reach.points) {
      read[point.slot] = true;
      if (point.slot > 0) together_.radius = std::max(together_.radius, point.radius);
    }
    if (rows[i].featured) {
      together_.points = std::max(together_.points, 2);
      continue;
    }
    contacts_.push_back({i, known, 0, 0, 0.0, 0.0});
    reaches.push_back(std::move(reach));
  }
  joints_ = JointWays(model, std::move(read));
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Unilateral::Reach& reach = reaches[i];
    for (const auto& point : reach.points)
      if (point.slot > 0) points_.push_back({joints_.place(point.slot), point.radius});
    changes_.insert(changes_.end(), reach.changes.begin(), reach.changes.end());
    contacts_[i].points = static_cast<int>(points_.size());
    contacts_[i].changes = static_cast<int>(changes_.size());
    together_.points = std::max(together_.points, static_cast<int>(reach.points.size()));
    together_.each = std::max(together_.each, static_cast<int>(reach.changes.size()));
    for (const auto& change : reach.changes) {
      const auto same = [&](const auto& x) { return x.variable == change.variable; };
      const auto found = std::find_if(together_.changes.begin(), together_.changes.end(), same);
      if (found == together_.changes.end())
        together_.changes.push_back(change);
      else
        found->weight = std::max(found->weight, change.weight);
    }
  }
  set_weights();
}

// (EV4) of the outermost point: what a joint adds to D by its change alone, with the length of the row outboard of it.
void ContactReach::set_weights() {
  bool turned = false;
  const std::vector<JointWays::Moved>& moved = joints_.all();
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const JointWays::Moved& x = moved[i];
    if (x.parent != static_cast<int>(i) - 1 || (turned && x.slide > 0.0)) return;
    turned |= x.turn > 0.0;
  }
  double outboard = together_.radius;
  for (std::size_t i = moved.size(); i-- > 0;) {
    const JointWays::Moved& x = moved[i];
    const double weight = together_.points * (x.slide + x.turn * outboard) * std::abs(x.ratio);
    const auto same = [&](const auto& way) { return way.variable == x.variable; };
    const auto found = std::find_if(together_.ways.begin(), together_.ways.end(), same);
    if (found == together_.ways.end())
      together_.ways.push_back({x.variable, weight});
    else
      found->weight += weight;
    outboard += x.offset;
  }
  together_.linear = true;
}

void ContactReach::move_contacts(const double* q0, const double* q1) {
  const Points* point = points_.data();
  const auto* change = changes_.data();
  for (Contact& c : contacts_) {
    double sum = 0.0;
    for (const Points* end = points_.data() + c.points; point != end; ++point)
      sum += joints_.of(point->place, point->radius);
    for (const auto* end = changes_.data() + c.changes; change != end; ++change)
      sum += change->weight * std::abs(q1[change->variable] - q0[change->variable]);
    c.way = above * sum;
  }
}

void ContactReach::move(const double* q0, const double* q1) {
  joints_.move(q0, q1);
  move_contacts(q0, q1);
}

// The most by which any gap can have changed.
double ContactReach::way_together(const double* q0, const double* q1) {
  const Together& all = together_;
  double way = 0.0;
  if (!all.linear) {
    joints_.move(q0, q1);
    way = all.points * (joints_.largest_A() + joints_.largest_W() * all.radius);
  }
  for (const auto& x : all.ways) way += x.weight * std::abs(q1[x.variable] - q0[x.variable]);
  double change = 0.0;
  for (const auto& x : all.changes) change = std::max(change, x.weight * std::abs(q1[x.variable] - q0[x.variable]));
  return above * (way + all.each * change);
}

bool ContactReach::stays_open(const double* q0, const double* q1) {
  Together& all = together_;
  const double way = way_together(q0, q1);
  if (way < all.left) {
    all.left -= way;
    all.spent += way;
    return true;
  }
  if (all.linear) joints_.move(q0, q1);
  move_contacts(q0, q1);
  all.left = HUGE_VAL;
  for (Contact& c : contacts_) {
    c.left -= all.spent + c.way;
    all.left = std::min(all.left, c.left);
  }
  for (Watched& x : watched_) {
    x.element->look(*x.memory, q0);
    x.element->look(*x.memory, q1);
    x.left = x.element->left(*x.memory);
    all.left = std::min(all.left, x.left);
  }
  all.spent = 0.0;
  return open_ = all.left > 0.0;
}

bool ContactReach::awake() const {
  return std::any_of(watched_.begin(), watched_.end(), [](const Watched& x) { return !(x.left > 0.0); });
}

bool ContactReach::stayed_open(const std::vector<double>& phi) {
  for (const Contact& c : contacts_)
    if (!(phi[c.contact] > 0.0 && c.left + phi[c.contact] > 0.0)) return false;
  set(phi);
  return open_;
}

void ContactReach::set(const std::vector<double>& phi) {
  together_.left = HUGE_VAL;
  together_.spent = 0.0;
  for (Contact& c : contacts_) {
    c.left = phi[c.contact];
    together_.left = std::min(together_.left, c.left);
  }
  for (Watched& x : watched_) together_.left = std::min(together_.left, x.left = x.element->left(*x.memory));
  open_ = bounded_ && together_.left > 0.0;
}

}  // namespace bough
