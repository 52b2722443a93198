# orthros_ui_test(NAME): one Qt Test executable from NAME.cpp, run without a display.
if(NOT TARGET orthros::ui)
  return()
endif()
find_package(Qt6 6.4 REQUIRED COMPONENTS Svg Test)

function(orthros_ui_test name)
  add_executable(${name} ${here}/${name}.cpp ${here}/../support/fake_service.cpp)
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_link_libraries(${name} PRIVATE orthros::ui Qt6::Svg Qt6::Test)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    LABELS ui
    TIMEOUT 120
    RUN_SERIAL TRUE  # they measure how long the window's thread is held
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8")
endfunction()

orthros_ui_test(ui_markdown_test)
orthros_ui_test(ui_stream_test)
orthros_ui_test(ui_chat_test)
orthros_ui_test(ui_window_test)
orthros_ui_test(ui_phases_test)
