orthros_test(reference_property_tests
  LABEL property
  LINKS orthros::reference
  SOURCES ${here}/random_conversations.cpp ${here}/reference_phase_test.cpp ${here}/reference_tiny_model.cpp)
