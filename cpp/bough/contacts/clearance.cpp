#include "bough/contacts/clearance.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "bough/tree/support.hpp"

namespace bough {
namespace {

constexpr double above = 1.0 + 1e-9;   // what a way is taken longer by, for round-off
constexpr int most_moves = 4096;       // after which all is measured again, before the round-off of sums counts
constexpr double most_way = 1e6;       // m, likewise
constexpr double asleep_from = 1e-12;  // of what two bodies have moved: a distance that sums can tell

int root_of(const Model& model, int slot) {
  while (slot > 0 && model.joints[slot - 1].parent > 0) slot = model.joints[slot - 1].parent;
  return slot;
}

bool turns(const Model& model, int slot) {
  for (; slot > 0; slot = model.joints[slot - 1].parent)
    if (!is_zero(model.joints[slot - 1].S.w)) return true;
  return false;
}

}  // namespace

Clearance::Clearance(const Model& model, const std::vector<ShapeBody>& bodies, const std::vector<BodyPair>& pairs,
                     int contacts)
    : features_(contacts), closed_(contacts) {
  const int n = static_cast<int>(bodies.size());
  std::vector<bool> read(model.joints.size() + 1);
  std::vector<int> stem(model.joints.size() + 1, -1);  // of the tree with this root: the fork of all bodies
  for (const ShapeBody& body : bodies) {
    const int slot = body.place.joint, root = root_of(model, slot);
    read[slot] = true;
    stem[root] = stem[root] < 0 ? slot : fork(model, stem[root], slot);
  }
  joints_ = JointWays(model, std::move(read));
  stem_.assign(joints_.all().size(), 0);
  for (int slot : stem)
    for (; slot > 0; slot = model.joints[slot - 1].parent) stem_[joints_.place(slot)] = 1;
  std::vector<bool> unbounded;  // a plane that turns
  for (const ShapeBody& body : bodies) {
    const int slot = body.place.joint;
    unbounded.push_back(!std::isfinite(body.reach) && turns(model, slot));
    moving_.push_back({joints_.place(slot), radius_of(body)});
  }
  for (const BodyPair& pair : pairs) {
    const int a = bodies[pair.a].place.joint, b = bodies[pair.b].place.joint;
    const bool one_tree = a > 0 && b > 0 && root_of(model, a) == root_of(model, b);
    const int first = one_tree ? n : 0;
    relative_ |= one_tree;
    watched_.push_back({first + pair.a, first + pair.b, false, unbounded[pair.a] || unbounded[pair.b], 0.0});
  }
  order_.resize(pairs.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(),
            [&](int i, int j) { return std::minmax(pairs[i].a, pairs[i].b) < std::minmax(pairs[j].a, pairs[j].b); });
  awake_.reserve(pairs.size());
  kinds.resize(pairs.size(), none);
  ways_.resize(2 * bodies.size());
  q_.resize(model.width());
  forget();
}

void Clearance::forget() {
  std::fill(ways_.begin(), ways_.end(), 0.0);
  for (Watched& x : watched_) {
    x.until = 0.0;
    x.near = false;
  }
  std::fill(features_.begin(), features_.end(), -1.0);
  settled_ = moves_ = 0;
  clock_ = rescan_at_ = 0.0;
}

void Clearance::wake(int pair) {
  if (!(watched_[pair].until > 0.0)) return;
  settled_ -= watched_[pair].near;
  watched_[pair].until = 0.0;
  rescan_at_ = 0.0;
}

// (GE29)
void Clearance::move(const double* q) {
  const std::size_t size = q_.size() * sizeof(double);
  if (known_ && std::memcmp(q, q_.data(), size) == 0) return;
  if (!known_ || ++moves_ > most_moves || !(clock_ < most_way)) {
    forget();
    known_ = true;
  } else {
    joints_.move_between(q_.data(), q, relative_ ? stem_.data() : nullptr);
    add_ways();
  }
  std::memcpy(q_.data(), q, size);
}

void Clearance::add_ways() {
  const std::size_t n = moving_.size();
  double longest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double way = above * joints_.of(moving_[i].place, moving_[i].radius);
    ways_[i] += way;
    if (!(way <= longest)) longest = way;
  }
  for (std::size_t i = 0; relative_ && i < n; ++i)
    ways_[n + i] += above * joints_.beyond(moving_[i].place, moving_[i].radius);
  clock_ += 2.0 * above * longest;
}

void Clearance::remember(const double* features, const char* closed) {
  std::copy_n(features, features_.size(), features_.begin());
  std::copy_n(closed, closed_.size(), closed_.begin());
}

bool Clearance::remembers(const double* features) const {
  return std::memcmp(features_.data(), features, features_.size() * sizeof(double)) == 0;
}

bool Clearance::remembers(const double* features, const char* closed) const {
  return remembers(features) && std::memcmp(closed_.data(), closed, closed_.size()) == 0;
}

void Clearance::set(int pair, bool near, double distance) {
  Watched& x = watched_[pair];
  settled_ -= settled(pair);
  x.near = near;
  x.until = 0.0;
  const double now = way(pair);
  if (x.never || !(distance > asleep_from * now)) return;
  x.until = now + distance / above;
  settled_ += near;
  rescan_at_ = std::min(rescan_at_, clock_ + distance / above);
}

double Clearance::left() {
  if (!(clock_ < rescan_at_)) rescan();
  for (const int pair : awake_)
    if (!apart(pair)) return 0.0;
  return (rescan_at_ - clock_) / above;
}

void Clearance::rescan() {
  awake_.clear();
  double least = HUGE_VAL;
  for (const int pair : order_) {
    const double left = watched_[pair].until - way(pair);
    if (left > 0.0)
      least = std::min(least, left);
    else
      awake_.push_back(pair);
  }
  rescan_at_ = clock_ + least / above;
}

}  // namespace bough
