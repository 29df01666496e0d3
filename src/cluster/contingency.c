#include "cluster/contingency.h"

#include "core/engine.h"

#include <math.h>
#include <string.h>

/* Numbers the labels 0..top that occur, size[v] > 0, without gaps; returns how many these are. */
static int32_t number(int64_t top, const int64_t *size, int32_t *code)
{
    int32_t next = 0;
    for (int64_t v = 0; v <= top; v++)
        code[v] = size[v] > 0 ? next++ : -1;
    return next;
}

/* Numbers the labels that occur, size[v] times each, and keeps how often (owned). */
static pith_status number_lines(pith_ctx *ctx, int64_t lines, const int64_t *size, int32_t *code,
                                int64_t *distinct, int64_t **sum)
{
    pith_status st = PITH_OK;
    *distinct = number(lines - 1, size, code);
    TRY(NEW(ctx, *sum, *distinct));
    for (int64_t v = 0; v < lines; v++)
        if (size[v] > 0)
            (*sum)[code[v]] = size[v];
done:
    return st;
}

/* The largest label; -1: one is negative. */
static int64_t largest(int64_t n, const int32_t *label)
{
    int64_t top = 0;
    for (int64_t i = 0; i < n; i++) {
        if (label[i] < 0)
            return -1;
        top = label[i] > top ? label[i] : top;
    }
    return top;
}

/* Replaces labels by numbers without gaps; sum: how often each occurs (owned). */
static pith_status compact(pith_ctx *ctx, int64_t n, const int32_t *label, int32_t *out, int64_t *distinct,
                           int64_t **sum)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t top = largest(n, label);
    pith_status st = PITH_OK;
    int64_t *size = NULL;
    int32_t *code = NULL;
    if (top < 0)
        FAIL(ctx, PITH_E_ARGUMENT, "labels must be 0 or more");
    TRY(SCRATCH_ZERO(ctx, size, top + 1));
    TRY(SCRATCH(ctx, code, top + 1));
    for (int64_t i = 0; i < n; i++)
        size[label[i]]++;
    TRY(number_lines(ctx, top + 1, size, code, distinct, sum));
    for (int64_t i = 0; i < n; i++)
        out[i] = code[label[i]];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* order: the positions 0..n-1, in the order of `from`, sorted by label; stable. */
static void sort_by(int64_t n, const int32_t *label, int64_t distinct, const int64_t *sum, int64_t *next,
                    const int64_t *from, int64_t *order)
{
    int64_t at = 0;
    for (int64_t v = 0; v < distinct; v++) {
        next[v] = at;
        at += sum[v];
    }
    for (int64_t m = 0; m < n; m++) {
        const int64_t i = from == NULL ? m : from[m];
        order[next[label[i]]++] = i;
    }
}

/* Cells from the positions sorted by (a, b); with t->col NULL they are only counted. Returns their number. */
static int64_t cells(pith_i_contingency *t, const int64_t *order, const int32_t *a, const int32_t *b)
{
    int64_t cell = 0, m = 0;
    for (int64_t row = 0; row < t->rows; row++) {
        t->start[row] = cell;
        while (m < t->n && a[order[m]] == row) {
            const int32_t col = b[order[m]];
            const int64_t from = m;
            while (m < t->n && a[order[m]] == row && b[order[m]] == col)
                m++;
            if (t->col != NULL) {
                t->col[cell] = col;
                t->count[cell] = m - from;
            }
            cell++;
        }
    }
    t->start[t->rows] = cell;
    return cell;
}

pith_status pith_i_contingency_make(pith_ctx *ctx, int64_t n, const int32_t *first, const int32_t *second,
                                    pith_i_contingency *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_contingency t = {.n = n};
    pith_status st = PITH_OK;
    int32_t *a = NULL, *b = NULL;
    int64_t *next = NULL, *by_col = NULL, *order = NULL;
    TRY(SCRATCH(ctx, a, n));
    TRY(SCRATCH(ctx, b, n));
    TRY(compact(ctx, n, first, a, &t.rows, &t.row_sum));
    TRY(compact(ctx, n, second, b, &t.cols, &t.col_sum));
    TRY(SCRATCH(ctx, next, t.rows > t.cols ? t.rows : t.cols));
    TRY(SCRATCH(ctx, by_col, n));
    TRY(SCRATCH(ctx, order, n));
    sort_by(n, b, t.cols, t.col_sum, next, NULL, by_col);
    sort_by(n, a, t.rows, t.row_sum, next, by_col, order);
    TRY(NEW(ctx, t.start, t.rows + 1));
    const int64_t stored = cells(&t, order, a, b);
    TRY(NEW(ctx, t.col, stored));
    TRY(NEW(ctx, t.count, stored));
    (void)cells(&t, order, a, b);
    *out = t;
    t = (pith_i_contingency){0};
done:
    pith_i_contingency_free(&t);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_contingency_of_all(pith_ctx *ctx, int64_t n, int64_t rows, const int32_t *first,
                                      int64_t cols, const int32_t *second, pith_i_contingency *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_contingency t = {0};
    int64_t *count = NULL, *by_row = NULL, *by_col = NULL, stored = 0;
    int32_t *row = NULL, *col = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, count, rows * cols));
    TRY(SCRATCH_ZERO(ctx, by_row, rows));
    TRY(SCRATCH_ZERO(ctx, by_col, cols));
    TRY(SCRATCH(ctx, row, rows));
    TRY(SCRATCH(ctx, col, cols));
    for (int64_t i = 0; i < n; i++)
        count[first[i] * cols + second[i]]++;
    TRY(pith_i_sum_counts(ctx, rows * cols, count));
    for (int64_t e = 0; e < rows * cols; e++) {
        by_row[e / cols] += count[e];
        by_col[e % cols] += count[e];
        t.n += count[e];
        stored += count[e] > 0;
    }
    TRY(number_lines(ctx, rows, by_row, row, &t.rows, &t.row_sum));
    TRY(number_lines(ctx, cols, by_col, col, &t.cols, &t.col_sum));
    TRY(NEW_ZERO(ctx, t.start, t.rows + 1));
    TRY(NEW(ctx, t.col, stored));
    TRY(NEW(ctx, t.count, stored));
    for (int64_t e = 0, cell = 0; e < rows * cols; e++)
        if (count[e] > 0) {
            t.col[cell] = col[e % cols];
            t.count[cell++] = count[e];
            t.start[row[e / cols] + 1] = cell;
        }
    *out = t;
    t = (pith_i_contingency){0};
done:
    pith_i_contingency_free(&t);
    pith_i_scratch_release(ctx, mark);
    return st;
}

void pith_i_contingency_free(pith_i_contingency *t)
{
    pith_i_free(t->row_sum);
    pith_i_free(t->col_sum);
    pith_i_free(t->start);
    pith_i_free(t->col);
    pith_i_free(t->count);
    *t = (pith_i_contingency){0};
}

static double entropy(int64_t n, int64_t groups, const int64_t *size)
{
    double sum = 0;
    for (int64_t g = 0; groups > 1 && g < groups; g++)
        sum += (double)size[g] * log((double)n / (double)size[g]);
    return sum / (double)n;
}

/* sum_ab t_ab/n log(n t_ab / (row_a col_b)); at least 0, which independent labellings miss by rounding. */
static double mutual_information(const pith_i_contingency *t)
{
    double sum = 0;
    for (int64_t a = 0; a < t->rows; a++)
        for (int64_t e = t->start[a]; e < t->start[a + 1]; e++)
            sum += (double)t->count[e] * (log((double)t->n / (double)t->row_sum[a]) -
                                          log((double)t->col_sum[t->col[e]] / (double)t->count[e]));
    return fmax(sum / (double)t->n, 0);
}

double pith_i_nmi(const pith_i_contingency *t, pith_i_nmi_mean mean)
{
    const double first = entropy(t->n, t->rows, t->row_sum), second = entropy(t->n, t->cols, t->col_sum);
    if (t->rows == 1 || t->cols == 1)
        return t->rows == t->cols;
    double by = fmax(first, second);
    if (mean == PITH_I_NMI_ARITHMETIC)
        by = (first + second) / 2;
    else if (mean == PITH_I_NMI_GEOMETRIC)
        by = sqrt(first * second);
    return mutual_information(t) / by;
}
