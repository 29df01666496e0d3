/*
 * The filters LZF, which comes with h5py (compression="lzf"), and Zstandard (hdf5plugin). Others may be
 * installed as plugins of libhdf5; they are loaded here, while libraries can still be opened.
 */
#include "filters.h"

#include <errno.h>
#include <hdf5.h>
#include <liblzf/lzf.h>
#include <stdlib.h>
#include <zstd.h>

/* Replaces the chunk by the new one; 0 tells libhdf5 that the filter failed. */
static size_t replace(void **buffer, size_t *room, void *made, size_t size)
{
    if (size == 0) {
        free(made);
        return 0;
    }
    free(*buffer);
    *buffer = made;
    *room = size;
    return size;
}

/* Fails unless the result is smaller: libhdf5 then stores the chunk as it is. */
static size_t pack_lzf(size_t bytes, size_t *room, void **buffer)
{
    void *packed = bytes > 1 ? malloc(bytes) : NULL;
    const size_t size =
        packed != NULL ? lzf_compress(*buffer, (unsigned)bytes, packed, (unsigned)bytes - 1) : 0;
    return replace(buffer, room, packed, size);
}

/* The filter's numbers as in h5py: versions of the filter and of LZF, and the bytes of a chunk. */
static herr_t note_chunk_size(hid_t plan, hid_t type, hid_t space)
{
    enum { FILTER_VERSION = 4, NUMBERS = 3 };
    hsize_t dims[H5S_MAX_RANK];
    unsigned flags = 0, numbers[NUMBERS] = {FILTER_VERSION, LZF_VERSION, 0};
    size_t count = 0, bytes = H5Tget_size(type);
    const int rank = H5Pget_chunk(plan, H5S_MAX_RANK, dims);
    (void)space;
    for (int k = 0; k < rank; k++)
        bytes *= (size_t)dims[k];
    numbers[2] = bytes <= UINT32_MAX ? (unsigned)bytes : 0;
    if (rank < 0 || H5Pget_filter_by_id2(plan, FILTER_LZF, &flags, &count, NULL, 0, NULL, NULL) < 0)
        return -1;
    return H5Pmodify_filter(plan, FILTER_LZF, flags, NUMBERS, numbers);
}

/* h5py stores the size of a chunk as the third number. For texts it is too small, so it is only a first
 * guess. */
static size_t filter_lzf(unsigned flags, size_t count, const unsigned *numbers, size_t bytes, size_t *room,
                         void **buffer)
{
    enum { MOST_RATIO = 100 }; /* of LZF: 264 bytes from 3 */
    size_t size = 0, tried = count > 2 && numbers[2] > 0 ? numbers[2] : bytes;
    void *unpacked = NULL;
    if (bytes > UINT32_MAX)
        return 0;
    if ((flags & H5Z_FLAG_REVERSE) == 0)
        return pack_lzf(bytes, room, buffer);
    for (; size == 0 && tried <= UINT32_MAX && tried / 2 / MOST_RATIO <= bytes; tried *= 2) {
        free(unpacked);
        unpacked = malloc(tried);
        size = unpacked != NULL ? lzf_decompress(*buffer, (unsigned)bytes, unpacked, (unsigned)tried) : 0;
        if (unpacked == NULL || (size == 0 && errno != E2BIG))
            break;
    }
    return replace(buffer, room, unpacked, size);
}

static size_t pack_zstd(int level, size_t bytes, size_t *room, void **buffer)
{
    const size_t most = ZSTD_compressBound(bytes);
    void *packed = malloc(most);
    const size_t size = packed != NULL ? ZSTD_compress(packed, most, *buffer, bytes, level) : 0;
    return replace(buffer, room, packed, ZSTD_isError(size) ? 0 : size);
}

static size_t filter_zstd(unsigned flags, size_t count, const unsigned *numbers, size_t bytes, size_t *room,
                          void **buffer)
{
    if ((flags & H5Z_FLAG_REVERSE) == 0)
        return pack_zstd(count > 0 ? (int)numbers[0] : ZSTD_CLEVEL_DEFAULT, bytes, room, buffer);
    const unsigned long long claim = ZSTD_getFrameContentSize(*buffer, bytes);
    if (claim == 0 || claim >= 1ull << 32) /* no chunk is larger */
        return 0;
    void *unpacked = malloc(claim);
    const size_t size = unpacked != NULL ? ZSTD_decompress(unpacked, claim, *buffer, bytes) : 0;
    return replace(buffer, room, unpacked, ZSTD_isError(size) ? 0 : size);
}

void add_filters(void)
{
    static const H5Z_class2_t ours[] = {
        {H5Z_CLASS_T_VERS, FILTER_LZF, 1, 1, "lzf", NULL, note_chunk_size, filter_lzf},
        {H5Z_CLASS_T_VERS, FILTER_ZSTD, 1, 1, "zstd", NULL, NULL, filter_zstd},
    };
    static const H5Z_filter_t plugins[] = {FILTER_BLOSC, FILTER_LZ4, FILTER_BITSHUFFLE, FILTER_BLOSC2};
    for (size_t k = 0; k < sizeof ours / sizeof ours[0]; k++)
        (void)H5Zregister(&ours[k]);
    for (size_t k = 0; k < sizeof plugins / sizeof plugins[0]; k++)
        (void)H5Zfilter_avail(plugins[k]);
}
