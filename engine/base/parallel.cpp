#include "engine/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace orthros {

void parallelFor(size_t count, const std::function<void(size_t)>& body) {
  const size_t threads = std::min<size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::jthread> helpers;
  for (size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
  work();
}

}  // namespace orthros
