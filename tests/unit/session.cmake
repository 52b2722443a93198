orthros_test(session_tests
  LINKS orthros::session
  SOURCES
    ${here}/session_job_queue_test.cpp
    ${here}/session_layout_test.cpp
    ${here}/session_planning_test.cpp
    ${here}/session_prompt_lookup_test.cpp
    ${here}/session_prompt_test.cpp
    ${here}/session_run_record_test.cpp
    ${here}/session_sampler_test.cpp
    ${here}/session_session_test.cpp
    ${here}/session_stop_sequences_test.cpp)

orthros_test(evaluate_tests
  LINKS orthros::evaluate
  SOURCES ${here}/session_evaluate_test.cpp)
