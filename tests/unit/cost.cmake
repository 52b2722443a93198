orthros_test(cost_tests
  LINKS orthros::cost
  SOURCES ${here}/cost_prediction_test.cpp ${here}/cost_events_test.cpp ${here}/cost_rates_test.cpp)
