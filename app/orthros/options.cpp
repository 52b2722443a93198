#include "app/orthros/options.hpp"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <filesystem>

namespace orthros {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("options", text);
}

void addOptions(QCommandLineParser& parser) {
  parser.setApplicationDescription(
      tr("Asks long documents questions, on this computer, and shows what each phase costs."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addOptions(
      {{"model", tr("Model file (GGUF); the shipped model with its adapter where not given."), "file"},
       {"adapter", tr("Adapter file (low-rank changes of the weights, GGUF) to merge into the model."),
        "file"},
       {"plan",
        tr("Phase plan: a preset's name or a plan file; the adapter's or model's own where not given."),
        "plan"},
       {"document", tr("Text file to open; the sample document where not given."), "file"},
       {"question", tr("Question to put below the document, or to ask in the demonstration."), "text"},
       {"device", tr("Device, by the UUID that orthros-cli devices shows; the best one where not given."),
        "uuid"},
       {"theme", tr("light, dark or system; what was chosen last where not given."), "theme"},
       {"shot", tr("Play the demonstration, save pictures of every page and end."), "folder"}});
}

std::optional<QString> valueOf(const QCommandLineParser& parser, const char* name) {
  const QString option = QString::fromLatin1(name);
  return parser.isSet(option) ? std::optional(parser.value(option)) : std::nullopt;
}

tl::unexpected<Error> usageError(const QString& happened) {
  return fail(ErrorCode::invalidArgument, "arguments", happened.toStdString(),
              "orthros --help lists the options");
}

Result<std::optional<ui::ThemeChoice>> themeOf(const QCommandLineParser& parser) {
  const auto name = valueOf(parser, "theme");
  if (!name) return std::nullopt;
  if (*name == "light") return ui::ThemeChoice::light;
  if (*name == "dark") return ui::ThemeChoice::dark;
  if (*name == "system") return ui::ThemeChoice::system;
  return usageError(tr("have the theme %1, but it is light, dark or system").arg(*name));
}

std::filesystem::path toPath(const QString& path) {
  return std::filesystem::path(path.toStdU16String());
}

}  // namespace

Result<Options> parseOptions(const QStringList& arguments) {
  QCommandLineParser parser;
  addOptions(parser);
  if (!parser.parse(arguments)) return usageError(parser.errorText());
  if (!parser.positionalArguments().isEmpty())
    return usageError(tr("have an unexpected %1").arg(parser.positionalArguments().first()));
  Options options;
  if (parser.isSet("help")) options.answer = parser.helpText();
  if (parser.isSet("version"))
    options.answer = QStringLiteral("%1 %2\n").arg(QCoreApplication::applicationName(),
                                                   QCoreApplication::applicationVersion());
  options.model = valueOf(parser, "model");
  options.adapter = valueOf(parser, "adapter");
  options.plan = valueOf(parser, "plan");
  options.document = valueOf(parser, "document");
  options.question = valueOf(parser, "question");
  options.device = valueOf(parser, "device");
  options.shotFolder = valueOf(parser, "shot");
  ORTHROS_ASSIGN(options.theme, themeOf(parser));
  return options;
}

Result<session::SetUp> setUpOf(const Options& options) {
  session::SetUp setUp;
  if (options.model) {
    setUp.model = toPath(*options.model);
  } else {
    ORTHROS_ASSIGN(setUp, session::defaultSetUp());
  }
  if (options.adapter) setUp.adapter = toPath(*options.adapter);
  if (options.plan) setUp.plan = options.plan->toStdString();
  if (options.device) setUp.deviceUuid = options.device->toStdString();
  return setUp;
}

}  // namespace orthros
