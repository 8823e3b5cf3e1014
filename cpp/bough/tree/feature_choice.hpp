// What becomes of the feature of a contact if features are chosen anew: the numbers that `Unilateral::choose_features` is given,
// one for each contact. From `keeps` on, a contact goes on with the feature it has.
#pragma once

namespace bough::feature_choice {

inline constexpr char open = 0;         // a contact that is open
inline constexpr char closed = 1;       // a contact that is closed, and whose feature is found again
inline constexpr char keeps = 2;        // a contact that keeps its feature
inline constexpr char meets = 3;        // a contact that is not closed, and keeps its feature at an impact
inline constexpr char pinned = 4;       // a contact whose feature is pinned
inline constexpr char pinned_part = 5;  // likewise, if the feature is a part of a rim; others keep theirs

}  // namespace bough::feature_choice
