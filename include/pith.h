/*
 * pith: unsupervised feature selection.
 *
 * A table has n samples (rows) and p features (columns). A method gives every feature a score, higher
 * being better, and a ranking. Functions that can fail return a pith_status and hand their result to
 * the last argument, which is set on success only; the full sentence about a failure is kept in the
 * context. No function prints or exits. An index past the end is safe: every accessor says what it returns
 * then.
 *
 * NULL: a function that returns a status answers PITH_E_ARGUMENT where it needs a handle, an array or a place
 * for its result. Freeing NULL does nothing. All other functions need a handle, except pith_ctx_message ("")
 * and the getters and setters of a context (the defaults; nothing is done).
 *
 * Threads: a handle may be used from one thread at a time, different handles from different threads at once.
 * For two runs at once give each thread a context, a matrix and parameters of its own; both matrices may
 * borrow the same arrays.
 *
 * Lifetimes: the caller frees what a function hands out through `out`, in any order. A matrix, result or tree
 * needs no other handle, also not the context it was made with, and may be used with any other; but a
 * comparison needs its matrix, and a matrix made of the caller's arrays needs these. Strings and arrays that
 * an accessor returns belong to the handle, are not freed, and live as long as it does, or until the next
 * call that sets them; those of methods, steps, recipes and formats are static.
 *
 * Some state belongs to the whole process, because the libraries underneath keep it there:
 *   OpenBLAS's threads  set to one while any thread computes here, and restored when the last of them is
 *                       done. Your own BLAS calls that run at the same time have one thread, too.
 *   OpenBLAS's buffers  128 MB of address space for each thread that has ever called it, kept to the end.
 *   OpenBLAS's kernels  chosen when it is loaded: pith_blas_kernel, below.
 *   OpenMP's threads    started by the first call, kept to the end. They do not survive fork: in a child of a
 *                       process that has used them, set one thread (pith_ctx_set_threads) or call exec.
 *   ARPACK              used by one thread at a time; the others wait.
 *   Engines             shared objects that stay loaded.
 *   HDF5                used to write .h5ad, by one thread at a time; the program pith-hdf5 reads.
 *
 * Everything else belongs to a context. No signal handler is installed, and neither the locale nor the
 * working directory is changed.
 *
 * Structs that callers fill begin with their size. Set it to sizeof, as PITH_OPTIONS does, and a library that
 * is newer or older than this header takes the fields that both have; a field that is set but unknown to the
 * library is PITH_E_ARGUMENT. Size 0 means the fields of version 0.2. All other fields are 0 by default:
 *
 *     pith_read_options o = PITH_OPTIONS(pith_read_options);    in C
 *     pith_read_options o{}; o.size = sizeof o;                 in C++
 *     o.transpose = true;
 *
 * Structs that the library fills, and everything else here, may change with the minor version before 1.0 and
 * with the major version from then on. The library's file name has that number, so that a program does not
 * load a library that is incompatible with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PITH_H
#define PITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PITH_VERSION_MAJOR 0
#define PITH_VERSION_MINOR 2
#define PITH_VERSION_PATCH 0
/* 2000 for 0.2.0, to compare in the preprocessor or with pith_version_number(). */
#define PITH_VERSION_NUMBER (PITH_VERSION_MAJOR * 1000000 + PITH_VERSION_MINOR * 1000 + PITH_VERSION_PATCH)

#if defined(__GNUC__)
#define PITH_API __attribute__((visibility("default")))
#else
#define PITH_API
#endif

/* Fixed numbers: appended to, never renumbered. */
typedef enum pith_status {
    PITH_OK = 0,
    PITH_E_NOMEM = -1,     /* out of memory */
    PITH_E_ARGUMENT = -2,  /* a call that makes no sense: NULL, a negative size */
    PITH_E_PARAMETER = -3, /* a parameter unknown or out of range */
    PITH_E_DATA = -4,      /* the data is unsuitable, or a file's content is wrong */
    PITH_E_FILE = -5,      /* a file cannot be opened, read or written */
    PITH_E_NUMERIC = -6,   /* no usable numeric answer */
    PITH_E_STOPPED = -7,   /* the progress callback asked to stop */
    PITH_E_BUG = -99       /* our mistake: please report it */
} pith_status;

typedef enum pith_dtype { PITH_F32, PITH_F64 } pith_dtype;
typedef enum pith_type { PITH_INT, PITH_REAL, PITH_BOOL, PITH_CHOICE, PITH_FILE, PITH_NAME } pith_type;

typedef struct pith_ctx pith_ctx;       /* threads, seed, scratch, callbacks, message; one per thread */
typedef struct pith_matrix pith_matrix; /* rows are samples, columns are features; names and labels */
typedef struct pith_method pith_method; /* a registry entry: static, never freed */
typedef struct pith_params pith_params; /* the parameters of one method, with defaults */
typedef struct pith_result pith_result; /* scores, ranking, parameters used, seconds */
typedef struct pith_tree pith_tree;     /* groups of features, each inside its parent */

typedef struct pith_param {
    const char *name, *help; /* "max_iter" is --max-iter and max_iter=; one line of help */
    pith_type type;
    double def, lo, hi;         /* lo and hi are allowed; integers are exact to 2^53 */
    bool can_be_auto;           /* def NaN means auto; the result has the value chosen */
    const char *auto_word;      /* another word accepted for "auto", if there is one; else NULL */
    const char *const *choices; /* PITH_CHOICE: NULL-ended; def is an index into it */
                                /* PITH_FILE, PITH_NAME: a path or a name; the default is none */
} pith_param;

#define PITH_OPTIONS(type) ((type){.size = sizeof(type)}) /* in C; elsewhere, zero it and set its size */

PITH_API const char *pith_version(void);            /* of the library, not of this header */
PITH_API int pith_version_number(void);             /* the same as a number, like PITH_VERSION_NUMBER */
PITH_API const char *pith_strerror(pith_status st); /* "out of memory"; never NULL */

/* ---- Context ------------------------------------------------------------------------------------ */

/* Called now and then, at every stage and at most 50 times a second within one, from the thread that called
 * the library: done is 0..1. Return false to stop. */
typedef bool pith_progress_fn(double done, const char *what, void *user);

PITH_API pith_status pith_ctx_new(pith_ctx **out);
PITH_API void pith_ctx_free(pith_ctx *ctx);
/* The last failure in full, or "". A success does not clear it: look at it after a failure only. */
PITH_API const char *pith_ctx_message(const pith_ctx *ctx);
/* fn NULL: no callback. It must not call functions with this context. To stop from another thread or a signal
 * handler, set an atomic flag there, and return false when the callback sees it. After PITH_E_STOPPED the
 * context can be used again. */
PITH_API void pith_ctx_set_progress(pith_ctx *ctx, pith_progress_fn *fn, void *user);
/* Called from the thread that called the library with something worth knowing in advance, such as that a step
 * will make sparse data dense, and how much memory that takes. One line without a line break. */
typedef void pith_note_fn(const char *text, void *user);
PITH_API void pith_ctx_set_note(pith_ctx *ctx, pith_note_fn *fn, void *user);
/* 0..4096; 0, the default: all cores, or as many as the control group of a container or job may keep busy. */
PITH_API pith_status pith_ctx_set_threads(pith_ctx *ctx, int threads);
PITH_API int pith_ctx_threads(const pith_ctx *ctx);
PITH_API void pith_ctx_set_seed(pith_ctx *ctx, uint64_t seed); /* 1 by default */
PITH_API uint64_t pith_ctx_seed(const pith_ctx *ctx);
/* The engine computes neighbours, eigenpairs and sums over rows. "local" (the default, also NULL) is this
 * library; any other name loads libpith-NAME.so from a folder of PITH_ENGINE_PATH or beside libpith. If it
 * cannot be used (PITH_E_FILE, as a rule), the engine does not change. "auto" is "cuda" if that can be used;
 * if not, or if it runs out of memory later, "local" is used and a note says why. docs/engines.md,
 * docs/gpu.md. */
PITH_API pith_status pith_ctx_set_engine(pith_ctx *ctx, const char *name);
PITH_API const char *pith_ctx_engine(const pith_ctx *ctx); /* its name */
/* What it promises, as bits: 1 exact neighbours, 2 every number as with "local", to the last bit. */
PITH_API unsigned pith_ctx_engine_promises(const pith_ctx *ctx);
/*
 * For engines that spread the samples over processes (docs/cluster.md): the number of this process, and how
 * many there are; 0 and 1 with other engines. settle: every process calls it with its exit status. It returns
 * -1 if all succeeded, else the lowest process that failed, and sets *status to that one's. *alone becomes
 * true where the others do not call it, because they wait for this process: then pith_ctx_end ends them all
 * with the given exit status, and does not return.
 */
PITH_API int pith_ctx_process(const pith_ctx *ctx);
PITH_API int pith_ctx_processes(const pith_ctx *ctx);
PITH_API int pith_ctx_settle(pith_ctx *ctx, int *status, bool *alone);
PITH_API void pith_ctx_end(pith_ctx *ctx, int status);
/*
 * The memory limit in bytes, 2^20 at least; 0, the default: three quarters of what the machine or its control
 * group has. It counts what handles of this context hold and what runs use, but not the caller's arrays.
 * Large arrays that do not fit go to unlinked files in the scratch folder; PITH_E_NOMEM if they do not fit
 * there either. Mapped files (.npy, .npz) do not count.
 */
PITH_API pith_status pith_ctx_set_memory(pith_ctx *ctx, int64_t bytes);
PITH_API int64_t pith_ctx_memory(const pith_ctx *ctx);
PITH_API pith_status pith_ctx_set_scratch(pith_ctx *ctx, const char *folder); /* NULL: TMPDIR, or /tmp */
PITH_API const char *pith_ctx_scratch(const pith_ctx *ctx);
PITH_API int64_t pith_ctx_scratch_bytes(const pith_ctx *ctx); /* most held in scratch files at once */
PITH_API int64_t pith_ctx_peak_bytes(const pith_ctx *ctx);    /* most held at once since new or reset */
PITH_API void pith_ctx_reset_peak(pith_ctx *ctx);

/* ---- Data --------------------------------------------------------------------------------------- */

/* Borrow the caller's arrays: not copied, not written; they must outlive the matrix. Strides count
 * elements, 0 or more: element (i, j) is x[i * row_stride + j * col_stride], so they are p and 1 for rows
 * that follow each other, and 1 and n for columns that do. CSR columns must ascend within a row; the caller
 * converts indices of another order or type. Values are not checked here: pith_run refuses NaN and infinity
 * (PITH_E_DATA) and says where. */
PITH_API pith_status pith_matrix_dense(pith_ctx *ctx, int64_t n, int64_t p, pith_dtype dtype, const void *x,
                                       int64_t row_stride, int64_t col_stride, pith_matrix **out);
PITH_API pith_status pith_matrix_csr(pith_ctx *ctx, int64_t n, int64_t p, pith_dtype dtype,
                                     const int64_t *indptr, const int32_t *indices, const void *values,
                                     pith_matrix **out);
PITH_API void pith_matrix_free(pith_matrix *m);

PITH_API int64_t pith_matrix_rows(const pith_matrix *m);
PITH_API int64_t pith_matrix_cols(const pith_matrix *m);
PITH_API bool pith_matrix_is_sparse(const pith_matrix *m);
PITH_API pith_dtype pith_matrix_dtype(const pith_matrix *m);
PITH_API int64_t pith_matrix_stored(const pith_matrix *m); /* n p, or the stored entries of CSR */

/* Where the numbers lie: the borrowed arrays, or those of the matrix, which live as long as it does. */
typedef struct pith_arrays {
    const void *x; /* dense: element (i, j) is x[i * row_stride + j * col_stride]; NULL: sparse */
    int64_t row_stride, col_stride;
    const int64_t *indptr; /* CSR, as given to pith_matrix_csr; NULL: dense */
    const int32_t *indices;
    const void *values;
} pith_arrays;
PITH_API pith_arrays pith_matrix_arrays(const pith_matrix *m);

/* Rows first..first+count-1 as doubles, row-major, count x p. */
PITH_API pith_status pith_matrix_get_rows(pith_ctx *ctx, const pith_matrix *m, int64_t first, int64_t count,
                                          double *out);

/* Names are copied: one for each column or row, none of them NULL. Where none were set, a feature's name is
 * NULL here and "f412" in what pith writes. */
PITH_API pith_status pith_matrix_set_feature_names(pith_ctx *ctx, pith_matrix *m, const char *const *names);
PITH_API pith_status pith_matrix_set_sample_names(pith_ctx *ctx, pith_matrix *m, const char *const *names);
PITH_API const char *pith_matrix_feature_name(const pith_matrix *m, int64_t j); /* NULL: none */
PITH_API const char *pith_matrix_sample_name(const pith_matrix *m, int64_t i);  /* NULL: none */

/* Labels are text: classes are numbered in order (by value if all are numbers, else bytewise). They are
 * used to evaluate results and never reach an unsupervised method. "", "NA", "<NA>" and "nan" in any case
 * mean a missing label: such samples are left out of the evaluation. If all are missing, the matrix has no
 * labels. NULL is PITH_E_ARGUMENT, for one label as for all. */
PITH_API pith_status pith_matrix_set_labels(pith_ctx *ctx, pith_matrix *m, const char *const *labels);
PITH_API int32_t pith_matrix_classes(const pith_matrix *m);                       /* 0: no labels */
PITH_API int32_t pith_matrix_label(const pith_matrix *m, int64_t i);              /* -1: none */
PITH_API const char *pith_matrix_class_name(const pith_matrix *m, int32_t klass); /* NULL: no such class */

/* Batches are text like labels: the donor, plate or run that a sample comes from. Every sample has one; a
 * missing one is PITH_E_DATA. pith_run ranks the features in each batch separately and merges the rankings,
 * or builds one graph that is balanced across batches (pith_params_set_batch_graph). pith_compare ignores
 * them. */
PITH_API pith_status pith_matrix_set_batches(pith_ctx *ctx, pith_matrix *m, const char *const *batches);
PITH_API int32_t pith_matrix_batches(const pith_matrix *m);                       /* 0: none */
PITH_API int32_t pith_matrix_batch(const pith_matrix *m, int64_t i);              /* -1: none */
PITH_API const char *pith_matrix_batch_name(const pith_matrix *m, int32_t batch); /* NULL: no such batch */

/* The given columns, in the given order, as a new matrix with their names and with m's labels and batches. */
PITH_API pith_status pith_matrix_select(pith_ctx *ctx, const pith_matrix *m, int64_t count,
                                        const int64_t *features, pith_matrix **out);

/* The scale of nonnegative values: docs/preparing.md says how it is recognized. */
typedef enum pith_scale {
    PITH_SCALE_UNKNOWN,    /* also where a value is negative or missing */
    PITH_SCALE_COUNTS,     /* raw: whole numbers */
    PITH_SCALE_NORMALISED, /* counts divided by a factor for each sample */
    PITH_SCALE_LOGGED,     /* log(1 + x) of those */
    PITH_SCALE_ROOTS       /* square roots of counts */
} pith_scale;

typedef struct pith_info {
    int64_t rows, cols, nonzeros; /* nonzeros: values that are not 0, stored or not */
    int64_t constant_cols, empty_rows, nonfinite;
    double min, max;            /* of the finite values; NaN: there is none */
    bool integers, nonnegative; /* all finite values are */
    bool counts;                /* no negative value, fewer than half of all entries nonzero */
    pith_scale scale;
    double log_base; /* LOGGED: e, 2 or 10; else 0 */
    double row_sum;  /* of every sample, before the logarithm; NaN: they differ */
    bool unlogged;   /* the values span orders of magnitude, as reads and intensities do: pith_prep_auto */
} pith_info;
PITH_API pith_status pith_matrix_info(pith_ctx *ctx, const pith_matrix *m, pith_info *out);

/* ---- Files -------------------------------------------------------------------------------------- */

typedef enum pith_missing {
    PITH_MISSING_ERROR, /* NaN, Inf, empty or text where a number belongs: an error that says where */
    PITH_MISSING_DROP_ROWS,
    PITH_MISSING_MEAN,
    PITH_MISSING_ZERO,
    PITH_MISSING_KEEP /* they become NaN: to look at the data only, since no method takes them */
} pith_missing;

typedef enum pith_answer { PITH_AUTO, PITH_YES, PITH_NO } pith_answer;

typedef struct pith_read_options {
    size_t size;        /* sizeof of this struct; 0: the fields of 0.2 */
    const char *var;    /* matrix variable of .mat, .npz, .h5ad; NULL: X, fea or the only matrix */
    const char *labels; /* label variable, column or file; NULL: Y, gnd or label, if present */
    bool no_labels;     /* leave labels out even if the file has them */
    pith_missing missing;
    bool transpose; /* the file's rows are features; labels in it are left out */
    /* For delimited text only; 0: detected. */
    char sep;                      /* between columns: ',', ';', '\t', '|' or another; ' ': runs of blanks */
    char decimal;                  /* decimal mark: '.' or ',' */
    pith_answer header, row_names; /* does the first row hold names? the first column? */
    const char *batch; /* variable, column or file of the batches, as of the labels; NULL: there are none */
    /* For a table that will be ranked or compared as it is. If it is sparse and the file stores it by
     * columns, these are kept beside the rows, and need not be made again later. Takes twice the memory until
     * the matrix is freed. */
    bool keep_columns;
    /* For a table that will only be written again: beyond 256 MB it goes to scratch files, so that memory
     * does not grow with it. Names and labels stay in memory. */
    bool streamed;
    /* For an engine that spreads the samples over processes: this process keeps its part of the rows; parts
     * differ by one row at most. If the file can be mapped (.npy, .npz as pith writes it), every process
     * reads its own part; else process 0 reads all and sends the parts. A part has labels, but no sample
     * names. Batches cannot be read this way. */
    bool spread;
} pith_read_options;

/* The ending of the path selects the format. NULL options mean all defaults. */
PITH_API pith_status pith_matrix_read(pith_ctx *ctx, const char *path, const pith_read_options *options,
                                      pith_matrix **out);
/* How the file was read (header, row names, labels), as one readable line; NULL: nothing to say. */
PITH_API const char *pith_matrix_reading(const pith_matrix *m);
/* Written under a temporary name and renamed at the end: a failure leaves an existing file unchanged. */
PITH_API pith_status pith_matrix_write(pith_ctx *ctx, const pith_matrix *m, const char *path);
/*
 * The same; and if both path and `source`, the file that m was read from, are .h5ad, it also writes
 * everything else in source: tables, layers, embeddings, graphs, uns, raw. They are reduced to the rows and
 * columns that m still has; what stays whole is copied byte for byte. X keeps its type and layout unless
 * values of m have changed since it was read. Columns and rows of m must be in the order of the file. For
 * other formats, and for a matrix that was transposed, or is not X, layers/NAME or raw/X, it is the same as
 * pith_matrix_write.
 */
PITH_API pith_status pith_matrix_write_with(pith_ctx *ctx, const pith_matrix *m, const char *source,
                                            const char *path);
/* As pith_matrix_write, in the format of the given ending (".csv"), whatever the path ends in; path NULL:
 * standard output. */
PITH_API pith_status pith_matrix_write_as(pith_ctx *ctx, const pith_matrix *m, const char *path,
                                          const char *ending);
/*
 * Checks, before the work, whether an output can be written. PITH_E_FILE says why not: no folder, no
 * permission, a pipe for a format that needs a file. ending: that of a table's format (".npz"), NULL for
 * other outputs; path NULL: standard output.
 */
PITH_API pith_status pith_output_check(pith_ctx *ctx, const char *path, const char *ending);
/*
 * Checks that the outputs overwrite nothing but their own earlier versions. PITH_E_ARGUMENT says what else
 * they would overwrite: an input under any name, a file that belongs to an input, the file of another output,
 * or a file beside a .mtx that pith did not write with it. Both lists are NULL-ended; "/dev/stdout" is
 * standard output.
 */
PITH_API pith_status pith_outputs_spare(pith_ctx *ctx, const char *const *inputs, const char *const *outputs);
/*
 * For engines that spread the samples over processes. All processes call it together: each writes its own
 * rows into one file, and the file is the one that a single process would write. Labels and sample names are
 * those that pith_matrix_read found. Only for .npy and .npz, where the position of every row is known in
 * advance. *written is false, and nothing was done, for other formats, or if not every process sees the
 * folder.
 */
PITH_API bool pith_path_takes_parts(const char *path);
PITH_API pith_status pith_matrix_write_parts(pith_ctx *ctx, const pith_matrix *m, const char *path,
                                             bool *written);
PITH_API bool pith_path_is_known(const char *path); /* is its ending one that pith writes? */
PITH_API const char *pith_format_endings(size_t i,
                                         const char **name); /* that it reads and writes; NULL past the end */

/* ---- Synthetic data ----------------------------------------------------------------------------- */

/* 4 x 300 samples in two crossed planes (classes 1..4) and 80 noisy ones (class 0), in this order. Of the 34
 * features, f1..f4 are informative; half_width is that of the uniform noise in the others (11 if unsure).
 * Seeded by the context. */
PITH_API pith_status pith_synth_nrfs(pith_ctx *ctx, double half_width, pith_matrix **out);

/* Clusters of equal size (sample i is of class i mod clusters, plus 1) and features named for what they
 * are: "info_12" has two levels, high in some clusters and low in the others, "noise_13" has one. */
typedef struct pith_blobs {
    size_t size;            /* sizeof of this struct; 0: the fields of 0.2 */
    int64_t n, p, clusters; /* clusters: 2..n */
    double informative;     /* share of informative features, spread over the columns */
    double separation;      /* dense: high minus low in units of the noise's sd; counts: high is present
                             * 1 + separation times as often as low, with the same mean over the clusters */
    double density;         /* 1: dense; below: sparse counts with this share of nonzeros in every column */
    bool single;            /* stored as float, in half the memory, instead of double */
} pith_blobs;
PITH_API pith_status pith_synth_blobs(pith_ctx *ctx, const pith_blobs *blobs, pith_matrix **out);
/* A control for m, of the same shape, in which features are independent of each other: every column is
 * shuffled on its own. For raw counts (PITH_SCALE_COUNTS of pith_info) it holds Poisson counts with the row
 * sums and the column shares of m instead, since shuffling would also destroy the lengths of samples. It has
 * the feature names of m, but no sample names and no labels: its rows are not the samples of m. */
PITH_API pith_status pith_synth_null(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out);

/* ---- Preparing data ----------------------------------------------------------------------------- */

typedef struct pith_step pith_step; /* of a preparation: static, never freed */

PITH_API const pith_step *pith_step_at(size_t i); /* NULL past the end */
PITH_API const char *pith_step_name(const pith_step *step);
PITH_API const char *pith_step_title(const pith_step *step);                 /* what it does to the data */
PITH_API const pith_param *pith_step_param(const pith_step *step, size_t i); /* NULL past the end */
/* Lists of steps with a name of their own, such as "counts" for "counts-per-10k,log1p"; NULL past the end. */
PITH_API const char *pith_recipe_at(size_t i, const char **steps, const char **title);
/*
 * Applies one or more steps in order, "log10,quantile,top-variance=500", and returns a new matrix. A step's
 * parameters follow its name, "drop-noisy:remove=0.2:neighbors=5"; "=value" sets the first of them. The name
 * of a recipe stands for its steps. Rows and columns keep their names and labels; float data stays float.
 */
PITH_API pith_status pith_prep(pith_ctx *ctx, const pith_matrix *m, const char *steps, pith_matrix **out);
/* The steps that "auto" stands for: "counts-per-10k,log1p" for raw counts, unless the method handles them
 * itself; for values that span orders of magnitude, such as reads of bulk RNA, "size-factors,log1p", or
 * "log10,quantile,double-center" where some are negative, as in intensities of arrays; NULL for all other
 * data, and for a method that is made for raw counts. method NULL: no method in particular, as in pith_prep.
 */
PITH_API pith_status pith_prep_auto(pith_ctx *ctx, const pith_matrix *m, const pith_method *method,
                                    const char **steps);
/*
 * Reads and prepares. Where the list begins with "text" and the path is a folder (subfolders are classes),
 * .txt (one document per line), .csv or .tsv with a text column, or .jsonl, the documents become counts of
 * words: one feature per stem, named after its most frequent word. The other steps follow. Else this is
 * pith_matrix_read and pith_prep. Of the options, documents take labels, no_labels, and batch as a file.
 */
PITH_API pith_status pith_prep_read(pith_ctx *ctx, const char *path, const char *steps,
                                    const pith_read_options *options, pith_matrix **out);
/* The same for documents of several files or folders, one after the other. */
PITH_API pith_status pith_prep_read_files(pith_ctx *ctx, int64_t n, const char *const *paths,
                                          const char *steps, const pith_read_options *options,
                                          pith_matrix **out);
PITH_API bool pith_prep_reads_text(const char *path, const char *steps); /* would it read documents? */
/* The same for documents in memory, in UTF-8: text i has length[i] bytes, or ends with a NUL where length is
 * NULL. steps begins with "text"; NULL: that alone. */
PITH_API pith_status pith_prep_texts(pith_ctx *ctx, int64_t n, const char *const *texts,
                                     const int64_t *length, const char *steps, pith_matrix **out);
/* Checks a list of steps without any data, so that a mistake is found before a file is read. */
PITH_API pith_status pith_prep_check(pith_ctx *ctx, const char *steps);
/* The steps that made this matrix, every parameter filled in, as pith_prep takes them; NULL: none. */
PITH_API const char *pith_matrix_steps(const pith_matrix *m);
/* The number that column j had before preparation; j if no column was dropped, or if there is no column j. */
PITH_API int64_t pith_matrix_origin(const pith_matrix *m, int64_t j);

/* ---- Feature trees ------------------------------------------------------------------------------ */

/*
 * A tree over the features of m by "grid", "cluster", "wordnet" or "root" (all features and nothing else),
 * with settings after colons: "grid:32x32:leaf=16". "auto" is wordnet if most features are words in WordNet,
 * else cluster; "auto:32x32" is a grid. docs/trees.md lists them.
 */
PITH_API pith_status pith_tree_build(pith_ctx *ctx, const pith_matrix *m, const char *recipe,
                                     pith_tree **out);
/* From a file. If m is not NULL, its number of features must agree, and its feature names are matched. */
PITH_API pith_status pith_tree_read(pith_ctx *ctx, const char *path, const pith_matrix *m, pith_tree **out);
/* As text that reads back as the same tree; path NULL: standard output. */
PITH_API pith_status pith_tree_write(pith_ctx *ctx, const pith_tree *tree, const char *path);
PITH_API void pith_tree_free(pith_tree *tree);

PITH_API int64_t pith_tree_features(const pith_tree *tree);
PITH_API int64_t pith_tree_nodes(const pith_tree *tree);
PITH_API int64_t pith_tree_depth(const pith_tree *tree); /* levels; 1: only the root */
/* Nodes are numbered level by level from the root, 0. How many features the node holds, and which: they
 * ascend and belong to the tree. 0: no such node. */
PITH_API int64_t pith_tree_node(const pith_tree *tree, int64_t node, const int32_t **features);
PITH_API int64_t pith_tree_parent(const pith_tree *tree, int64_t node);    /* -1: the root has none */
PITH_API const char *pith_tree_label(const pith_tree *tree, int64_t node); /* "": none */
/* Remarks from building or reading it, one sentence each; NULL past the end. */
PITH_API const char *pith_tree_remark(const pith_tree *tree, size_t i);

/* ---- Methods ------------------------------------------------------------------------------------ */

PITH_API const pith_method *pith_method_find(const char *name); /* NULL if unknown */
PITH_API const pith_method *pith_method_at(size_t i);           /* NULL past the end */
PITH_API const char *pith_method_name(const pith_method *m);
PITH_API const char *pith_method_title(const pith_method *m); /* what it does, one sentence */
PITH_API const char *pith_method_family(const pith_method *m);
PITH_API const char *pith_method_reference(const pith_method *m); /* the paper */
PITH_API const char *pith_method_notes(const pith_method *m); /* sign, differences from the paper; or "" */
PITH_API bool pith_method_needs_labels(const pith_method *m);
PITH_API bool pith_method_needs_tree(const pith_method *m); /* over the features; "auto" chooses one */
PITH_API bool
pith_method_needs_counts(const pith_method *m);        /* refuses negative values; "all" leaves it out then */
PITH_API bool pith_method_keeps(const pith_method *m); /* does it say how many features to keep? */
/* Does it work where the rows are spread over processes (docs/engines.md)? If not, one process must have them
 * all. */
PITH_API bool pith_method_spreads(const pith_method *m);
PITH_API const pith_param *pith_method_param(const pith_method *m, size_t i); /* NULL past the end */
/* The method for this data when the user names none, and the reason in a sentence. */
PITH_API pith_status pith_method_auto(pith_ctx *ctx, const pith_matrix *m, const pith_method **out,
                                      const char **why);
/* The nearest of the NULL-ended words to a mistyped one; NULL if none is near. */
PITH_API const char *pith_nearest(const char *word, const char *const *words);

PITH_API pith_status pith_params_new(pith_ctx *ctx, const pith_method *method, pith_params **out);
PITH_API void pith_params_free(pith_params *params);
/* Says that auto chose the method, not the user. Values that span orders of magnitude are then prepared as by
 * pith_prep_auto before consensus ranks them, and logarithms are ranked with its scaling pareto, unless
 * another one was set. If the ranking turns out poor (agreement below 0.15), that of the next candidate is
 * taken if it does better. pith_result_note tells of preparation and candidate, pith_result_params of the
 * scaling. */
PITH_API void pith_params_by_auto(pith_params *params);
/* "auto" where the parameter can be auto. Errors name the parameter, its range and the nearest match. */
PITH_API pith_status pith_params_set(pith_ctx *ctx, pith_params *params, const char *name, const char *value);
/* The same by value. real takes PITH_REAL; NaN is auto. int takes PITH_INT and PITH_REAL. choice takes
 * PITH_CHOICE, by its word. Another type is PITH_E_PARAMETER. */
PITH_API pith_status pith_params_set_real(pith_ctx *ctx, pith_params *params, const char *name, double value);
PITH_API pith_status pith_params_set_int(pith_ctx *ctx, pith_params *params, const char *name, int64_t value);
PITH_API pith_status pith_params_set_bool(pith_ctx *ctx, pith_params *params, const char *name, bool value);
PITH_API pith_status pith_params_set_choice(pith_ctx *ctx, pith_params *params, const char *name,
                                            const char *choice);
/* For methods that have the parameter "init_labels": a clustering of the n samples to start from, equal
 * numbers for the same cluster. Copied; n = 0 resets it. pith_params_set reads it from a file with
 * one label per line ("": none). The labels of the data are never used. */
PITH_API pith_status pith_params_set_init_labels(pith_ctx *ctx, pith_params *params, int64_t n,
                                                 const int32_t *labels);
/* For methods that have the parameter "tree". The tree is copied; NULL resets it to "auto".
 * pith_params_set takes a file, or a recipe of pith_tree_build, for which the tree is built when the method
 * runs. The parameters of the result have the tree that auto chose. */
PITH_API pith_status pith_params_set_tree(pith_ctx *ctx, pith_params *params, const pith_tree *tree);
/*
 * For methods that have the parameters "graph" and "graph_rows"; at most one of them can be set. A graph over
 * the n samples of the data, used instead of the one that the method would build: similarities, not
 * distances, in CSR with columns that ascend within a row. It is made symmetric by the larger weight, and its
 * diagonal is dropped. The neighbours that a sample chose itself, from which pairs are drawn, are the entries
 * of its own row, in decreasing weight, ties to the lower index. Copied; n = 0 resets it. pith_params_set
 * reads it from a file; FILE.h5ad:KEY is a key of obsp.
 */
PITH_API pith_status pith_params_set_graph(pith_ctx *ctx, pith_params *params, int64_t n,
                                           const int64_t *row_offsets, const int32_t *columns,
                                           const double *weights);
/* Other coordinates of the same samples, such as principal components, in which the neighbours of the graph
 * are found (Euclidean if the metric is auto). The features that are scored are still those of the data.
 * Copied; NULL resets it. pith_params_set reads them from a file; FILE.h5ad:KEY is a key of obsm. */
PITH_API pith_status pith_params_set_graph_rows(pith_ctx *ctx, pith_params *params, const pith_matrix *rows);
/* As text that pith_params_set takes back unchanged; truncated to size. A PITH_FILE that is not set is "",
 * one given in memory is "(given)". */
PITH_API pith_status pith_params_get(pith_ctx *ctx, const pith_params *params, const char *name, char *text,
                                     size_t size);
/* The numbers of features that will be selected; copied. They matter to a method whose selection depends on
 * the number (mcfs with mcfs_active=count), and to diversity, which reorders at least as many. */
PITH_API pith_status pith_params_set_counts(pith_ctx *ctx, pith_params *params, int64_t n,
                                            const int64_t *counts);
/* For methods that build a graph of neighbours: one graph over the samples of all batches, in which each
 * sample has the same number of neighbours in every batch, replaces the ranking of each batch.
 * PITH_E_PARAMETER for other methods. The matrix must have batches. */
PITH_API pith_status pith_params_set_batch_graph(pith_ctx *ctx, pith_params *params, bool balanced);
/* Says that pith_result_keep will be called: where finding it takes extra work (consensus), it is done only
 * then. */
PITH_API void pith_params_want_keep(pith_params *params);
PITH_API const pith_method *pith_params_method(const pith_params *params);

/* ---- Running and results ------------------------------------------------------------------------ */

PITH_API pith_status pith_run(pith_ctx *ctx, const pith_matrix *m, const pith_params *params,
                              pith_result **out);
/* The time and memory that pith_run will take, extrapolated from runs on subsets of the samples that take
 * about `budget` seconds together: good to within a factor of two or so. */
typedef struct pith_forecast {
    double seconds;  /* NaN: no forecast, as for few samples, batches or a graph of the user's own */
    int64_t bytes;   /* at the peak, beyond the data */
    int64_t samples; /* of the largest subset */
} pith_forecast;
PITH_API pith_status pith_run_forecast(pith_ctx *ctx, const pith_matrix *m, const pith_params *params,
                                       double budget, pith_forecast *out);
PITH_API void pith_result_free(pith_result *r); /* each handle has one; all take NULL */
PITH_API int64_t pith_result_features(const pith_result *r);
/* One for each feature, in the order of the columns: higher is better; NaN: no score. */
PITH_API const double *pith_result_scores(const pith_result *r);
/* Why a feature has no score, in a few words, such as "constant"; NULL: it has one. */
PITH_API const char *pith_result_reason(const pith_result *r, int64_t feature);
/* The numbers of all columns, from 0, best first; features without a score last, in decreasing variance, so
 * that constants come at the very end. Ties to the lower index. */
PITH_API const int64_t *pith_result_ranking(const pith_result *r);
/* The same for a selection of `count` features: another order if the method's selection depends on the count,
 * and the count was given to pith_params_set_counts. */
PITH_API const int64_t *pith_result_ranking_for(const pith_result *r, int64_t count);
/* For data with batches: in how many of them each feature is among the best, and in how many it could be. How
 * many are the best: as pith_params_set_counts says, else 2,000. The ranking is by this number, then by the
 * median rank in those batches. NULL and 0 where no rankings were merged. */
PITH_API const int32_t *pith_result_batches(const pith_result *r);
PITH_API int32_t pith_result_n_batches(const pith_result *r);
PITH_API const pith_params *pith_result_params(const pith_result *r); /* with the values chosen for auto */
PITH_API double pith_result_seconds(const pith_result *r);
PITH_API int64_t pith_result_peak_bytes(const pith_result *r); /* beyond the data */
/* Further numbers that the run found: "components", "heat_width", "iterations"; NULL past the end. */
PITH_API const char *pith_result_fact(const pith_result *r, size_t i, double *value);
/* How many of the best features to keep, as the method itself suggests; -1: it does not suggest any, or was
 * not asked to by pith_params_want_keep. */
PITH_API int64_t pith_result_keep(const pith_result *r);
/* Point i of the curve by which consensus decides how many features to keep: how well k-means on the first
 * *features of the ranking recovers the groups that the method found in halves of the features. NaN past the
 * end. */
PITH_API double pith_result_curve(const pith_result *r, int64_t i, int64_t *features);
/*
 * Is a feature more than noise? It is tested against groups of the samples, or a linear kernel, that were
 * made without it. A feature that is called shares structure with other features, which need not be the
 * structure that you look for. The samples must be independent of each other.
 */
typedef struct pith_evidence {
    int64_t features, tested; /* all there are, and those that could be tested */
    int64_t called;           /* those with q at most 0.05 */
    /* One of each for each feature, in the order of the columns; NaN: not tested. */
    const double *lift;  /* the statistic over its mean by chance */
    const double *p, *q; /* q: false discovery rate of the smallest selection with the feature in it */
    bool counts;         /* the data is counts, halves of which may agree badly even with structure */
    double smallest_q;   /* NaN: none was tested */
    double halves;       /* agreement of halves of the features: 0 as by chance, 1 the same; NaN: not known */
} pith_evidence;
/* Says in one sentence whether there is structure; returns text. */
enum { PITH_EVIDENCE_TEXT = 256 }; /* bytes that suffice for it */
PITH_API const char *pith_evidence_text(const pith_evidence *e, char *text, size_t size);
/* NULL: none was asked for by the parameter "evidence". Its "auto" is "groups" for consensus on 20 samples or
 * more, and "none" for all other methods. */
PITH_API const pith_evidence *pith_result_evidence(const pith_result *r);
/* Why a feature was not tested, in a few words; NULL: it was, or nothing was. */
PITH_API const char *pith_result_untested(const pith_result *r, int64_t feature);
/* The number of features with q at most fdr. They go to `features`, best first, unless it is NULL: an array
 * of pith_result_features numbers has room for them in any case. */
PITH_API int64_t pith_result_called(const pith_result *r, double fdr, int64_t *features);
/* The objective of an iterative method in each of its first 200 rounds; 0 rounds: it records none. */
PITH_API int64_t pith_result_rounds(const pith_result *r);
PITH_API double pith_result_objective(const pith_result *r, int64_t round); /* NaN past the end */
/* What the method decided by itself, in a sentence; NULL: nothing. */
PITH_API const char *pith_result_note(const pith_result *r);
/* What makes this result doubtful, in a sentence, such as data of the wrong kind; NULL: nothing. */
PITH_API const char *pith_result_warning(const pith_result *r);

typedef enum pith_format { PITH_CSV, PITH_TSV, PITH_JSON, PITH_TEXT, PITH_HTML } pith_format;
/* What `pith rank` writes: PITH_CSV, PITH_TSV or PITH_JSON; path NULL: standard output. m is the matrix that
 * was ranked. data is the name shown in JSON, may be NULL. */
PITH_API pith_status pith_result_write(pith_ctx *ctx, const pith_result *r, const pith_matrix *m,
                                       const char *data, pith_format format, const char *path);

/* ---- Comparing methods -------------------------------------------------------------------------- */

typedef struct pith_comparison pith_comparison; /* methods, their settings, and how well they selected */

/* All zero: every method with its defaults, judged by 20 k-means runs at up to six feature counts. */
typedef struct pith_compare_options {
    size_t size;                 /* sizeof of this struct; 0: the fields of 0.2 */
    const char *methods;         /* names separated by commas, or "all" */
    const char *features;        /* counts separated by commas */
    const char *const *grids;    /* "lambda=1e-6,1e-5", or "default" for each method's own; NULL-ended */
    const char *const *settings; /* "neighbors=7", for every method that has it; NULL-ended */
    const char *protocol;        /* of a paper: des, snfs, nrfs, lgdfs, hufs; sets what is not given here */
    const char *clusterer;       /* kmeans (default) or spectral */
    const char *metric;          /* of the clusterer: euclidean or cosine; default: cosine for counts */
    const char *cluster_on;  /* values or tf-idf: what the clusterer sees of the columns; default: tf-idf for
                                counts if no protocol is given, else values */
    const char *start;       /* of k-means: k-means++ (default) or random */
    int64_t restarts;        /* 0: 20 */
    int64_t clusters;        /* 0: the number of classes; without labels, by the eigengap */
    int64_t stability;       /* also rank this many subsamples of four fifths of the rows; 0: none */
    const char *resume;      /* file of JSON that an earlier, stopped run wrote: what it finished is kept */
    bool control;            /* also test the features of a control without structure (pith_synth_null) */
    const pith_matrix *part; /* with an engine of several processes: the samples of this process, on which
                                methods rank. In process 0, which judges, m has all samples; in the others m
                                is ignored, but not NULL, and *out becomes NULL */
} pith_compare_options;

/*
 * The matrix must outlive the comparison. A method that fails is an entry with its reason. When the
 * progress callback stops it, the status is PITH_E_STOPPED and *out holds what was finished; it is not set if
 * the callback stopped it before the first method, so make it NULL in advance.
 */
PITH_API pith_status pith_compare(pith_ctx *ctx, const pith_matrix *m, const pith_compare_options *options,
                                  pith_comparison **out);
PITH_API void pith_comparison_free(pith_comparison *c);

/* An entry is a method with one setting; baselines come last. Past the end: NULL, NaN or 0. */
PITH_API int64_t pith_comparison_entries(const pith_comparison *c);
PITH_API const char *pith_comparison_method(const pith_comparison *c, int64_t entry);
PITH_API const char *pith_comparison_setting(const pith_comparison *c, int64_t entry); /* "": defaults */
PITH_API const char *pith_comparison_error(const pith_comparison *c, int64_t entry);   /* NULL: none */
PITH_API double pith_comparison_seconds(const pith_comparison *c, int64_t entry);
/* The entry's best features and how many of them are held; NULL where it ranks none. */
PITH_API const int64_t *pith_comparison_ranking(const pith_comparison *c, int64_t entry, int64_t *count);
/* Feature counts that the entry was measured at; 0 past the end. */
PITH_API int64_t pith_comparison_features(const pith_comparison *c, int64_t entry, int64_t row);
/* A figure of that row by its name ("acc", "nmi", ...); false: not measured. */
PITH_API bool pith_comparison_figure(const pith_comparison *c, int64_t entry, int64_t row,
                                     const char *measure, double *mean, double *sd);
/* The number of runs that the figure is the mean of; 0: not measured. */
PITH_API int64_t pith_comparison_runs(const pith_comparison *c, int64_t entry, int64_t row,
                                      const char *measure);
PITH_API const char *pith_comparison_measure(size_t i); /* the names of measures; NULL past the end */
PITH_API int64_t pith_comparison_peak_bytes(const pith_comparison *c, int64_t entry);

/* Do the features share structure at all? Tested by groups, on the table that selections are judged on (the
 * first of a protocol's draws). NULL: fewer than 20 samples, or batches, or the samples cannot be grouped. */
PITH_API const pith_evidence *pith_comparison_evidence(const pith_comparison *c);
/* The same for the control of pith_synth_null, to show what chance looks like. NULL: not asked for, or no
 * evidence. */
PITH_API const pith_evidence *pith_comparison_control(const pith_comparison *c);
/* As pith_result_curve and pith_result_keep of consensus, where it is among the methods: NaN past the end,
 * -1: there is none. */
PITH_API double pith_comparison_curve(const pith_comparison *c, int64_t i, int64_t *features);
PITH_API int64_t pith_comparison_keep(const pith_comparison *c);

typedef struct pith_comparison_about {
    size_t size;                    /* sizeof of this struct; 0: the fields of 0.2 */
    const char *data, *command;     /* shown in JSON and on the page; may be NULL */
    int64_t image_rows, image_cols; /* features are the pixels of such an image; 0: they are not */
    bool image_by_columns;          /* pixels are counted down the columns, as MATLAB does */
} pith_comparison_about;
/* PITH_CSV and PITH_TSV: one row per measurement; PITH_JSON: everything; PITH_TEXT: a table for people;
 * PITH_HTML: the report page. path NULL: standard output. about may be NULL. */
PITH_API pith_status pith_comparison_write(pith_ctx *ctx, const pith_comparison *c,
                                           const pith_comparison_about *about, pith_format format,
                                           const char *path);

/* ---- Clusters and classes ----------------------------------------------------------------------- */

typedef struct pith_kmeans_options {
    size_t size;       /* sizeof of this struct; 0: the fields of 0.2 */
    int64_t clusters;  /* 1..n */
    int64_t restarts;  /* runs, of which the one with the least inertia is taken; 0: 20 */
    int64_t max_iter;  /* most rounds of a run; 0: 300 */
    bool cosine;       /* by the angle between rows instead of their distance */
    bool random_start; /* from rows drawn uniformly instead of by k-means++ */
} pith_kmeans_options;
/* Clusters the rows. labels has room for n numbers in 0..clusters-1; no cluster is empty. inertia is the sum
 * of squared distances to the centres (cosine: of 1 - cos). inertia and iterations may be NULL. */
PITH_API pith_status pith_kmeans(pith_ctx *ctx, const pith_matrix *m, const pith_kmeans_options *options,
                                 int32_t *labels, double *inertia, int64_t *iterations);

typedef struct pith_agreement {
    double acc;      /* share of samples whose cluster is matched with their class, by the best matching */
    double nmi;      /* mutual information over the larger entropy, as in the papers */
    double nmi_mean; /* over the entropies' arithmetic mean: scikit-learn's default */
    double nmi_geometric;
    double ari;    /* adjusted Rand index; 1: the same partition, about 0: chance */
    double purity; /* share of samples in their cluster's largest class */
} pith_agreement;
/* How well clusters agree with known classes, for n >= 1 samples. Both are numbered from 0; samples of class
 * -1 are left out, and at least one must remain. */
PITH_API pith_status pith_agreement_measure(pith_ctx *ctx, int64_t n, const int32_t *classes,
                                            const int32_t *clusters, pith_agreement *out);

/* ---- The machine -------------------------------------------------------------------------------- */

/* The kernels that OpenBLAS chose for this processor when it was loaded, such as "Haswell"; NULL: another
 * BLAS, which does not say. */
PITH_API const char *pith_blas_kernel(void);
/* Better kernels for this processor, to set in the environment variable OPENBLAS_CORETYPE before the program
 * starts: OpenBLAS does not know the newest processors, and uses kernels there that are several times slower.
 * NULL: it chose well, or the variable is set. pith_run and other functions that compute say so in a note,
 * once. */
PITH_API const char *pith_blas_better_kernel(void);

typedef struct pith_measure {
    const char *name; /* "dense kNN 2000 x 1000, k=10" */
    const char *unit; /* "GFLOP/s", "GB/s", "s" */
    double value;     /* in unit */
    double limit;     /* the machine's own, in unit, measured in this run; NaN: it has none */
    int64_t peak_bytes;
} pith_measure;
typedef void pith_measure_fn(const pith_measure *, void *user);
/* Times the parts that matter, each reported as it ends. quick: smaller sizes. */
PITH_API pith_status pith_bench(pith_ctx *ctx, bool quick, pith_measure_fn *report, void *user);

#ifdef __cplusplus
}
#endif

#endif
