#include "ui/engine_client/document_reader.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>
#include <filesystem>

#include "engine/documents/text_file.hpp"

namespace orthros::ui {

void DocumentReader::open(const QString& path) {
  QThreadPool::globalInstance()->start([guard = QPointer<DocumentReader>(this), path] {
    auto text = documents::readTextFile(std::filesystem::path(path.toStdU16String()));
    const auto report = [guard, path, text = std::move(text)] {
      if (!guard) return;
      if (!text) {
        emit guard->failed(path, text.error());
        return;
      }
      emit guard->read(std::make_shared<const Document>(Document{QFileInfo(path).fileName(), path, *text}));
    };
    // Through the application, not through the reader: the reader may be gone by then.
    if (qApp) QMetaObject::invokeMethod(qApp, report, Qt::QueuedConnection);
  });
}

}  // namespace orthros::ui
