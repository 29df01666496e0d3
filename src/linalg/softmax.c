#include "linalg/softmax.h"

#include "matrix/simd.h"

#include <math.h>
#include <string.h>

typedef int64_t long8 __attribute__((vector_size(64), aligned(8), may_alias));

enum { LANES = 8 };

/*
 * exp(x) for x <= 0: with k = round(x / ln 2), 2^k times the Taylor polynomial of degree 13 in the rest,
 * whose error is below 2^-57. Adding 1.5 * 2^52 rounds to a whole number and leaves it in the low bits. Below
 * -708, where 2^k would not be normal, it is 0.
 */
#define EXP8(x)                                                                                              \
    __extension__({                                                                                          \
        const pith_i_double8 x_ = (x);                                                                       \
        const long8 whole_ = x_ > -708.0;                                                                    \
        const pith_i_double8 y_ = (pith_i_double8)((long8)x_ & whole_);                                      \
        const pith_i_double8 t_ = y_ * 0x1.71547652b82fep0 + 0x1.8p52, k_ = t_ - 0x1.8p52;                   \
        const pith_i_double8 r_ = (y_ - k_ * 0x1.62e42fefa3800p-1) - k_ * 0x1.ef35793c76730p-45;             \
        pith_i_double8 e_ = r_ * (1.0 / 6227020800.0) + 1.0 / 479001600.0;                                   \
        e_ = e_ * r_ + 1.0 / 39916800.0;                                                                     \
        e_ = e_ * r_ + 1.0 / 3628800.0;                                                                      \
        e_ = e_ * r_ + 1.0 / 362880.0;                                                                       \
        e_ = e_ * r_ + 1.0 / 40320.0;                                                                        \
        e_ = e_ * r_ + 1.0 / 5040.0;                                                                         \
        e_ = e_ * r_ + 1.0 / 720.0;                                                                          \
        e_ = e_ * r_ + 1.0 / 120.0;                                                                          \
        e_ = e_ * r_ + 1.0 / 24.0;                                                                           \
        e_ = e_ * r_ + 1.0 / 6.0;                                                                            \
        e_ = e_ * r_ + 0.5;                                                                                  \
        e_ = e_ * r_ + 1.0;                                                                                  \
        e_ = e_ * r_ + 1.0;                                                                                  \
        const long8 power_ = ((long8)t_ + 1023) << 52;                                                       \
        (pith_i_double8)((long8)(e_ * (pith_i_double8)power_) & whole_);                                     \
    })

/* The last values, fewer than LANES, as a whole vector: the others are so low that they count for nothing. */
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
        *v = EXP8((*v - top) * b);
        sum += *v;
    }
    *last = EXP8((*last - top) * b);
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
        const pith_i_double8 v = *(const pith_i_double8 *)(a + j), e = EXP8(v * b), u = v * e;
        zero += e;
        one += u;
        two += u * v;
    }
    moments[0] = PITH_I_SUM8(zero);
    moments[1] = PITH_I_SUM8(one);
    moments[2] = PITH_I_SUM8(two);
    for (int64_t j = whole; j < n; j++) {
        const pith_i_double8 v = {b * a[j]}, e = EXP8(v);
        moments[0] += e[0];
        moments[1] += e[0] * a[j];
        moments[2] += e[0] * a[j] * a[j];
    }
}

void pith_i_exp_moments(int64_t n, double b, const double *a, double moments[3])
{
    exp_moments(n, b, a, moments);
}
