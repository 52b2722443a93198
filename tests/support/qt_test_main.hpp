// main for a Qt Test class: the program's look, settings of its own, no display.
#pragma once

#include <QApplication>
#include <QStandardPaths>
#include <QtTest>

#include "ui/theme/theme.hpp"

#define ORTHROS_QT_TEST_MAIN(TestClass)                                                   \
  int main(int argc, char** argv) {                                                       \
    QStandardPaths::setTestModeEnabled(true);                                             \
    QApplication application(argc, argv);                                                 \
    QCoreApplication::setOrganizationName(QStringLiteral("orthros-test"));                \
    QCoreApplication::setApplicationName(QStringLiteral(#TestClass));                     \
    orthros::ui::Theme::instance().install(application, orthros::ui::ThemeChoice::light); \
    TestClass test;                                                                       \
    return QTest::qExec(&test, argc, argv);                                               \
  }
