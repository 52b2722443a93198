#include "ui/phases/export.hpp"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <QWidget>
#include <filesystem>

#include "engine/base/file.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

std::string pngOf(QWidget* chart) {
  constexpr int scale = 2;
  QImage image(chart->size() * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(Theme::instance().tokens().window);
  chart->render(&image, QPoint(), QRegion(), QWidget::DrawChildren);
  QBuffer buffer;
  image.save(&buffer, "PNG");
  return buffer.data().toStdString();
}

std::string svgOf(QWidget* chart) {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(chart->size());
  generator.setViewBox(chart->rect());
  generator.setTitle(QStringLiteral("Orthros"));
  QPainter painter(&generator);
  painter.fillRect(chart->rect(), Theme::instance().tokens().window);
  chart->render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
  painter.end();
  return buffer.data().toStdString();
}

}  // namespace

const char* suffixOf(ExportFormat format) {
  switch (format) {
    case ExportFormat::png:
      return "png";
    case ExportFormat::svg:
      return "svg";
    case ExportFormat::csv:
      return "csv";
    case ExportFormat::json:
      return "json";
  }
  return "";
}

Status exportRuns(const RunPair& runs, QWidget* chart, ExportFormat format, const QString& path) {
  if (!runs.main)
    return fail(ErrorCode::invalidArgument, "export", "has no run to save", "Ask a question first");
  std::string contents;
  switch (format) {
    case ExportFormat::png:
      contents = pngOf(chart);
      break;
    case ExportFormat::svg:
      contents = svgOf(chart);
      break;
    case ExportFormat::csv:
      contents = toCsv(runs).toStdString();
      break;
    case ExportFormat::json:
      contents = toJsonText(runs);
      break;
  }
  return writeFileAtomically(std::filesystem::path(path.toStdU16String()), contents);
}

}  // namespace orthros::ui
