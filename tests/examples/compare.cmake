# Runs PROGRAM; fails unless it exits with 0 and prints what EXPECTED holds.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE said RESULT_VARIABLE status)
file(READ ${EXPECTED} wanted)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM}: exit ${status}")
elseif(NOT said STREQUAL wanted)
  message(FATAL_ERROR "${PROGRAM} said:\n${said}and not:\n${wanted}")
endif()
