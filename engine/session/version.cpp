#include "engine/session/version.hpp"

namespace orthros::session {

const char* programVersion() {
  return "orthros " ORTHROS_VERSION;
}

}  // namespace orthros::session
