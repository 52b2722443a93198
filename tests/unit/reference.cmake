orthros_test(reference_tests
  LINKS orthros::reference nlohmann_json::nlohmann_json
  SOURCES ${here}/reference_operations_test.cpp ${here}/reference_model_test.cpp ${here}/reference_golden_test.cpp
          ${here}/../property/reference_tiny_model.cpp)
