#include "methods/snfs/softmax.h"

#include "matrix/exponential.h"

#include <math.h>
#include <string.h>

typedef int64_t long8 __attribute__((vector_size(64), aligned(8), may_alias));

enum { LANES = 8 };

/* The last values, fewer than LANES, as a whole vector, padded with -INFINITY, whose exp is 0. */
static inline PITH_I_INLINE void load_tail(const double *x, int64_t count, double *out)
{
    for (int64_t l = 0; l < LANES; l++)
        out[l] = l < count ? x[l] : -(double)INFINITY;
}

/* The largest of the lanes. */
#define TOP8(v)                                                                                              \
    __extension__({                                                                                          \
        double top_ = (v)[0];                                                                                \
        for (int l_ = 1; l_ < LANES; l_++)                                                                   \
            top_ = (v)[l_] > top_ ? (v)[l_] : top_;                                                          \
        top_;                                                                                                \
    })

PITH_I_CLONES
static double softmax(int64_t n, double b, double *x)
{
    const int64_t whole = n - n % LANES;
    double tail[LANES];
    pith_i_double8 *last = (pith_i_double8 *)tail, sum = {0};
    load_tail(x + whole, n - whole, tail);
    pith_i_double8 most = *last;
    for (int64_t j = 0; j < whole; j += LANES) {
        const pith_i_double8 v = *(const pith_i_double8 *)(x + j);
        const long8 more = v > most;
        most = (pith_i_double8)(((long8)v & more) | ((long8)most & ~more));
    }
    const double top = TOP8(most);
    for (int64_t j = 0; j < whole; j += LANES) {
        pith_i_double8 *v = (pith_i_double8 *)(x + j);
        *v = (*v - top) * b;
        pith_i_exp8(v);
        sum += *v;
    }
    *last = (*last - top) * b;
    pith_i_exp8(last);
    sum += *last;
    const double total = PITH_I_SUM8(sum), factor = b / total;
    for (int64_t j = 0; j < whole; j++)
        x[j] *= factor;
    for (int64_t j = whole; j < n; j++)
        x[j] = tail[j - whole] * factor;
    return b * top + log(total);
}

double pith_i_softmax(int64_t n, double b, double *x)
{
    return softmax(n, b, x);
}

PITH_I_CLONES
static void exp_moments(int64_t n, double b, const double *a, double moments[3])
{
    const int64_t whole = n - n % LANES;
    pith_i_double8 zero = {0}, one = {0}, two = {0};
    for (int64_t j = 0; j < whole; j += LANES) {
        const pith_i_double8 v = *(const pith_i_double8 *)(a + j);
        pith_i_double8 e = v * b;
        pith_i_exp8(&e);
        const pith_i_double8 u = v * e;
        zero += e;
        one += u;
        two += u * v;
    }
    moments[0] = PITH_I_SUM8(zero);
    moments[1] = PITH_I_SUM8(one);
    moments[2] = PITH_I_SUM8(two);
    for (int64_t j = whole; j < n; j++) {
        pith_i_double8 e = {b * a[j]};
        pith_i_exp8(&e);
        moments[0] += e[0];
        moments[1] += e[0] * a[j];
        moments[2] += e[0] * a[j] * a[j];
    }
}

void pith_i_exp_moments(int64_t n, double b, const double *a, double moments[3])
{
    exp_moments(n, b, a, moments);
}
