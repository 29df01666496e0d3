# Warnings and sanitizers. No -ffast-math: NaN matters. No contraction: a fused multiply-add would make
# answers depend on the compiler's mood.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-trapping-math)
add_compile_definitions(_GNU_SOURCE)

add_library(pith_warnings INTERFACE)
target_compile_options(pith_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                       -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2
                       -Wdouble-promotion)
if(PITH_WERROR)
  target_compile_options(pith_warnings INTERFACE -Werror)
endif()

if(PITH_SANITIZE)
  add_compile_options(-fsanitize=${PITH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PITH_SANITIZE})
endif()
