#pragma once

namespace orthros::session {

// "orthros 0.1.0", as records and `--version` show it.
const char* programVersion();

}  // namespace orthros::session
