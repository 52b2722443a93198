#include "ui/demonstration/pictures.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QEvent>
#include <QImage>
#include <QWidget>

#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

// Brings sizes up to date after a change of style, without taking events of the engine or the person.
void settleLayout() {
  for (int round = 0; round < 4; ++round) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::Polish);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::Resize);
  }
}

Status savePicture(QWidget& window, const QString& path, int scale) {
  QImage image(window.size() * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(Theme::instance().tokens().window);
  window.render(&image);
  if (!image.save(path))
    return fail(ErrorCode::io, path.toStdString(), "could not be written",
                "Choose a folder that can be written to");
  return {};
}

}  // namespace

Status savePictures(QWidget& window, const QString& folder, const QString& name, int scale) {
  Theme& theme = Theme::instance();
  const ThemeChoice before = theme.choice();
  const QString size =
      scale == 1 ? QString()
                 : QStringLiteral("-%1x%2").arg(window.width() * scale).arg(window.height() * scale);
  Status status;
  for (const auto& [choice, suffix] :
       {std::pair(ThemeChoice::light, "light"), std::pair(ThemeChoice::dark, "dark")}) {
    theme.choose(choice);
    settleLayout();
    const QString file = QStringLiteral("%1-%2%3.png").arg(name, QLatin1String(suffix), size);
    if (status) status = savePicture(window, QDir(folder).filePath(file), scale);
  }
  theme.choose(before);
  settleLayout();
  return status;
}

}  // namespace orthros::ui
