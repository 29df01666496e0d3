/* Ways of packing that people use for .h5ad and that libhdf5 does not bring: see filters.c. */
#ifndef PITH_HDF5_FILTERS_H
#define PITH_HDF5_FILTERS_H

/* Once, before files are opened. */
void add_filters(void);

#endif
