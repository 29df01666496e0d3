/*
 * HDF5 files that were broken on purpose: each is a good file with some bytes of its structure changed and
 * every checksum over them made right again, so that libhdf5 believes what it reads. All kinds of structure
 * are there: superblocks 0, 2 and 3; groups of the old kind, compact and dense; compact and dense attributes;
 * every kind of index over chunks; texts of variable length; references.
 *
 *     hdf5_mutants [COUNT [SEED]]
 *
 * Every one must be read or refused by one line, within the time that the reader has, and leave no process,
 * no open file and no memory behind. Of those .h5ad that are read, some columns and rows are written to
 * another, with all else that they hold: that, too, must succeed or be refused, and then leave no file.
 */
#include "core/core.h"
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 12, COLUMNS = 6, MOST_BYTES = 1 << 18, MOST_BLOCKS = 512, SECONDS = 60 };

/* ---- Good files ---------------------------------------------------------------------------------- */

static hid_t must(hid_t id)
{
    if (id < 0)
        fuzz_fail("libhdf5 cannot make a good file", "");
    return id;
}

static void put_attribute(hid_t at, const char *name, hid_t type, int count, const void *value)
{
    const hsize_t size = (hsize_t)count;
    const hid_t space = must(count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL));
    const hid_t a = must(H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    (void)must(H5Awrite(a, type, value));
    (void)H5Aclose(a);
    (void)H5Sclose(space);
}

static void put_text(hid_t at, const char *name, const char *value)
{
    const hid_t type = must(H5Tcopy(H5T_C_S1));
    (void)must(H5Tset_size(type, H5T_VARIABLE));
    put_attribute(at, name, type, 0, (const void *)&value);
    (void)H5Tclose(type);
}

/* How a dataset's chunks are found again hangs on its dimensions and on when they get their place. */
typedef enum layout { CONTIGUOUS, SINGLE, IMPLICIT, FIXED, EXTENSIBLE, TREE, PACKED, LAYOUTS } layout;

static hid_t put_array(hid_t at, const char *name, hid_t type, hid_t memory, int rank, const hsize_t *dims,
                       layout how, const void *values)
{
    const hsize_t open[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, half_open[2] = {H5S_UNLIMITED, dims[rank - 1]};
    const hsize_t small[2] = {2, 3};
    const hid_t plan = must(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = must(H5Screate_simple(rank, dims,
                                              how == TREE         ? open
                                              : how == EXTENSIBLE ? half_open
                                                                  : NULL));
    if (how != CONTIGUOUS)
        (void)must(H5Pset_chunk(plan, rank, how == SINGLE ? dims : small));
    if (how == IMPLICIT)
        (void)must(H5Pset_alloc_time(plan, H5D_ALLOC_TIME_EARLY));
    if (how == PACKED)
        (void)must(H5Pset_deflate(plan, 4));
    const hid_t d = must(H5Dcreate2(at, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT));
    (void)must(H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    (void)H5Sclose(space);
    (void)H5Pclose(plan);
    return d;
}

static void put_texts(hid_t at, const char *name, int count, bool variable)
{
    const char *texts[ROWS];
    char fixed[ROWS][12] = {{0}}, names[ROWS][12];
    const hsize_t size = (hsize_t)count;
    const hid_t type = must(H5Tcopy(H5T_C_S1));
    for (int k = 0; k < count; k++) {
        (void)snprintf(names[k], sizeof names[k], "%s%d", name, k);
        (void)strcpy(fixed[k], names[k]);
        texts[k] = names[k];
    }
    (void)must(H5Tset_size(type, variable ? H5T_VARIABLE : sizeof fixed[0]));
    (void)H5Dclose(put_array(at, name, type, type, 1, &size, CONTIGUOUS,
                             variable ? (const void *)texts : (const void *)fixed));
    (void)H5Tclose(type);
}

static hid_t put_group(hid_t at, const char *name)
{
    return must(H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void put_table(hid_t file, const char *name, int count, bool variable)
{
    static const int8_t codes[ROWS] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    const hsize_t size = ROWS;
    const hid_t g = put_group(file, name);
    put_text(g, "_index", "id");
    put_texts(g, "id", count, variable);
    if (count == ROWS) {
        const hid_t label = put_group(g, "label");
        (void)H5Dclose(put_array(label, "codes", H5T_STD_I8LE, H5T_NATIVE_INT8, 1, &size, SINGLE, codes));
        put_texts(label, "categories", 2, variable);
        (void)H5Gclose(label);
    }
    (void)H5Gclose(g);
}

static void put_sparse(hid_t file, layout how)
{
    float data[ROWS * 3];
    int32_t indices[ROWS * 3];
    int64_t pointers[ROWS + 1] = {0};
    const int64_t shape[2] = {ROWS, COLUMNS};
    const hsize_t entries = ROWS * 3, rows = ROWS + 1;
    for (int i = 0; i < ROWS * 3; i++) {
        data[i] = (float)(i + 1);
        indices[i] = 2 * (i % 3);
        pointers[i / 3 + 1] = i + 1;
    }
    const hid_t g = put_group(file, "X");
    put_text(g, "encoding-type", "csr_matrix");
    put_attribute(g, "shape", H5T_NATIVE_INT64, 2, shape);
    (void)H5Dclose(put_array(g, "data", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1, &entries, how, data));
    (void)H5Dclose(put_array(g, "indices", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, &entries, how, indices));
    (void)H5Dclose(put_array(g, "indptr", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &rows, CONTIGUOUS, pointers));
    (void)H5Gclose(g);
}

/* More links and attributes than an object header holds: they go to a heap with trees over it. */
static void put_layers(hid_t file)
{
    static const char *const names[LAYOUTS] = {"contiguous", "single", "implicit", "fixed",
                                               "extensible", "tree",   "packed"};
    double values[ROWS * COLUMNS];
    const hsize_t dims[2] = {ROWS, COLUMNS};
    char name[32];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = i % 7;
    const hid_t g = put_group(file, "layers");
    for (int how = 0; how < LAYOUTS; how++) {
        const hid_t d =
            put_array(g, names[how], H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, dims, (layout)how, values);
        for (int64_t k = 0; how == TREE && k < 12; k++) {
            (void)snprintf(name, sizeof name, "attribute-%d", (int)k);
            put_attribute(d, name, H5T_NATIVE_INT64, 0, &k);
        }
        (void)H5Dclose(d);
    }
    for (int k = 0; k < 12; k++) {
        (void)snprintf(name, sizeof name, "layers/soft-%d", k);
        (void)must(H5Lcreate_soft("/X", file, name, H5P_DEFAULT, H5P_DEFAULT));
    }
    (void)H5Gclose(g);
}

/* What is neither matrix nor table: it is only copied, or cut with them. */
static void put_more(hid_t file, bool variable)
{
    double values[ROWS * COLUMNS];
    const hsize_t dims[2] = {COLUMNS, 3}, pairs[2] = {ROWS, 6};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = i % 3;
    const hid_t varm = put_group(file, "varm"), obsp = put_group(file, "obsp"), uns = put_group(file, "uns"),
                deep = put_group(uns, "deep");
    (void)H5Dclose(put_array(varm, "PCs", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, dims, PACKED, values));
    (void)H5Dclose(put_array(obsp, "wrong", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 2, pairs, TREE, values));
    put_texts(deep, "names", 4, variable);
    put_text(deep, "note", "of no matter");
    (void)must(H5Lcreate_external("nowhere.h5", "/x", uns, "elsewhere", H5P_DEFAULT, H5P_DEFAULT));
    (void)must(H5Lcreate_hard(file, "/X", uns, "again", H5P_DEFAULT, H5P_DEFAULT));
    (void)must(H5Lcreate_hard(file, "/uns", deep, "round", H5P_DEFAULT, H5P_DEFAULT)); /* in a circle */
    (void)H5Gclose(deep);
    (void)H5Gclose(uns);
    (void)H5Gclose(obsp);
    (void)H5Gclose(varm);
}

/* MATLAB 7.3: a matrix, labels, and a cell of texts behind references. */
static void put_matlab(hid_t file)
{
    double values[COLUMNS][ROWS];
    const hsize_t dims[2] = {COLUMNS, ROWS}, line[2] = {1, ROWS}, text[2] = {5, 1};
    hobj_ref_t refs[ROWS];
    char name[16];
    const hid_t klass = must(H5Tcopy(H5T_C_S1));
    (void)must(H5Tset_size(klass, 6));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i / ROWS][i % ROWS] = i % 5;
    const hid_t x = put_array(file, "fea", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, dims, PACKED, values);
    put_attribute(x, "MATLAB_class", klass, 0, "double");
    (void)H5Dclose(x);
    const hid_t g = put_group(file, "#refs#");
    for (int i = 0; i < ROWS; i++) {
        const uint16_t units[5] = {'c', 'l', 'a', 's', (uint16_t)('a' + i % 2)};
        (void)snprintf(name, sizeof name, "r%d", i);
        const hid_t d = put_array(g, name, H5T_STD_U16LE, H5T_NATIVE_UINT16, 2, text, CONTIGUOUS, units);
        put_attribute(d, "MATLAB_class", klass, 0, "char\0");
        (void)must(H5Rcreate(&refs[i], d, ".", H5R_OBJECT, -1));
        (void)H5Dclose(d);
    }
    (void)H5Gclose(g);
    const hid_t y = put_array(file, "gnd", H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, 2, line, CONTIGUOUS, refs);
    put_attribute(y, "MATLAB_class", klass, 0, "cell\0");
    (void)H5Dclose(y);
    (void)H5Tclose(klass);
}

typedef struct good {
    const char *ending;
    H5F_libver_t version;
    layout how; /* of the sparse matrix */
    bool variable;
} good;

static const good goods[] = {
    {".h5ad", H5F_LIBVER_EARLIEST, TREE, true},   {".h5ad", H5F_LIBVER_EARLIEST, PACKED, false},
    {".h5ad", H5F_LIBVER_V18, TREE, true},        {".h5ad", H5F_LIBVER_V18, PACKED, false},
    {".h5ad", H5F_LIBVER_V110, FIXED, true},      {".h5ad", H5F_LIBVER_V110, EXTENSIBLE, false},
    {".h5ad", H5F_LIBVER_V110, IMPLICIT, true},   {".mat", H5F_LIBVER_EARLIEST, CONTIGUOUS, false},
    {".mat", H5F_LIBVER_V110, CONTIGUOUS, false},
};

static void make_good(const good *kind, const char *path)
{
    const hid_t access = must(H5Pcreate(H5P_FILE_ACCESS)), create = must(H5Pcreate(H5P_FILE_CREATE));
    (void)must(H5Pset_libver_bounds(access, kind->version, H5F_LIBVER_V110));
    if (kind->ending[1] == 'm')
        (void)must(H5Pset_userblock(create, 512));
    const hid_t file = must(H5Fcreate(path, H5F_ACC_TRUNC, create, access));
    if (kind->ending[1] == 'm') {
        put_matlab(file);
    } else {
        put_sparse(file, kind->how);
        put_layers(file);
        put_table(file, "obs", ROWS, kind->variable);
        put_table(file, "var", COLUMNS, kind->variable);
        put_more(file, kind->variable);
    }
    (void)H5Pclose(access);
    (void)H5Pclose(create);
    (void)must(H5Fclose(file));
}

/* ---- Blocks with checksums ----------------------------------------------------------------------- */

static uint32_t turn_left(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

/* Jenkins' lookup3 over bytes, which libhdf5 guards its structures with. */
static uint32_t checksum(const uint8_t *at, size_t length)
{
    static const int mix[6] = {4, 6, 8, 16, 19, 4}, final[7] = {14, 11, 25, 16, 4, 14, 24};
    uint32_t s[3];
    s[0] = s[1] = s[2] = 0xdeadbeefu + (uint32_t)length;
    while (length > 0) {
        const size_t part = length < 12 ? length : 12;
        for (size_t k = 0; k < part; k++)
            s[k / 4] += (uint32_t)at[k] << 8 * (k % 4);
        if (length <= 12)
            break;
        for (int k = 0; k < 6; k++) { /* a, b, c in turn */
            uint32_t *a = &s[k % 3], *b = &s[(k + 1) % 3], *c = &s[(k + 2) % 3];
            *a -= *c;
            *a ^= turn_left(*c, mix[k]);
            *c += *b;
        }
        at += 12;
        length -= 12;
    }
    for (int k = 0; k < 7 && length > 0; k++) { /* c, a, b in turn */
        uint32_t *c = &s[(k + 2) % 3], *b = &s[(k + 1) % 3];
        *c ^= *b;
        *c -= turn_left(*b, final[k]);
    }
    return s[2];
}

typedef struct block {
    size_t at, length, sum; /* where the checksum lies in it */
} block;

typedef struct image {
    uint8_t bytes[MOST_BYTES];
    size_t size;
    block blocks[MOST_BLOCKS];
    int count;
} image;

static uint32_t sum_of(const uint8_t *bytes, const block *b)
{
    uint8_t copy[8192];
    memcpy(copy, bytes + b->at, b->length);
    if (b->sum + 4 == b->length)
        return checksum(copy, b->sum);
    memset(copy + b->sum, 0, 4);
    return checksum(copy, b->length);
}

static bool is_sum(const image *m, const block *b)
{
    uint32_t stored;
    if (b->length > 8192 || b->at + b->length > m->size)
        return false;
    memcpy(&stored, m->bytes + b->at + b->sum, 4);
    return stored == sum_of(m->bytes, b);
}

/* How long it is shows by where its checksum fits. In blocks of a heap it lies in the middle. */
static bool find_length(const image *m, block *b)
{
    enum { LONGEST = 1500 };
    if (memcmp(m->bytes + b->at, "FHDB", 4) == 0) {
        for (b->length = 256; b->length <= 4096; b->length *= 2)
            for (b->sum = 13; b->sum < 24; b->sum++)
                if (is_sum(m, b))
                    return true;
        return false;
    }
    for (b->length = 12; b->length < LONGEST; b->length++) {
        b->sum = b->length - 4;
        if (is_sum(m, b))
            return true;
    }
    return false;
}

static void find_blocks(image *m)
{
    static const char *const marks[] = {"\x89HDF", "OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTIN",
                                        "BTLF",    "FAHD", "FADB", "EAHD", "EAIB", "EASB", "EADB"};
    m->count = 0;
    for (size_t at = 0; at + 12 < m->size && m->count < MOST_BLOCKS; at++)
        for (size_t k = 0; k < COUNT(marks); k++) {
            block b = {.at = at};
            if (memcmp(m->bytes + at, marks[k], 4) == 0 && find_length(m, &b))
                m->blocks[m->count++] = b;
        }
}

static void repair(image *m)
{
    for (int k = 0; k < m->count; k++) {
        const uint32_t sum = sum_of(m->bytes, &m->blocks[k]);
        memcpy(m->bytes + m->blocks[k].at + m->blocks[k].sum, &sum, 4);
    }
}

/* ---- Mutation ------------------------------------------------------------------------------------ */

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

/* Numbers that break things: none, all, signs, sizes, and the places of other blocks. */
static uint64_t nasty(const image *m)
{
    const uint64_t some[] = {
        0,          1,          2,         0x7f,       0x80,    0xff,        0x7fff,        0xffff,
        0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX, m->size, m->size - 1, draw(m->size), draw(64)};
    return m->count > 0 && draw(3) == 0 ? m->blocks[draw((uint64_t)m->count)].at : some[draw(COUNT(some))];
}

static void mutate_once(image *m)
{
    const bool inside = m->count > 0 && draw(8) != 0;
    const block whole = {0, m->size, 0}, *b = inside ? &m->blocks[draw((uint64_t)m->count)] : &whole;
    const size_t at = b->at + draw(b->length), left = m->size - at, widths[] = {1, 2, 4, 8};
    const size_t width = widths[draw(4)] < left ? widths[draw(4)] % (left + 1) : 1;
    const uint64_t value = nasty(m);
    switch (draw(4)) {
    case 0: m->bytes[at] ^= (uint8_t)(1u << draw(8)); break;
    case 1: m->bytes[at] = (uint8_t)draw(256); break;
    case 2: memcpy(m->bytes + at, &value, width); break;
    default: memmove(m->bytes + at, m->bytes + draw(m->size - width), width);
    }
}

/* ---- Reading ------------------------------------------------------------------------------------- */

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (; folder != NULL && readdir(folder) != NULL; count++) {
    }
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

typedef struct tally {
    int good, refused, failed;
    int kept, unkept, broken; /* copies: made, refused, refused because the process failed */
    double longest;
} tally;

/* Some columns, or some rows, or all that there is, with all else that the file holds. */
static void keep_one(pith_ctx *ctx, const char *path, const pith_matrix *m, tally *t)
{
    const int64_t columns[] = {0, 2, m->data.p - 1}, which = (int64_t)draw(3);
    char output[128];
    pith_matrix *some = NULL;
    if (m->data.p < 4 || pith_matrix_select(ctx, m, which == 0 ? 1 : 3, columns, &some) != PITH_OK)
        return;
    const int64_t rows = m->data.n > 1 ? m->data.n - 1 : 1;
    int64_t kept[1000];
    for (int64_t i = 0; i < rows && i < 1000; i++)
        kept[i] = i + (m->data.n > 1);
    if (which == 1 && rows <= 1000 && pith_i_matrix_keep_rows(ctx, some, rows, kept) != PITH_OK)
        fuzz_fail("rows cannot be dropped", path);
    if (some->place != NULL)
        some->place->changed = draw(4) == 0;
    (void)unlink(fuzz_path("kept", ".h5ad", output));
    const pith_status st = pith_matrix_write_with(ctx, some, path, output);
    if (st != PITH_OK)
        fuzz_check_refusal(ctx, st, path);
    if (st != PITH_OK && access(output, F_OK) == 0)
        fuzz_fail("half an output", output);
    t->kept += st == PITH_OK;
    t->unkept += st != PITH_OK;
    t->broken += st != PITH_OK && strstr(pith_ctx_message(ctx), "the reader failed") != NULL;
    pith_matrix_free(some);
}

static void read_one(pith_ctx *ctx, const char *path, const pith_read_options *options, tally *t)
{
    pith_matrix *m = NULL;
    const int before = open_files();
    const double began = pith_i_seconds();
    const pith_status st = pith_matrix_read(ctx, path, options, &m);
    if (st == PITH_OK)
        fuzz_check_table(ctx, m, false);
    else
        fuzz_check_refusal(ctx, st, path);
    if (st == PITH_OK && strstr(path, ".h5ad") != NULL && (t->kept + t->unkept == 0 || draw(3) == 0))
        keep_one(ctx, path, m, t);
    const double took = pith_i_seconds() - began;
    t->good += st == PITH_OK;
    t->refused += st != PITH_OK;
    t->failed += st != PITH_OK && strstr(pith_ctx_message(ctx), "the reader failed") != NULL;
    t->longest = took > t->longest ? took : t->longest;
    pith_matrix_free(m);
    if (took > SECONDS)
        fuzz_fail("took too long", path);
    if (open_files() != before || pith_i_bytes_in_use(ctx) != 0)
        fuzz_fail("something is left open", pith_ctx_message(ctx));
    if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD)
        fuzz_fail("a process is left behind", pith_ctx_message(ctx));
}

static void load(const char *path, image *m)
{
    FILE *f = fopen(path, "rb");
    m->size = f != NULL ? fread(m->bytes, 1, sizeof m->bytes, f) : 0;
    if (f == NULL || fclose(f) != 0 || m->size == 0 || m->size == sizeof m->bytes)
        fuzz_fail("cannot read back", path);
    find_blocks(m);
}

int main(int argc, char **argv)
{
    static const char *const layers[] = {NULL,
                                         NULL,
                                         "layers/single",
                                         "layers/implicit",
                                         "layers/fixed",
                                         "layers/extensible",
                                         "layers/tree",
                                         "layers/packed",
                                         "layers/absent"};
    static image originals[COUNT(goods)], mutant;
    const long count = argc > 1 ? atol(argv[1]) : 2000;
    pith_ctx *ctx = NULL;
    char path[128];
    tally t = {0}, intact = {0};
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (pith_ctx_new(&ctx) != PITH_OK)
        fuzz_fail("no context", "");
    for (size_t k = 0; k < COUNT(goods); k++) {
        const pith_read_options plain = {.missing = PITH_MISSING_KEEP};
        (void)fuzz_path("mutant", goods[k].ending, path);
        make_good(&goods[k], path);
        load(path, &originals[k]);
        if (goods[k].version != H5F_LIBVER_EARLIEST && originals[k].count < 10)
            fuzz_fail("the checksums of a good file were not found", path);
        repair(&originals[k]); /* changes nothing */
        fuzz_put(path, originals[k].bytes, originals[k].size);
        read_one(ctx, path, &plain, &intact);
    }
    if (intact.good != COUNT(goods) || intact.unkept > 0)
        fuzz_fail("a good file is refused", pith_ctx_message(ctx));
    for (long k = 0; k < count; k++) {
        const size_t which = draw(COUNT(goods));
        const pith_read_options options = {.missing = PITH_MISSING_KEEP,
                                           .var = goods[which].ending[1] == 'h' ? layers[draw(COUNT(layers))]
                                                                                : NULL};
        mutant = originals[which];
        for (uint64_t times = 1 + draw(4); times > 0; times--)
            mutate_once(&mutant);
        repair(&mutant);
        (void)fuzz_path("mutant", goods[which].ending, path);
        fuzz_put(path, mutant.bytes, mutant.size);
        read_one(ctx, path, &options, &t);
    }
    pith_ctx_free(ctx);
    (void)printf("%ld mutants: %d read, %d refused, %d of them because the reader failed; %d copied, %d not "
                 "copied, %d of "
                 "them because the reader failed; the slowest took %.1f s\n",
                 count, t.good, t.refused, t.failed, t.kept, t.unkept, t.broken, t.longest);
    return 0;
}
