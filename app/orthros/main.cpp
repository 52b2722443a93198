// orthros: the desktop program.
#include <QApplication>
#include <QIcon>
#include <cstdio>
#include <memory>
#include <vector>

#include "app/orthros/options.hpp"
#include "engine/session/service.hpp"
#include "ui/demonstration/demonstration.hpp"
#include "ui/engine_client/model_slots.hpp"
#include "ui/shell/main_window.hpp"
#include "ui/shell/settings.hpp"

namespace orthros {
namespace {

enum ExitCode { succeeded = 0, failed = 1, usage = 2 };

int report(const std::string& message, ExitCode code) {
  std::fprintf(stderr, "orthros: %s\n", message.c_str());
  return code;
}

void openFirst(ui::MainWindow& window, const Options& options, const Result<ui::Sample>& sample) {
  const auto setUp = setUpOf(options);
  if (setUp)
    window.load(*setUp);
  else
    window.models().failMain(setUp.error());
  if (options.document)
    window.openDocument(*options.document, options.question.value_or(QString()));
  else if (sample)
    window.openDocument(sample->path, options.question.value_or(sample->question));
}

int playDemonstration(QApplication& application, ui::MainWindow& window, const Options& options,
                      const Result<ui::Sample>& sample) {
  if (!sample) return report(sample.error().message(), failed);
  ui::Demonstration demonstration(window, *options.shotFolder);
  QObject::connect(&demonstration, &ui::Demonstration::finished, &application, [&](const QString& error) {
    if (!error.isEmpty()) report(error.toStdString(), failed);
    application.exit(error.isEmpty() ? succeeded : failed);
  });
  demonstration.play(options.question.value_or(sample->question));
  return application.exec();
}

int runWindow(QApplication& application, const Options& options) {
  ui::Theme::instance().install(application, options.theme.value_or(ui::settings::theme()));
  ui::MainWindow window(session::startService());
  window.show();
  const auto sample = ui::sample();
  openFirst(window, options, sample);
  return options.shotFolder ? playDemonstration(application, window, options, sample) : application.exec();
}

// The demonstration needs no display, so it is played without one.
std::vector<char*> withPlatform(int argc, char** argv) {
  static char option[] = "-platform", offscreen[] = "offscreen";
  std::vector<char*> arguments(argv, argv + argc);
  for (const char* argument : arguments) {
    if (std::string_view(argument).substr(0, 6) != "--shot") continue;
    arguments.insert(arguments.begin() + 1, {option, offscreen});
    break;
  }
  arguments.push_back(nullptr);
  return arguments;
}

// Help and mistakes are answered before a display is needed.
Result<Options> parseWithoutDisplay(int argc, char** argv) {
  QStringList words;
  for (int index = 0; index < argc; ++index) words.append(QString::fromLocal8Bit(argv[index]));
  return parseOptions(words);
}

}  // namespace
}  // namespace orthros

int main(int argc, char** argv) {
  using namespace orthros;
  QCoreApplication::setOrganizationName(QStringLiteral("orthros"));
  QCoreApplication::setApplicationName(QStringLiteral("orthros"));
  QCoreApplication::setApplicationVersion(QStringLiteral(ORTHROS_VERSION));
  const auto options = parseWithoutDisplay(argc, argv);
  if (!options) return report(options.error().message(), usage);
  if (options->answer) {
    std::fputs(options->answer->toLocal8Bit().constData(), stdout);
    return succeeded;
  }
  auto arguments = withPlatform(argc, argv);
  int count = static_cast<int>(arguments.size()) - 1;
  QApplication application(count, arguments.data());
  return runWindow(application, *options);
}
