// A loop over independent items on all cores. For load-time work: repacking weights, merging adapters.
#pragma once

#include <cstddef>
#include <functional>

namespace orthros {

// Calls body(i) for each i in [0, count), on up to one thread per core. Returns when all are done.
// The body must not throw.
void parallelFor(size_t count, const std::function<void(size_t)>& body);

}  // namespace orthros
