# What libpith stands on, as one target; and the same as a linker line for those who link libpith.a.
find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
pkg_check_modules(BLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(ARPACK REQUIRED IMPORTED_TARGET arpack)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
# Snowball's stemmers come without a pkg-config file.
find_library(STEMMER_LIBRARY stemmer REQUIRED)
find_path(STEMMER_INCLUDE libstemmer.h REQUIRED)

# Of pith-hdf5 alone: ways in which HDF5 files are packed.
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_library(LZF_LIBRARY lzf REQUIRED)
find_path(LZF_INCLUDE liblzf/lzf.h REQUIRED)

add_library(pith_dependencies INTERFACE)
target_link_libraries(pith_dependencies INTERFACE OpenMP::OpenMP_C ZLIB::ZLIB PkgConfig::BLAS
                      PkgConfig::ARPACK PkgConfig::HDF5 PkgConfig::LIBZIP PkgConfig::JANSSON
                      PkgConfig::UTF8PROC ${STEMMER_LIBRARY} m)
target_include_directories(pith_dependencies SYSTEM INTERFACE ${STEMMER_INCLUDE})

# Written out, not as Requires.private: pkg-config would then want every one of these packages from those
# who link the shared library, and libzip's own private list names libraries that Debian's does not need.
set(pith_private_libs ${ARPACK_LDFLAGS} ${HDF5_LDFLAGS} ${LIBZIP_LDFLAGS} ${JANSSON_LDFLAGS}
    ${UTF8PROC_LDFLAGS} -lstemmer ${BLAS_LDFLAGS} -lz)
foreach(name ${OpenMP_C_LIB_NAMES})
  list(APPEND pith_private_libs -l${name})
endforeach()
list(APPEND pith_private_libs -lm)
list(REMOVE_DUPLICATES pith_private_libs)
