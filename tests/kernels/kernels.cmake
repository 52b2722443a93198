orthros_test(kernel_tests
  LABEL kernels
  WHOLE
  LINKS orthros::model orthros::reference
  SOURCES
    ${here}/attention_test.cpp
    ${here}/cache_rows.cpp
    ${here}/kernel_fixture.cpp
    ${here}/projection_test.cpp
    ${here}/row_operations_test.cpp)
