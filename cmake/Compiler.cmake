# Warnings and sanitizers. No -ffast-math: NaN matters. No contraction: a fused multiply-add would make
# answers depend on the compiler's mood.
include(CheckPIESupported)

add_compile_options(-ffp-contract=off -fno-math-errno -fno-trapping-math)
add_compile_definitions(_GNU_SOURCE)
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g") # with asserts: CMake's own adds -DNDEBUG
if(PITH_SANITIZE) # gcc takes half as long, and reports need lines alone
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1")
endif()

# What makes a bug in a reader harder to use against the user: canaries on the stack, checked calls of libc, a program
# at a random address, tables of functions that are read-only once it runs. FORTIFY needs an optimiser; a level that
# the user's own flags set stays.
check_pie_supported(LANGUAGES C) # without it, CMAKE_POSITION_INDEPENDENT_CODE is silent about the link
add_compile_options(-fstack-protector-strong)
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
if(NOT PITH_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE") # the sanitizers watch these calls themselves
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()

add_library(pith_warnings INTERFACE)
target_compile_options(pith_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                       -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2
                       $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion>) # clang warns of NAN itself
if(NOT PITH_OPENMP) # its pragmas are not read, nor what is there for them alone
  target_compile_options(pith_warnings INTERFACE -Wno-unknown-pragmas -Wno-unused -Wno-unused-parameter)
endif()
if(PITH_WERROR)
  target_compile_options(pith_warnings INTERFACE -Werror)
endif()

if(PITH_SANITIZE)
  add_compile_options(-fsanitize=${PITH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PITH_SANITIZE})
endif()

# The thread sanitizer knows pthreads, not OpenMP: clang's runtime tells it about forks, joins and barriers
# through Archer, a tool library that lies beside clang's others. Linked in, so that no run can be without.
if(PITH_SANITIZE MATCHES "thread")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-resource-dir OUTPUT_VARIABLE clang_resources
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_library(ARCHER archer HINTS ${clang_resources}/../.. REQUIRED)
  get_filename_component(archer_folder ${ARCHER} DIRECTORY)
  add_link_options(LINKER:--no-as-needed ${ARCHER} LINKER:--as-needed LINKER:-rpath,${archer_folder})
endif()
