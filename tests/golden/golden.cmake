set(golden_support ${here}/golden_checks.cpp ${here}/golden_support.cpp)
orthros_test(golden_tests LABEL golden
  LINKS orthros::evaluate
  SOURCES ${here}/golden_base_test.cpp ${here}/golden_orthros_test.cpp ${golden_support})
orthros_test(golden_long_tests LABEL golden-long
  LINKS orthros::evaluate
  SOURCES ${here}/golden_long_test.cpp ${golden_support})
