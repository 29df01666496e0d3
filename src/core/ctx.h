/* The inside of a context, for the files of core/ alone. */
#ifndef PITH_CORE_CTX_H
#define PITH_CORE_CTX_H

#include "core/core.h"
#include "core/search.h"

#include <pthread.h>

/* Bytes held. Shared by a context and its blocks: the last of them to be freed frees the account. */
typedef struct pith_i_account {
    _Atomic int64_t owners, in_use, peak;
    _Atomic int64_t fail_in; /* tests: counts down to the allocation that fails */
    _Atomic int64_t limit;   /* of in_use, bytes; 0: not known yet */
    _Atomic int64_t spill;   /* large blocks go to files as soon as in_use would pass this; 0: the limit */
    _Atomic int64_t in_files, most_in_files; /* bytes in scratch files, now and at most */
    _Atomic int64_t touched;                 /* bytes of mappings used since their pages were dropped */
    pthread_mutex_t lock;                    /* of what follows */
    struct pith_i_block *mappings;           /* all that are not plain memory */
} pith_i_account;

enum { PITH_I_ALIGN = 64 };

/* What precedes every block of memory. */
typedef struct pith_i_block {
    pith_i_account *account;
    size_t bytes;
    void *below;                        /* scratch: the block taken before this one */
    void *map;                          /* mapping that is freed with the block; NULL: plain memory */
    size_t map_bytes;                   /* its size, with this header if that lies in it */
    int32_t file;                       /* descriptor of its scratch file; -1: none */
    _Atomic int32_t holders;            /* references: the last pith_i_free releases it */
    struct pith_i_block *next, *before; /* of the account's mappings */
} pith_i_block;
_Static_assert(sizeof(pith_i_block) <= PITH_I_ALIGN, "the header fits before an aligned block");

static inline pith_i_block *pith_i_block_of(void *block)
{
    return (pith_i_block *)((char *)block - PITH_I_ALIGN);
}
/* Unmaps the block's mapping, and with it the header if that lies there. mapping.c */
void pith_i_mapping_end(pith_i_block *b);
/* Counts this allocation: is it the one that pith_i_fail_allocation told to fail? */
bool pith_i_told_to_fail(pith_i_account *account);
/* Memory in bytes of the machine, or of the process's control group if that has less. */
int64_t pith_i_machine_memory(void);
/* What the control groups of `list` (/proc/self/cgroup), whose folders lie in root (/sys/fs/cgroup), allow:
 * bytes, and cores that may be busy all the time. INT64_MAX: no limit. */
#define PITH_I_GROUPS_OF_PROCESS "/proc/self/cgroup"
#define PITH_I_GROUPS            "/sys/fs/cgroup"
int64_t pith_i_group_memory(const char *list, const char *root);
int64_t pith_i_group_cores(const char *list, const char *root);
int64_t pith_i_memory_limit(pith_i_account *account);

struct pith_ctx {
    pith_i_account *account;
    void *scratch; /* the block taken last; a mark is the height of the stack */
    size_t scratch_height;
    int threads;      /* 0: all */
    int most_threads; /* pith_i_limit_threads: as many as there is memory for; 0: no limit */
    int cores;        /* OpenMP's number when the context was made: BLAS may change it while it works */
    uint64_t seed;
    const struct pith_engine *engine; /* NULL: local */
    void *engine_self;
    int64_t kept;         /* most bytes of a table that could be computed again: pith_i_is_kept */
    bool engine_auto;     /* "auto" chose the engine: if it runs out of memory, local takes over */
    char *scratch_folder; /* for scratch files; NULL: TMPDIR, or /tmp */
    pith_i_searching searching;
    pith_progress_fn *progress;
    void *progress_user;
    pith_note_fn *note;
    void *note_user;
    const char *stage;
    double stage_lo, stage_hi, last_report, reached;
    const char *scope; /* the part of a larger task that the stages belong to; NULL: the whole task */
    double scope_lo, scope_hi;
    char what[160]; /* what the callback is told */
    _Atomic bool stopped;
    char message[1024];
};

pith_i_account *pith_i_account_new(void);
void pith_i_account_drop(pith_i_account *account);
void pith_i_engine_end(pith_ctx *ctx); /* closes what is open; engine.c */

#endif
