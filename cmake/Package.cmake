# `cpack` in the build folder makes a .deb of what `cmake --install` ships; with CPackSourceConfig.cmake it makes
# the tarball of the sources. `make package` calls both.
set(CPACK_PACKAGE_NAME pith)
set(CPACK_PACKAGE_VENDOR pith)
set(CPACK_PACKAGE_CONTACT "the pith developers")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${PROJECT_SOURCE_DIR}/cmake/description.txt)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/build/packages)
set(CPACK_STRIP_FILES ON)

set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# What libpith is linked with is read off it; WordNet is read by `pith tree wordnet` alone.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS wordnet-base)

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME pith-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "/[.]git/" "/[.]git$" "^${PROJECT_SOURCE_DIR}/build/" "/__pycache__/" "[.]egg-info/"
    "/python/build/" "/r/src/[^/]*[.]s?o$" "/r/src/Makevars$")
include(CPack)
