orthros_test(template_tests
  LINKS orthros::templates
  SOURCES
    ${here}/../support/jinja_oracle.cpp
    ${here}/text_template_limits_test.cpp
    ${here}/text_template_models_test.cpp
    ${here}/text_template_segments_test.cpp
    ${here}/text_template_snippets_test.cpp)
