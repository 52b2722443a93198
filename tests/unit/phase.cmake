orthros_test(phase_tests
  LINKS orthros::phase
  SOURCES ${here}/phase_intervals_test.cpp ${here}/phase_spans_test.cpp ${here}/phase_presets_test.cpp
          ${here}/phase_plan_gguf_test.cpp ${here}/phase_plan_json_test.cpp)
