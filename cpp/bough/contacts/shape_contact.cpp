// Shapes, each fixed to a frame, of which given pairs touch in features of both (geometry/shape_pair.hpp). With n the normal of a
// feature, from b to a, and x where it touches:
//
//   dphi/dq = n . (dx_a/dq - dx_b/dq),   T_k = t_k . (dx_a/dq - dx_b/dq)                                         (GE16)
//
// of the material points at x: a gap is a least or a greatest distance, which does not change to first order with where on the
// shapes it is taken. t_1 is across n and an axis of b that shapes seldom have a face along, so that it is smooth.
//
// Contacts are places for features of any pair: the number of a feature tells the pair, and one without a feature has an infinite
// gap. A single pair always has one, its distance as long as it is apart. Of many, those are examined whose boxes (GE17) of
// shape_bodies.hpp meet within a step.
//
// Record: frames of all shapes; values (friction, restitution, numbers of shapes and of pairs, capacity; the shapes; the pairs).
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bough/contacts/clearance.hpp"
#include "bough/contacts/given_shape.hpp"
#include "bough/contacts/touch_rows.hpp"
#include "bough/geometry/shape_pair.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/feature_choice.hpp"

namespace bough {
namespace {

constexpr double touching_below = 1e-10;  // of the scale of a gap: what counts as touching
constexpr double to_add_below = 1e-11;    // likewise, of a feature that is to be added
constexpr double point_below = 2e-10;     // likewise, as a point of a rim
constexpr double not_deeper = 1e-9;       // likewise, by which a feature is deeper than its shapes
constexpr double same_place = 1e-9;   // of the size of a shape: how far a feature is from the one that it goes on as
constexpr double of_points = 1e-3;    // the same of points of a rim, which are that far apart
constexpr double not_told = 1e-8;     // likewise: what distances may be off by
constexpr double keep_within = 0.25;  // of the size of a shape: how far apart a pair is kept

class ShapeContact final : public Unilateral {
 public:
  explicit ShapeContact(const ElementRecord& r) : friction_(r.values[0]), restitution_(r.values[1]) {
    const int shapes = static_cast<int>(r.values[2]), pairs = static_cast<int>(r.values[3]);
    const double* x = r.values.data() + 5;
    std::vector<GivenShape> given;
    for (int i = 0; i < shapes; ++i) {
      given.push_back(given_shape(x));
      FramePlace place = r.frames[i];
      place.X = place.X * given[i].pose;
      place.reach += norm(given[i].pose.p);
      bodies_.push_back({place, given[i].shape.reach()});
    }
    for (int k = 0; k < pairs; ++k, x += 2) {
      const int i = static_cast<int>(x[0]), j = static_cast<int>(x[1]);
      ShapePair pair(given[i].shape, given[j].shape);
      const bool swapped = pair.swapped();
      pairs_.push_back({std::move(pair), swapped ? j : i, swapped ? i : j});
      contacts_ += pairs_.back().shapes.features();
    }
    if (pairs > 1) contacts_ = std::min(contacts_, static_cast<int>(r.values[4]));
  }

  int contacts() const override { return contacts_; }
  int tangents() const override { return friction_ > 0.0 ? 2 : 0; }
  double friction(int) const override { return friction_; }
  double restitution(int) const override { return restitution_; }

  void value(const ContactInstant& at, double* phi, double* scale) const override {
    std::fill_n(phi, contacts_, HUGE_VAL);
    std::fill_n(scale, contacts_, 1.0);
    each(at, [&](int i, const Pair& pair, double code) {
      const Poses X = poses(at, pair);
      phi[i] = pair.shapes.gap(code, X.a, X.b).value;
      scale[i] = scale_of(pair, X);
    });
  }
  void gradient(const ContactInstant& at, double* Dphi) const override {  // (GE16)
    each(at, [&](int i, const Pair& pair, double code) {
      double* row = Dphi + static_cast<std::size_t>(i) * at.model.n_variables;
      add_relative_rows(at, joint(pair.a), joint(pair.b), touch_of(at, pair, code), row, nullptr);
    });
  }
  void tangent(const ContactInstant& at, double* T) const override {
    each(at, [&](int i, const Pair& pair, double code) {
      double* rows = T + 2 * static_cast<std::size_t>(i) * at.model.n_variables;
      add_relative_rows(at, joint(pair.a), joint(pair.b), touch_of(at, pair, code), nullptr, rows);
    });
  }
  void touch(const ContactInstant& at, int contact, Touch& out) const override {
    out = touch_of(at, pair_with(at.features[contact]), code_of(at.features[contact]));
  }
  void add_rows(const ContactInstant& at, int contact, const Touch& touch, double* normal,
                double* tangents) const override {
    const Pair& pair = pair_with(at.features[contact]);
    add_relative_rows(at, joint(pair.a), joint(pair.b), touch, normal, tangents);
  }
  // Of the distance of shapes; of other features nothing is known that holds beyond them.
  void travel(const ContactInstant& from, const ContactInstant& to, double* D) const override {
    std::fill_n(D, contacts_, 0.0);
    each(from, [&](int i, const Pair& pair, double code) {
      D[i] = -1.0;
      if ((code != ShapePair::whole && !pair.shapes.single()) || pair.shapes.b().kind() == ShapeKind::plane) return;
      const int stop = fork(from.model, joint(pair.a), joint(pair.b));
      D[i] = way_of(from, to, bodies_[pair.a], stop) + way_of(from, to, bodies_[pair.b], stop);
    });
  }
  bool reach(const Model&, int contact, Reach& out) const override {
    for (std::size_t i = 0; contact == 0 && i < bodies_.size(); ++i)
      out.points.push_back({bodies_[i].place.joint, radius_of(bodies_[i])});
    return true;
  }
  Support support(const Model& model) const override { return relative_support(model, slots_of(bodies_)); }
  bool place(const ContactInstant& at, int contact, Place& out) const override {
    bool found = false;
    each(at, [&](int i, const Pair& pair, double code) {
      if (i != contact) return;
      out = touch_of(at, pair, code);
      found = true;
    });
    return found;
  }

  bool has_features() const override { return true; }
  std::unique_ptr<Memory> memory(const Model& model) const override {
    std::vector<BodyPair> pairs;
    for (const Pair& pair : pairs_) pairs.push_back({pair.a, pair.b});
    return std::make_unique<Clearance>(model, bodies_, pairs, contacts_);
  }
  bool choose_features(const ContactInstant& at, Memory& memory, const char* closed, double* features) const override {
    Clearance& known = static_cast<Clearance&>(memory);
    known.move(at.q);
    bool room = true, leave = !known.remembers(features, closed);
    if (leave) wake_unsettled(known, closed, features);
    known.each_awake([&](int k) {
      const double between = pairs_.size() == 1 ? -HUGE_VAL : between_boxes(at, at, k, keep_within);
      double distance = HUGE_VAL;
      leave |= known.near(k) && between > 0.0;
      known.kinds[k] = Clearance::none;
      if (between <= 0.0) room &= choose_of_pair(at, k, closed, features, &distance, &known.kinds[k]);
      const double told = not_told * scale_of(pairs_[k], poses(at, pairs_[k]));
      known.set(k, between <= 0.0, std::min(distance, std::abs(between)) - told);
    });
    for (int i = 0; leave && i < contacts_; ++i)  // of those that have come apart
      if (features[i] != ShapePair::none && !known.near(pair_of(features[i]))) features[i] = ShapePair::none;
    known.remember(features, closed);
    return room;
  }
  void look(Memory& memory, const double* q) const override { static_cast<Clearance&>(memory).move(q); }
  double left(Memory& memory) const override { return static_cast<Clearance&>(memory).left(); }
  void add_near(const Memory& memory, const double* features, int first, std::vector<int>& found) const override {
    const Clearance& known = static_cast<const Clearance&>(memory);
    for (int i = 0; i < contacts_; ++i)
      if (features[i] != ShapePair::none && !known.apart(pair_of(features[i]))) found.push_back(first + i);
  }
  bool same_pair(double feature, double other) const override {
    return feature != ShapePair::none && other != ShapePair::none && pair_of(feature) == pair_of(other);
  }
  bool continues(double feature, double next) const override {
    return same_pair(feature, next) && pairs_[pair_of(feature)].shapes.continues(code_of(feature), code_of(next));
  }
  bool follows(const ContactInstant& from, const ContactInstant& to, int contact) const override {
    const double feature = from.features[contact];
    if (feature == ShapePair::none) return true;
    const Pair& pair = pairs_[pair_of(feature)];
    if (!pair.shapes.may_run()) return true;
    const Poses start = poses(from, pair), end = poses(to, pair);
    return pair.shapes.follows(code_of(feature), {start.a, end.a}, {start.b, end.b});
  }
  Addition add_features(const ContactInstant& from, const ContactInstant& to, Memory& memory, const char* closed,
                        double* features) const override {
    Addition result = Addition::none;
    const auto add = [&](double feature, double value) {
      const Addition done =
          feature == ShapePair::none ? Addition::none : place_feature(to, feature, value, closed, features);
      if (done != Addition::none) result = result == Addition::no_room ? result : done;
    };
    Clearance& known = static_cast<Clearance&>(memory);
    known.move(from.q);
    known.move(to.q);
    if (!known.remembers(features)) set_kinds(known, features);
    known.each_awake([&](int k) {
      const Pair& pair = pairs_[k];
      if (known.kinds[k] == Clearance::distance) return;
      if (known.kinds[k] == Clearance::none) {
        if (pairs_.size() == 1 || between_boxes(from, to, k, 0.0) <= 0.0)
          add(number(k, pair.shapes.single() ? pair.shapes.only() : ShapePair::whole), -HUGE_VAL);
        return;
      }
      const Poses X = poses(to, pair);
      ShapePair::Found found;
      pair.shapes.find(X.a, X.b, found);
      for (int i = 0; i < found.count; ++i)
        if (found.value[i] < -to_add_below * scale_of(pair, X) && real(found, i, pair, X))
          add(addition(k, found, i, X, features), found.value[i]);
    });
    return result;
  }

 private:
  struct Pair {
    ShapePair shapes;
    int a, b;  // bodies
  };
  struct Poses {
    Pose a, b;
  };
  // The number of a feature of a pair, and back.
  static double number(int pair, double code) { return code + ShapePair::codes * pair; }
  static int pair_of(double feature) { return static_cast<int>(feature / ShapePair::codes); }
  static double code_of(double feature) { return feature - ShapePair::codes * pair_of(feature); }
  // Calls f(contact, pair, code) for those that have a feature.
  template <class F>
  void each(const ContactInstant& at, F f) const {
    if (at.features) return each_of(at.features, f);
    std::vector<double> here(contacts_, ShapePair::none);
    std::vector<char> closed(contacts_, 0);
    choose_features(at, *memory(at.model), closed.data(), here.data());
    each_of(here.data(), f);
  }
  template <class F>
  void each_of(const double* features, F f) const {
    for (int i = 0; i < contacts_; ++i)
      if (features[i] != ShapePair::none) f(i, pair_with(features[i]), code_of(features[i]));
  }
  // The number of a feature may come from a file.
  const Pair& pair_with(double feature) const {
    const double numbers = ShapePair::codes * static_cast<double>(pairs_.size());
    if (!(feature > 0.0 && feature < numbers)) throw std::out_of_range("a number of no pair of shapes");
    return pairs_[pair_of(feature)];
  }

  int joint(int body) const { return bodies_[body].place.joint; }
  Poses poses(const ContactInstant& at, const Pair& pair) const {
    return {pose_of(at, bodies_[pair.a]), pose_of(at, bodies_[pair.b])};
  }
  double scale_of(const Pair& pair, const Poses& X) const {
    const ShapeBody &a = bodies_[pair.a], &b = bodies_[pair.b];
    return a.place.reach + b.place.reach + norm(X.a.p) + norm(X.b.p) + a.reach + finite_reach(b);
  }
  double between_boxes(const ContactInstant& from, const ContactInstant& to, int k, double larger) const {
    return between(box_of(from, to, bodies_[pairs_[k].a], larger), box_of(from, to, bodies_[pairs_[k].b], larger));
  }
  bool is_distance(double feature) const {
    return code_of(feature) == ShapePair::whole || pair_with(feature).shapes.single();
  }

  void set_kinds(Clearance& known, const double* features) const {
    std::fill(known.kinds.begin(), known.kinds.end(), Clearance::none);
    for (int i = 0; i < contacts_; ++i) {
      if (features[i] == ShapePair::none) continue;
      Clearance::Kind& kind = known.kinds[pair_of(features[i])];
      if (kind != Clearance::distance) kind = is_distance(features[i]) ? Clearance::distance : Clearance::others;
    }
  }

  // Pairs that are apart have their distance for a feature; those that have another one, or none, are measured again.
  void wake_unsettled(Clearance& known, const char* closed, const double* features) const {
    for (int i = 0; i < contacts_; ++i)
      if (features[i] != ShapePair::none && (closed[i] || !is_distance(features[i]))) known.wake(pair_of(features[i]));
    set_kinds(known, features);
    int settled = 0;
    for (int k = 0; k < static_cast<int>(pairs_.size()); ++k)
      settled += known.kinds[k] != Clearance::none && known.settled(k);
    if (settled < known.count_settled()) known.forget();
  }

  // distance: of the shapes, none if they touch. kind: of the features that they have then.
  bool choose_of_pair(const ContactInstant& at, int k, const char* closed, double* features, double* distance,
                      Clearance::Kind* kind) const {
    const Pair& pair = pairs_[k];
    bool touches = false;
    for (int i = 0; i < contacts_; ++i)
      touches |= closed[i] && features[i] != ShapePair::none && pair_of(features[i]) == k;
    const Poses X = poses(at, pair);
    *distance = 0.0;
    *kind = Clearance::distance;
    if (pair.shapes.single()) {
      if (!touches) *distance = pair.shapes.gap(pair.shapes.only(), X.a, X.b).value;
      return place_feature(at, number(k, pair.shapes.only()), -HUGE_VAL, closed, features) != Addition::no_room;
    }
    *kind = Clearance::others;
    if (pinned(k, X, closed, features)) return true;
    ShapePair::Found found;
    pair.shapes.find(X.a, X.b, found);
    const bool apart = !touches && found.gap > touching_below * scale_of(pair, X);
    for (int i = 0; i < contacts_; ++i) {
      if (features[i] == ShapePair::none || pair_of(features[i]) != k) continue;
      const double code = code_of(features[i]);
      if (apart ? code == ShapePair::whole : found.has(code)) continue;
      const int next = apart ? -1 : continuation(pair, code, X, found, k, features);
      const bool left = pair.shapes.continues(code, code) &&
                        pair.shapes.gap(code, X.a, X.b).value > touching_below * scale_of(pair, X);
      if (next < 0 && closed[i] >= feature_choice::keeps && code != ShapePair::whole && !left) continue;
      features[i] = next < 0 ? ShapePair::none : number(k, found.code[next]);
    }
    if (apart) {
      *kind = Clearance::distance;
      *distance = std::min(found.gap, pair.shapes.gap(ShapePair::whole, X.a, X.b).value);
      return place_feature(at, number(k, ShapePair::whole), -HUGE_VAL, closed, features) != Addition::no_room;
    }
    bool room = true;
    for (int i = 0; i < found.count; ++i) {
      if (!real(found, i, pair, X)) continue;
      const bool placed =
          place_feature(at, number(k, found.code[i]), found.value[i], closed, features) != Addition::no_room;
      room &= placed || found.value[i] > touching_below * scale_of(pair, X);
    }
    const auto of_pair = [&](double feature) { return feature != ShapePair::none && pair_of(feature) == k; };
    if (std::none_of(features, features + contacts_, of_pair)) *kind = Clearance::none;
    return room;
  }

  // Pins those that are to be, and changes no others; false if there are none.
  bool pinned(int k, const Poses& X, const char* closed, double* features) const {
    bool any = false;
    for (int i = 0; i < contacts_; ++i) {
      if (closed[i] < feature_choice::pinned || features[i] == ShapePair::none || pair_of(features[i]) != k) continue;
      if (closed[i] == feature_choice::pinned_part && !pairs_[k].shapes.is_part(code_of(features[i]))) continue;
      features[i] = number(k, pairs_[k].shapes.pinned(code_of(features[i]), X.a, X.b));
      any = true;
    }
    return any;
  }

  // The feature found that goes on as another one, at the same place; -1 if there is none.
  int continuation(const Pair& pair, double code, const Poses& X, const ShapePair::Found& found, int k,
                   const double* features) const {
    const double close = (pair.shapes.is_pinned(code) ? of_points : same_place) * pair.shapes.a().reach();
    const auto there = [&](double feature) {
      return std::find(features, features + contacts_, feature) != features + contacts_;
    };
    for (int j = 0; j < found.count; ++j)
      if (pair.shapes.continues(code, found.code[j]) && !there(number(k, found.code[j])) &&
          norm(pair.shapes.gap(code, X.a, X.b).on_a - found.place[j]) <= close)
        return j;
    return -1;
  }

  // What a feature that is found at the end of a step is added as: nothing if a part of the same rim tells as much already, a point
  // if points of it touch.
  double addition(int k, const ShapePair::Found& found, int i, const Poses& X, const double* features) const {
    const ShapePair& shapes = pairs_[k].shapes;
    double code = shapes.met(found.code[i]);
    for (int j = 0; j < contacts_; ++j) {
      if (features[j] == ShapePair::none || pair_of(features[j]) != k) continue;
      const double there = code_of(features[j]);
      if (!shapes.continues(there, found.code[i])) continue;
      if (shapes.gap(there, X.a, X.b).value <= found.value[i]) return ShapePair::none;
      if (shapes.is_pinned(there)) code = shapes.pinned(found.code[i], X.a, X.b);
    }
    if (shapes.is_pinned(code) && found.value[i] > -point_below * scale_of(pairs_[k], X)) return ShapePair::none;
    return number(k, code);
  }

  // No feature is deeper than the shapes are in each other: edges that cross only as they are seen along the normal are not near.
  bool real(const ShapePair::Found& found, int i, const Pair& pair, const Poses& X) const {
    return found.value[i] >= 2.0 * std::min(found.gap, 0.0) - not_deeper * scale_of(pair, X);
  }

  // In a free place, or in that of the open one whose gap at an instant is the largest, if it is larger than `value`. Distances of shapes
  // stay where they are, and so does what touches.
  Addition place_feature(const ContactInstant& at, double feature, double value, const char* closed,
                         double* features) const {
    int free = -1;
    for (int i = contacts_ - 1; i >= 0; --i) {
      if (features[i] == feature) return Addition::none;
      if (features[i] == ShapePair::none) free = i;
    }
    const bool full = free < 0;
    for (int i = 0; full && i < contacts_; ++i) {
      if (closed[i] || is_distance(features[i])) continue;
      const Pair& pair = pair_with(features[i]);
      const Poses X = poses(at, pair);
      const double there = pair.shapes.gap(code_of(features[i]), X.a, X.b).value;
      if (there <= std::max(value, touching_below * scale_of(pair, X))) continue;
      value = there;
      free = i;
    }
    if (free < 0) return Addition::no_room;
    features[free] = feature;
    return Addition::made;
  }

  Touch touch_of(const ContactInstant& at, const Pair& pair, double code) const {
    const Poses X = poses(at, pair);
    const Gap g = pair.shapes.gap(code, X.a, X.b);
    const Vec3 across = cross(X.b.R * Vec3(0.41, 0.27, 0.87), g.normal), t = across / norm(across);
    return {{0.5 * (g.on_a + g.on_b), g.normal, {t, cross(g.normal, t)}}, g.value, scale_of(pair, X)};
  }

  double friction_, restitution_;
  std::vector<ShapeBody> bodies_;
  std::vector<Pair> pairs_;
  int contacts_ = 0;
};

}  // namespace

std::shared_ptr<const Unilateral> make_shape_contact(const ElementRecord& record) {
  return std::make_shared<ShapeContact>(record);
}

}  // namespace bough
