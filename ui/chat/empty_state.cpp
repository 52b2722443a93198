#include "ui/chat/empty_state.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/engine_client/model_slots.hpp"
#include "ui/format/numbers.hpp"
#include "ui/widgets/bar.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {

using session::Service;

EmptyState::EmptyState(ModelSlots& models, QWidget* parent) : QWidget(parent), models_(models) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  title_ = makeLabel({}, Role::title, this);
  title_->setAlignment(Qt::AlignHCenter);
  title_->setWordWrap(true);
  text_ = makeLabel({}, Role::secondary, this);
  text_->setAlignment(Qt::AlignHCenter);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  bar_ = new Bar(this);
  bar_->setFixedWidth(240);
  suggestion_ = makeButton({}, Role::primary, this);
  openDocument_ = makeButton(tr("Open document"), Role::plain, this);
  openModel_ = makeButton(tr("Open model"), Role::plain, this);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addStretch(1);
  buttons->addWidget(openDocument_);
  buttons->addWidget(openModel_);
  buttons->addStretch(1);
  column->addStretch(2);
  column->addWidget(title_);
  column->addWidget(text_);
  column->addSpacing(4);
  column->addWidget(bar_, 0, Qt::AlignHCenter);
  column->addWidget(suggestion_, 0, Qt::AlignHCenter);
  column->addLayout(buttons);
  column->addStretch(3);
  connect(suggestion_, &QPushButton::clicked, this, [this] { emit questionChosen(question_); });
  connect(openDocument_, &QPushButton::clicked, this, &EmptyState::openDocumentRequested);
  connect(openModel_, &QPushButton::clicked, this, &EmptyState::openModelRequested);
  connect(&models_, &ModelSlots::changed, this, &EmptyState::refresh);
  connect(&models_, &ModelSlots::progressed, this, &EmptyState::showProgress);
  refresh();
}

void EmptyState::setSuggestion(const QString& documentName, const QString& question) {
  documentName_ = documentName;
  question_ = question;
  refresh();
}

void EmptyState::refresh() {
  const ModelSlots::State state = models_.state(Service::mainSlot);
  bar_->setVisible(state == ModelSlots::State::loading);
  suggestion_->setVisible(!question_.isEmpty() && state != ModelSlots::State::failed &&
                          state != ModelSlots::State::none);
  suggestion_->setEnabled(state == ModelSlots::State::ready);
  suggestion_->setText(question_);
  if (state == ModelSlots::State::failed) showFailure();
  if (state == ModelSlots::State::none || state == ModelSlots::State::ready) showInvitation();
  if (state == ModelSlots::State::loading) showProgress();
}

void EmptyState::showProgress() {
  if (models_.state(Service::mainSlot) != ModelSlots::State::loading) return;
  const StageProgress& progress = models_.progress(Service::mainSlot);
  title_->setText(tr("Loading the model"));
  const bool known = progress.total > 0;
  const double fraction =
      known ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0;
  text_->setText(
      known ? QStringLiteral("%1 · %2").arg(QString::fromStdString(progress.stage), percentText(fraction))
            : tr("Reading the file and preparing the device"));
  bar_->setFraction(fraction);
}

void EmptyState::showFailure() {
  title_->setText(tr("The model could not be loaded"));
  text_->setText(QString::fromStdString(models_.error(Service::mainSlot).message()));
}

void EmptyState::showInvitation() {
  if (models_.state(Service::mainSlot) == ModelSlots::State::none) {
    title_->setText(tr("No model is open"));
    text_->setText(tr("Open a GGUF file to begin."));
    return;
  }
  title_->setText(tr("Ask a long document a question"));
  text_->setText(
      documentName_.isEmpty()
          ? tr("Open or drop a text file. It is read through a sliding window; the answer sees all of it.")
          : tr("%1 is open on the right. It is read through a sliding window; the answer sees all of it.")
                .arg(documentName_));
}

}  // namespace orthros::ui
