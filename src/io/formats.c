/* The file formats, in the order in which they are listed to users. */
#include "io/io.h"
#include "io/tenx.h"

#include <string.h>
#include <strings.h>

static const pith_i_format formats[] = {
    {"delimited text", ".csv .tsv .txt .csv.gz .tsv.gz .txt.gz", pith_i_delimited_read,
     pith_i_delimited_write, false},
    {"Matrix Market", ".mtx .mtx.gz", pith_i_mtx_read, pith_i_mtx_write, false},
    {"MATLAB", ".mat", pith_i_mat_read, pith_i_mat_write, false},
    {"NumPy array", ".npy", pith_i_npy_read, pith_i_npy_write, false},
    {"NumPy archive", ".npz", pith_i_npz_read, pith_i_npz_write, true},
    {"svmlight", ".svm .libsvm .svm.gz .libsvm.gz", pith_i_svm_read, pith_i_svm_write, false},
    {"AnnData", ".h5ad", pith_i_h5ad_read, pith_i_h5ad_write, true},
    {"10x Genomics", ".h5", pith_i_tenx_read, NULL, false}, /* formats that pith cannot write come last */
};

const pith_i_format *pith_i_format_at(size_t i)
{
    return i < COUNT(formats) ? &formats[i] : NULL;
}

/* Copies the one of `endings` that the path ends in; false: none. A file called ".csv" has no ending. */
static bool match(const char *path, const char *endings, char ending[16])
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const size_t length = strlen(name);
    for (const char *at = endings; *at != '\0';) {
        const size_t size = strcspn(at, " ");
        if (size < 16 && length > size && strncasecmp(name + length - size, at, size) == 0) {
            memcpy(ending, at, size);
            ending[size] = '\0';
            return true;
        }
        at += size + (at[size] == ' ');
    }
    return false;
}

const pith_i_format *pith_i_format_of(const char *path)
{
    char ending[16];
    for (size_t i = 0; i < COUNT(formats); i++)
        if (match(path, formats[i].endings, ending))
            return &formats[i];
    return NULL;
}

const char *pith_i_ending_of(const char *path, char ending[16])
{
    for (size_t i = 0; i < COUNT(formats); i++)
        if (match(path, formats[i].endings, ending))
            return ending;
    return NULL;
}
