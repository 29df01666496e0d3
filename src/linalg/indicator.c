#include "linalg/indicator.h"

#include "matrix/blas.h"

#include <float.h>
#include <math.h>

static void unit_columns(int64_t n, int64_t c, double *F)
{
    for (int64_t k = 0; k < c; k++) {
        const double norm = cblas_dnrm2((int)n, F + k, (int)c);
        for (int64_t i = 0; i < n; i++)
            F[i * c + k] /= norm;
    }
}

void pith_i_indicator_start(int64_t n, int64_t c, const int32_t *label, double *F)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < c; k++)
            F[i * c + k] = 0.2 + (label[i] == k);
    unit_columns(n, c, F);
}

/* Both triangles. */
static void inner_products(int64_t n, int64_t c, const double *F, double *G)
{
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)c, (int)n, 1, F, (int)c, 0, G, (int)c);
    for (int64_t a = 0; a < c; a++)
        for (int64_t b = 0; b < a; b++)
            G[a * c + b] = G[b * c + a];
}

void pith_i_indicator_step(int64_t n, int64_t c, double g, const double *pos, const double *neg,
                           pith_i_indicator_rate rate, double *room, double *F)
{
    double *G = room, *FG = room + c * c;
    pith_i_blas_enter();
    inner_products(n, c, F, G);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)c, 1, F, (int)c, G, (int)c, 0,
                FG, (int)c);
    pith_i_blas_leave();
    for (int64_t e = 0; e < n * c; e++) {
        const double quotient = (neg[e] + g * F[e]) / fmax(pos[e] + g * FG[e], DBL_MIN);
        F[e] *= rate == PITH_I_FOURTH_ROOT ? sqrt(sqrt(quotient)) : quotient;
    }
}

void pith_i_indicator_rescale(int64_t n, int64_t c, double *F)
{
    for (int64_t e = 0; e < n * c; e++)
        F[e] = fmax(F[e], 1e-12);
    unit_columns(n, c, F);
}

double pith_i_indicator_defect(int64_t n, int64_t c, const double *F, double *room)
{
    double sum = 0;
    pith_i_blas_enter();
    inner_products(n, c, F, room);
    pith_i_blas_leave();
    for (int64_t a = 0; a < c; a++)
        for (int64_t b = 0; b < c; b++) {
            const double off = room[a * c + b] - (a == b);
            sum += off * off;
        }
    return sum;
}
