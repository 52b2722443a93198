// What the desktop program was started with.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "engine/base/result.hpp"
#include "engine/session/set_up.hpp"
#include "ui/theme/theme.hpp"

namespace orthros {

struct Options {
  std::optional<QString> model, adapter, plan, document, question, device;
  std::optional<ui::ThemeChoice> theme;
  std::optional<QString> shotFolder;  // plays the demonstration
  std::optional<QString> answer;      // set where there is nothing to start: text for --help and --version
};

// Error invalidArgument with the parser's own words where the arguments make no sense.
Result<Options> parseOptions(const QStringList& arguments);

// The set-up that the options name; the shipped model where they name none.
Result<session::SetUp> setUpOf(const Options& options);

}  // namespace orthros
