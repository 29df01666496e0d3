# What libpith stands on, as one target.
find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
pkg_check_modules(BLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(ARPACK REQUIRED IMPORTED_TARGET arpack)
pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

add_library(pith_dependencies INTERFACE)
target_link_libraries(pith_dependencies INTERFACE OpenMP::OpenMP_C ZLIB::ZLIB PkgConfig::BLAS
                      PkgConfig::ARPACK PkgConfig::MATIO PkgConfig::HDF5 PkgConfig::LIBZIP m)
