#include "bough/tree/workspace.hpp"

namespace bough {

Workspace& workspace(const Model& model) {
  thread_local Workspace scratch;
  scratch.fit(model);
  return scratch;
}

}  // namespace bough
