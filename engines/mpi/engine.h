/* What the files of the engine share. */
#ifndef PITH_MPI_ENGINE_H
#define PITH_MPI_ENGINE_H

#include <pith-engine.h>

#include <mpi.h>

typedef struct engine {
    int rank, ranks;
    MPI_Comm work;   /* sums, exchanges, eigenpairs */
    MPI_Comm behind; /* exchanges that go on while pith computes */
    MPI_Comm settle; /* who failed */
    int begun;       /* exchanges, for tags */
    bool solver;     /* SLEPc has been started */
    int64_t sent;    /* bytes, for PITH_MPI_COUNT; */
    int64_t blocks;  /* those by `begin` alone: blocks of rows, and lists that go back */
} engine;

/* Waits without keeping busy a core that another process may need. PITH_E_STOPPED if the user stops the run.
 */
pith_status pith_mpi_wait(pith_engine_call *call, int count, MPI_Request *request);
/* Turns an error code of MPI into a message. */
pith_status pith_mpi_failed(pith_engine_call *call, const char *what, int code);

pith_status pith_mpi_eigen(void *self, pith_engine_call *call, const pith_engine_operator *A, int64_t m,
                           int64_t n_known, const double *known, double tolerance, double *values,
                           double *vectors);
void pith_mpi_eigen_end(engine *e);

#endif
