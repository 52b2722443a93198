// Logging through spdlog. Front ends choose level and sink with spdlog::set_default_logger.
#pragma once

#include <spdlog/spdlog.h>

namespace orthros::log {
using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;
}  // namespace orthros::log
