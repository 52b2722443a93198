// Reads document files away from the window's thread.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <string>

#include "engine/base/error.hpp"

namespace orthros::ui {

// A document's text, shared by everything that shows or sends it.
struct Document {
  QString name;  // file name without its folder
  QString path;
  std::string utf8;
};
using DocumentPtr = std::shared_ptr<const Document>;

class DocumentReader : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  // Returns at once; ends in `read` or `failed`, in any order for several files.
  void open(const QString& path);

 signals:
  void read(const orthros::ui::DocumentPtr& document);
  void failed(const QString& path, const orthros::Error& error);
};

}  // namespace orthros::ui
