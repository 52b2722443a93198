find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME arrows COMMAND ${Python3_EXECUTABLE} ${here}/../support/check_arrows.py ${CMAKE_SOURCE_DIR})
set_tests_properties(arrows PROPERTIES LABELS unit)
