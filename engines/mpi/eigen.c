/*
 * Eigenpairs by SLEPc: Krylov-Schur on an operator that pith applies, in the complement of the known vectors.
 * But for rounding, a Krylov space holds a single vector of a repeated eigenvalue. So what was found is
 * deflated as well, and the search goes on until nothing larger is left. Each search begins with another
 * random vector: after deflation, the last one would have no part in the other copies.
 */
#include "engine.h"

#include <slepceps.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct solving {
    engine *e;
    pith_engine_call *call;
    const pith_engine_operator *A;
    pith_status status; /* of the operator */
    Mat matrix;
    PetscRandom numbers; /* of all searches, so that no two begin with the same vector */
    Vec *basis;          /* known vectors, then those found */
    int64_t n_basis, room;
    double *value; /* of those found */
    int64_t n_known, found;
    double tolerance;
} solving;

static pith_status failed(pith_engine_call *call, const char *what, PetscErrorCode code)
{
    const char *text = NULL;
    (void)PetscErrorMessage(code, &text, NULL);
    (void)snprintf(call->message, sizeof call->message, "SLEPc: %s%s%s", what, text != NULL ? ": " : "",
                   text != NULL ? text : "");
    return code == PETSC_ERR_MEM ? PITH_E_NOMEM : PITH_E_NUMERIC;
}

#define SURE(call)                                                                                           \
    do {                                                                                                     \
        code = (call);                                                                                       \
        if (code != 0)                                                                                       \
            goto done;                                                                                       \
    } while (0)

/* ---- Starting ------------------------------------------------------------------------------------------ */

static PetscErrorCode silent(MPI_Comm comm, int line, const char *function, const char *file,
                             PetscErrorCode code, PetscErrorType kind, const char *text, void *context)
{
    (void)comm, (void)line, (void)function, (void)file, (void)kind, (void)text, (void)context;
    return code;
}

/* Without PETSc's signal handlers and messages: pith has its own. */
static PetscErrorCode start(engine *e)
{
    PetscErrorCode code = 0;
    if (e->solver)
        return 0;
    PETSC_COMM_WORLD = e->work;
    SURE(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
    SURE(PetscOptionsSetValue(NULL, "-options_left", "no"));
    SURE(SlepcInitializeNoArguments());
    SURE(PetscPushErrorHandler(silent, NULL));
    e->solver = true;
done:
    return code;
}

void pith_mpi_eigen_end(engine *e)
{
    if (e->solver)
        (void)SlepcFinalize();
    e->solver = false;
}

/* ---- The operator -------------------------------------------------------------------------------------- */

static PetscErrorCode multiply(Mat M, Vec x, Vec y)
{
    solving *s = NULL;
    const double *from = NULL;
    double *to = NULL;
    PetscErrorCode code = 0;
    SURE(MatShellGetContext(M, &s));
    SURE(VecGetArrayRead(x, &from));
    SURE(VecGetArray(y, &to));
    if (s->status == PITH_OK)
        s->status = s->A->apply(s->A, 1, from, to);
    SURE(VecRestoreArrayRead(x, &from));
    SURE(VecRestoreArray(y, &to));
    code = s->status == PITH_OK ? 0 : PETSC_ERR_USER;
done:
    return code;
}

static PetscErrorCode open_solving(solving *s, const double *known)
{
    const PetscInt n = (PetscInt)s->A->n, all = (PetscInt)s->A->all;
    PetscErrorCode code = 0;
    SURE(MatCreateShell(s->e->work, n, n, all, all, s, &s->matrix));
    SURE(MatShellSetOperation(s->matrix, MATOP_MULT, (void (*)(void))(uintptr_t)multiply));
    SURE(MatSetOption(s->matrix, MAT_HERMITIAN, PETSC_TRUE));
    SURE(MatSetOption(s->matrix, MAT_SYMMETRIC, PETSC_TRUE));
    SURE(PetscRandomCreate(s->e->work, &s->numbers));
    SURE(PetscRandomSetFromOptions(s->numbers));
    for (; s->n_basis < s->room; s->n_basis++) {
        double *to = NULL;
        SURE(VecCreateMPI(s->e->work, n, all, &s->basis[s->n_basis]));
        if (s->n_basis >= s->n_known)
            continue;
        SURE(VecGetArray(s->basis[s->n_basis], &to));
        if (n > 0)
            memcpy(to, known + s->n_basis * s->A->n, (size_t)n * sizeof *to);
        SURE(VecRestoreArray(s->basis[s->n_basis], &to));
    }
done:
    return code;
}

static void close_solving(solving *s)
{
    for (int64_t v = 0; v < s->n_basis; v++)
        (void)VecDestroy(&s->basis[v]);
    (void)MatDestroy(&s->matrix);
    (void)PetscRandomDestroy(&s->numbers);
    free(s->basis);
    free(s->value);
}

/* ---- Solving ------------------------------------------------------------------------------------------- */

/* x without its parts in the basis, of length 1. */
static PetscErrorCode orthonormalize(const solving *s, Vec x)
{
    PetscErrorCode code = 0;
    for (int64_t v = 0; v < s->n_known + s->found; v++) {
        PetscScalar dot = 0;
        SURE(VecDot(x, s->basis[v], &dot));
        SURE(VecAXPY(x, -dot, s->basis[v]));
    }
    SURE(VecNormalize(x, NULL));
done:
    return code;
}

/* Keeps pair i. Its vector is made orthogonal to all before it, as far as rounding allows. */
static PetscErrorCode keep_pair(solving *s, EPS eps, PetscInt i)
{
    Vec x = s->basis[s->n_known + s->found];
    PetscScalar value = 0;
    PetscErrorCode code = 0;
    SURE(EPSGetEigenpair(eps, i, &value, NULL, x, NULL));
    SURE(orthonormalize(s, x));
    s->value[s->found++] = value;
done:
    return code;
}

/* The only direction that is left, which needs no solver. */
static PetscErrorCode keep_last(solving *s, double above, int64_t *kept)
{
    Vec x = s->basis[s->n_known + s->found], y = NULL;
    PetscScalar value = 0;
    PetscErrorCode code = 0;
    SURE(VecDuplicate(x, &y));
    SURE(VecSetRandom(x, s->numbers));
    for (int pass = 0; pass < 3; pass++)
        SURE(orthonormalize(s, x));
    SURE(MatMult(s->matrix, x, y));
    SURE(VecDot(x, y, &value));
    if (value > above) {
        s->value[s->found++] = value;
        *kept = 1;
    }
done:
    (void)VecDestroy(&y);
    return code;
}

/*
 * Finds `wanted` more pairs in the complement of the basis, and keeps those whose value exceeds `above`. The
 * solver looks at the whole complement, so the largest value that it finds is the largest that is left.
 */
static PetscErrorCode solve(solving *s, int64_t wanted, double above, int64_t *kept)
{
    const int64_t left = s->A->all - s->n_known - s->found;
    const int64_t most = s->room - s->n_known - s->found;
    EPS eps = NULL;
    BV vectors = NULL;
    PetscInt converged = 0;
    PetscErrorCode code = 0;
    *kept = 0;
    wanted = wanted < left ? wanted : left;
    wanted = wanted < most ? wanted : most;
    if (wanted < 1)
        return 0;
    if (left == 1 && left < s->A->all)
        return keep_last(s, above, kept);
    if (wanted == left && left < s->A->all) /* SLEPc wants room for one more; the last is left for later */
        wanted--;
    const int64_t space = 2 * wanted + 20 < left ? 2 * wanted + 20 : left;
    SURE(EPSCreate(s->e->work, &eps));
    SURE(EPSGetBV(eps, &vectors));
    SURE(BVSetRandomContext(vectors, s->numbers));
    SURE(EPSSetOperators(eps, s->matrix, NULL));
    SURE(EPSSetProblemType(eps, EPS_HEP));
    SURE(EPSSetType(eps, EPSKRYLOVSCHUR));
    SURE(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
    SURE(EPSSetConvergenceTest(eps, EPS_CONV_ABS));
    SURE(EPSSetTolerances(eps, s->tolerance, 10000));
    SURE(EPSSetDimensions(eps, (PetscInt)wanted, (PetscInt)space, PETSC_DEFAULT));
    if (s->n_known + s->found > 0)
        SURE(EPSSetDeflationSpace(eps, (PetscInt)(s->n_known + s->found), s->basis));
    SURE(EPSSolve(eps));
    SURE(EPSGetConverged(eps, &converged));
    if (converged < wanted)
        SURE(PETSC_ERR_NOT_CONVERGED);
    for (PetscInt i = 0; i < (PetscInt)wanted; i++) {
        PetscScalar value = 0;
        SURE(EPSGetEigenvalue(eps, i, &value, NULL));
        if (value <= above)
            break;
        SURE(keep_pair(s, eps, i));
        (*kept)++;
    }
done:
    (void)EPSDestroy(&eps);
    return code;
}

/* The m-th largest of those found. */
static double least_of(const solving *s, int64_t m)
{
    double last = INFINITY, least = -INFINITY;
    for (int64_t taken = 0; taken < m;) {
        least = -INFINITY;
        int64_t same = 0;
        for (int64_t v = 0; v < s->found; v++)
            if (s->value[v] < last && s->value[v] >= least) {
                same = s->value[v] == least ? same + 1 : 1;
                least = s->value[v];
            }
        taken += same;
        last = least;
        if (same == 0)
            break;
    }
    return least;
}

/* m pairs, then those that were missed, until there are none. */
static PetscErrorCode solve_all(solving *s, int64_t m)
{
    int64_t kept = 0;
    PetscErrorCode code = 0;
    SURE(solve(s, m, -INFINITY, &kept));
    while (s->found < m && kept > 0)
        SURE(solve(s, m - s->found, -INFINITY, &kept));
    for (kept = 1; kept > 0 && s->found < s->room - s->n_known;)
        SURE(solve(s, 1, least_of(s, m) + s->tolerance, &kept));
done:
    return code;
}

typedef struct pair {
    double value;
    int64_t at;
} pair;

static int descending(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    return a->value != b->value ? (a->value > b->value ? -1 : 1) : (a->at > b->at) - (a->at < b->at);
}

static PetscErrorCode write_pairs(const solving *s, int64_t m, double *values, double *vectors)
{
    const int64_t n = s->A->n;
    pair *order = calloc((size_t)s->found + 1, sizeof *order);
    PetscErrorCode code = 0;
    if (order == NULL)
        return PETSC_ERR_MEM;
    for (int64_t v = 0; v < s->found; v++)
        order[v] = (pair){s->value[v], v};
    qsort(order, (size_t)s->found, sizeof *order, descending);
    for (int64_t v = 0; v < m; v++) {
        const double *from = NULL;
        Vec x = s->basis[s->n_known + order[v].at];
        values[v] = order[v].value;
        SURE(VecGetArrayRead(x, &from));
        if (n > 0)
            memcpy(vectors + v * n, from, (size_t)n * sizeof *from);
        SURE(VecRestoreArrayRead(x, &from));
    }
done:
    free(order);
    return code;
}

pith_status pith_mpi_eigen(void *self, pith_engine_call *call, const pith_engine_operator *A, int64_t m,
                           int64_t n_known, const double *known, double tolerance, double *values,
                           double *vectors)
{
    /* Closer than asked for: the vectors of different numbers of processes then agree to 1e-8 or so. */
    solving s = {.e = self,
                 .call = call,
                 .A = A,
                 .n_known = n_known,
                 .room = n_known + 2 * m + 8,
                 .tolerance = tolerance < 1e-6 ? fmax(tolerance * 1e-3, 2e-13) : tolerance};
    PetscErrorCode code = 0;
    s.room = s.room < A->all ? s.room : A->all;
    if (A->all > INT32_MAX) {
        (void)snprintf(call->message, sizeof call->message, "eigenvectors of more than 2^31 rows");
        return PITH_E_PARAMETER;
    }
    s.basis = calloc((size_t)s.room + 1, sizeof(Vec));
    s.value = calloc((size_t)s.room + 1, sizeof(double));
    if (s.basis == NULL || s.value == NULL) {
        close_solving(&s);
        return PITH_E_NOMEM;
    }
    SURE(start(self));
    SURE(open_solving(&s, known));
    SURE(solve_all(&s, m));
    if (s.found < m)
        SURE(PETSC_ERR_NOT_CONVERGED);
    SURE(write_pairs(&s, m, values, vectors));
done:
    close_solving(&s);
    if (s.status != PITH_OK)
        return s.status;
    return code == 0 ? PITH_OK : failed(call, "eigenpairs were not found", code);
}
