// Saving what the Phases page shows.
#pragma once

#include <QString>

#include "engine/base/result.hpp"
#include "ui/phases/run_pair.hpp"

class QWidget;

namespace orthros::ui {

enum class ExportFormat { png, svg, csv, json };

const char* suffixOf(ExportFormat format);
// `chart` is drawn for PNG (at twice its size) and SVG; the records are written for CSV and JSON.
Status exportRuns(const RunPair& runs, QWidget* chart, ExportFormat format, const QString& path);

}  // namespace orthros::ui
