/* Filters that are common in .h5ad and not part of libhdf5: see filters.c. */
#ifndef PITH_HDF5_FILTERS_H
#define PITH_HDF5_FILTERS_H

/* Their registered numbers. */
enum {
    FILTER_LZF = 32000,
    FILTER_BLOSC = 32001,
    FILTER_LZ4 = 32004,
    FILTER_BITSHUFFLE = 32008,
    FILTER_ZSTD = 32015,
    FILTER_BLOSC2 = 32026
};

/* To be called once, before files are opened. */
void add_filters(void);

#endif
