# What `cmake --install` ships: header, both libraries, pkg-config file, CMake package, command, man page,
# shell completions.
include(CMakePackageConfigHelpers)

install(TARGETS pith EXPORT pith-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS pith_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET pith_hdf5)
  install(TARGETS pith_hdf5 RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/pith) # found from where the library lies
endif()
install(FILES include/pith.h include/pith-engine.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The pkg-config file names its folders from where it lies itself, so a moved prefix, or one given only to
# `cmake --install --prefix`, is right too.
foreach(folder LIBDIR INCLUDEDIR)
  string(TOLOWER pc_${folder} name)
  file(RELATIVE_PATH ${name} ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_${folder}})
endforeach()
list(JOIN pith_private_libs " " pc_private_libs)
configure_file(cmake/pith.pc.in pith.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pith.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pith)
set(static_name ${CMAKE_STATIC_LIBRARY_PREFIX}pith${CMAKE_STATIC_LIBRARY_SUFFIX})
configure_package_config_file(cmake/pith-config.cmake.in pith-config.cmake INSTALL_DESTINATION ${package_folder}
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(pith-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pith-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/pith-config-version.cmake
        DESTINATION ${package_folder})
install(EXPORT pith-targets NAMESPACE pith:: DESTINATION ${package_folder})

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

if(TARGET pith_command)
  # The command finds its library wherever the two are moved together.
  file(RELATIVE_PATH to_libdir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(pith_installed PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libdir}" BUILD_WITH_INSTALL_RPATH ON
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/installed)
  install(TARGETS pith_installed RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_BINARY_DIR}/pith.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES cli/completion/pith.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME pith)
  install(FILES cli/completion/pith.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _pith)
  install(FILES cli/completion/pith.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
