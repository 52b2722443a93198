// Pictures of the window, for the demonstration and for documentation.
#pragma once

#include <QString>

#include "engine/base/result.hpp"

class QWidget;

namespace orthros::ui {

// Writes NAME-light.png and NAME-dark.png, each `scale` times the window's size (a scale other than 1 adds
// the size in pixels to the name). The theme is as before afterwards.
Status savePictures(QWidget& window, const QString& folder, const QString& name, int scale);

}  // namespace orthros::ui
