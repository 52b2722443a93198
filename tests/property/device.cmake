orthros_test(device_property_tests
  LABEL property
  WHOLE
  LINKS orthros::model orthros::reference
  SOURCES
    ${here}/device_failure_test.cpp
    ${here}/device_model_fixture.cpp
    ${here}/device_phase_test.cpp
    ${here}/random_conversations.cpp)
