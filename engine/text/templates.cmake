# Chat templates: a Jinja interpreter and what turns conversations into text with it.
find_package(ICU REQUIRED COMPONENTS uc)

set(jinja_folder ${CMAKE_CURRENT_SOURCE_DIR}/jinja)
orthros_room(templates
  LINKS orthros::base nlohmann_json::nlohmann_json ICU::uc
  SOURCES
    ${CMAKE_CURRENT_SOURCE_DIR}/chat_template.cpp
    ${jinja_folder}/access.cpp
    ${jinja_folder}/arithmetic.cpp
    ${jinja_folder}/builtin.cpp
    ${jinja_folder}/characters.cpp
    ${jinja_folder}/compare.cpp
    ${jinja_folder}/container_methods.cpp
    ${jinja_folder}/evaluator_expressions.cpp
    ${jinja_folder}/evaluator_functions.cpp
    ${jinja_folder}/evaluator_statements.cpp
    ${jinja_folder}/format.cpp
    ${jinja_folder}/json.cpp
    ${jinja_folder}/json_input.cpp
    ${jinja_folder}/lexer.cpp
    ${jinja_folder}/loop.cpp
    ${jinja_folder}/number_filters.cpp
    ${jinja_folder}/parser_expressions.cpp
    ${jinja_folder}/parser_primaries.cpp
    ${jinja_folder}/parser_statements.cpp
    ${jinja_folder}/parser_tokens.cpp
    ${jinja_folder}/print.cpp
    ${jinja_folder}/selection_filters.cpp
    ${jinja_folder}/sequence_filters.cpp
    ${jinja_folder}/string_literal.cpp
    ${jinja_folder}/text.cpp
    ${jinja_folder}/text_filters.cpp
    ${jinja_folder}/text_methods.cpp
    ${jinja_folder}/text_operations.cpp
    ${jinja_folder}/text_queries.cpp
    ${jinja_folder}/value.cpp
    ${jinja_folder}/value_tests.cpp)
