#include "bough/integrators/lane_history.hpp"

#include <algorithm>

namespace bough {

LaneHistory::LaneHistory(int n) : slope_(n, Lane4{}), slope_weights_{}, room_(2 * static_cast<std::size_t>(n)) {
  single_.resize(n, n);
  for (LaneArray& row : ring_) row.assign(n, Lane4{});
  for (int back = 0; back < History::memory; ++back) ages_[back] = weights_[back] = Lane4{};
}

void LaneHistory::start(int lane, const LaneArray& q, const LaneArray& slope, Opening opening) {
  double *at = room_.data(), *v = at + single_.n;
  take_lane(q, lane, at);
  take_lane(slope, lane, v);
  put_lane(slope_, lane, v);
  if (opening != Opening::moving) std::fill_n(v, single_.n, 0.0);
  single_.start(at, v);
  take(lane, single_, History::memory, 0);
  past_[lane].opening = opening;
}

void LaneHistory::rest(int lane) {
  past_[lane] = {};
  set_lane(slope_weights_, lane, 0.0);
  for (int back = 0; back < History::memory; ++back) {
    set_lane(weights_[back], lane, 0.0);
    set_lane(ages_[back], lane, back);
    for (Lane4& number : ring_[back]) set_lane(number, lane, 0.0);
  }
}

void LaneHistory::take(int lane, const History& history, int points, int age) {
  for (int back = 0; back < History::memory; ++back) {  // rows beyond those known have no weight, but must be finite
    const int from = back < history.known ? back : 0;
    put_lane(ring_[(newest_ + History::memory - back) % History::memory], lane, history.row(from));
    set_lane(ages_[back], lane, history.age_of(from));
  }
  past_[lane] = {std::min(history.known, History::memory), history.made_up > 0, points, age, History::memory + 1};
  set_lane(slope_weights_, lane, 0.0);
}

const History& LaneHistory::of(int lane) {
  const Past& past = past_[lane];
  single_.known = past.known;
  single_.made_up = past.made_up ? 1 : 0;
  for (int back = 0; back < past.known; ++back) {
    const int from = past.known - 1 - back;
    take_lane(row(back), lane, single_.past.data() + static_cast<std::size_t>(from) * single_.n);
    single_.age[from] = ages_[back][lane];
  }
  return single_;
}

void LaneHistory::set_weights(int lane, double dt) {
  const Past& past = past_[lane];
  const int points = std::min(past.points, std::max(past.known, past.guides));
  double ages[History::memory] = {}, computed[History::memory];
  for (int back = 0; back < points; ++back) ages[points - 1 - back] = ages_[back][lane];
  const double* weights = polynomial_weights(ages, points, dt, computed);
  for (int back = 0; back < History::memory; ++back)
    set_lane(weights_[back], lane, back < points ? weights[points - 1 - back] : 0.0);
}

// After the node m of a start at the node 0, with m + 1 rows known.
void LaneHistory::set_row_before_start(int lane, double dt) {
  Past& past = past_[lane];
  const int start = past.known - 1, back = 2 * start;  // of the start, and of the row that mirrors the newest one
  const bool all = past.opening == Opening::reversible;
  past.guides = 0;
  if (past.known == History::memory || (!all && start > 1)) {
    past.opening = Opening::none;
    return;
  }
  past.guides = std::min(back + 1, History::memory);
  if (back >= History::memory) return;
  const LaneArray& newest = row(0);
  LaneArray& before = ring_[(newest_ + History::memory - back) % History::memory];
  const double twice = past.opening == Opening::moving ? 2.0 * dt : 0.0;
  for (std::size_t i = 0; i < before.size(); ++i)
    set_lane(before[i], lane, newest[i][lane] - twice * slope_[i][lane]);  // (RL4), (RL5)
  set_lane(ages_[back], lane, 2.0 * ages_[start][lane]);
}

void LaneHistory::guess(double dt, LaneArray& out) {
  bool resting = false;
  for (int lane = 0; lane < lanes; ++lane) {
    Past& past = past_[lane];
    if (past.known == 0) continue;
    if (past.made_up) {
      const bool rests = past.opening == Opening::resting || past.opening == Opening::reversible;
      set_lane(slope_weights_, lane, rests ? 0.5 * dt * dt : 0.0);  // (RL3)
      resting |= rests;
    } else if (dt != dt_) {
      past.opening = Opening::none;
      past.guides = 0;
    }
    if (dt != dt_) past.unsettled = History::memory + 1;
    if (past.unsettled == 0) continue;
    --past.unsettled;
    set_weights(lane, dt);
  }
  dt_ = dt;
  const Lane4* rows[History::memory];
  for (int back = 0; back < History::memory; ++back) rows[back] = row(back).data();
  for (std::size_t i = 0; i < out.size(); ++i) {
    Lane4 sum = weights_[0] * rows[0][i];
    for (int back = 1; back < History::memory; ++back) sum += weights_[back] * rows[back][i];
    out[i] = sum;
  }
  if (!resting) return;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += slope_weights_ * slope_[i];
  slope_weights_ = Lane4{};
}

void LaneHistory::add(const LaneArray& q, double dt) {
  newest_ = (newest_ + 1) % History::memory;
  std::copy(q.begin(), q.end(), ring_[newest_].begin());
  const Lane4 later = broadcast(dt);
  for (int back = History::memory - 1; back > 0; --back) ages_[back] = ages_[back - 1] + later;
  ages_[0] = Lane4{};
  for (int lane = 0; lane < lanes; ++lane) {
    Past& past = past_[lane];
    if (past.known > 0 && past.known < History::memory && !past.made_up) ++past.known;
    past.made_up = false;
    if (past.opening != Opening::none) set_row_before_start(lane, dt);
  }
}

void LaneHistory::choose_soon(int lane) { past_[lane].age = choice_interval; }

void LaneHistory::accepted(int lane) {
  Past& past = past_[lane];
  if (++past.age < choice_interval || past.known < History::memory) return;
  past.age = 0;
  const int points = of(lane).best_points(room_.data());
  if (points != past.points) past.unsettled = std::max(past.unsettled, 1);
  past.points = points;
}

}  // namespace bough
