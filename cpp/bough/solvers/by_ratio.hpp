// From a variable to the parameter of a joint, or back, in a right-hand side or a row.
#pragma once

namespace bough {

// Of most joints the ratio is one, and a division takes as long as five products.
inline double by_ratio(double x, double ratio) { return ratio == 1.0 ? x : x / ratio; }

}  // namespace bough
