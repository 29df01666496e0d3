/*
 * LZF, which h5py brings along (compression="lzf"), and Zstandard (hdf5plugin). Unpacking only. Others may
 * come as plugins of libhdf5's own; they are loaded here, while libraries can still be opened.
 */
#include "filters.h"

#include <errno.h>
#include <hdf5.h>
#include <liblzf/lzf.h>
#include <stdlib.h>
#include <zstd.h>

enum { LZF = 32000, BLOSC = 32001, LZ4 = 32004, BITSHUFFLE = 32008, ZSTD = 32015, BLOSC2 = 32026 };

/* The unpacked chunk in place of the packed one; 0 tells libhdf5 that it failed. */
static size_t replace(void **buffer, size_t *room, void *unpacked, size_t size)
{
    if (size == 0) {
        free(unpacked);
        return 0;
    }
    free(*buffer);
    *buffer = unpacked;
    *room = size;
    return size;
}

/* h5py notes the size of a chunk as the third number; of texts it is too small, so that is only a beginning.
 */
static size_t unpack_lzf(unsigned flags, size_t count, const unsigned *numbers, size_t bytes, size_t *room,
                         void **buffer)
{
    enum { MOST_RATIO = 100 }; /* of LZF: 264 bytes for 3 */
    size_t size = 0, tried = count > 2 && numbers[2] > 0 ? numbers[2] : bytes;
    void *unpacked = NULL;
    if ((flags & H5Z_FLAG_REVERSE) == 0 || bytes > UINT32_MAX)
        return 0;
    for (; size == 0 && tried <= UINT32_MAX && tried / 2 / MOST_RATIO <= bytes; tried *= 2) {
        free(unpacked);
        unpacked = malloc(tried);
        size = unpacked != NULL ? lzf_decompress(*buffer, (unsigned)bytes, unpacked, (unsigned)tried) : 0;
        if (unpacked == NULL || (size == 0 && errno != E2BIG))
            break;
    }
    return replace(buffer, room, unpacked, size);
}

static size_t unpack_zstd(unsigned flags, size_t count, const unsigned *numbers, size_t bytes, size_t *room,
                          void **buffer)
{
    const unsigned long long claim = ZSTD_getFrameContentSize(*buffer, bytes);
    (void)count;
    (void)numbers;
    if ((flags & H5Z_FLAG_REVERSE) == 0 || claim == 0 || claim >= 1ull << 32) /* no chunk is larger */
        return 0;
    void *unpacked = malloc(claim);
    const size_t size = unpacked != NULL ? ZSTD_decompress(unpacked, claim, *buffer, bytes) : 0;
    return replace(buffer, room, unpacked, ZSTD_isError(size) ? 0 : size);
}

void add_filters(void)
{
    static const H5Z_class2_t ours[] = {
        {H5Z_CLASS_T_VERS, LZF, 0, 1, "lzf", NULL, NULL, unpack_lzf},
        {H5Z_CLASS_T_VERS, ZSTD, 0, 1, "zstd", NULL, NULL, unpack_zstd},
    };
    static const H5Z_filter_t plugins[] = {BLOSC, LZ4, BITSHUFFLE, BLOSC2};
    for (size_t k = 0; k < sizeof ours / sizeof ours[0]; k++)
        (void)H5Zregister(&ours[k]);
    for (size_t k = 0; k < sizeof plugins / sizeof plugins[0]; k++)
        (void)H5Zfilter_avail(plugins[k]);
}
