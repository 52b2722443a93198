orthros_test(cli_tests
  LINKS nlohmann_json::nlohmann_json
  SOURCES ${here}/cli_test.cpp)
add_dependencies(cli_tests orthros-cli)
target_compile_definitions(cli_tests PRIVATE ORTHROS_CLI="$<TARGET_FILE:orthros-cli>")
