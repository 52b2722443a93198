# The cases named Thorough repeat others in another precision, or take minutes without a GPU.
orthros_test(golden_tests LABEL golden WHOLE FILTER "-Thorough/*"
  LINKS orthros::evaluate
  SOURCES
    ${here}/golden_base_test.cpp
    ${here}/golden_checks.cpp
    ${here}/golden_orthros_test.cpp
    ${here}/golden_support.cpp)
orthros_whole_test(golden_tests_thorough golden_tests thorough "Thorough/*")
