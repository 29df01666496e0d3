/* The best few of many: a bounded max-heap in the total order (value, id), so that the order of arrival
 * cannot matter. */
#ifndef PITH_GRAPH_KNN_TOP_H
#define PITH_GRAPH_KNN_TOP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pith_i_near {
    double value;
    int64_t id;
} pith_i_near;

static inline bool pith_i_nearer(pith_i_near a, pith_i_near b)
{
    return a.value < b.value || (a.value == b.value && a.id < b.id);
}

/* Puts x at or below position `at`, whose subtree of heap[0..count-1] is in order but for `at`. */
static inline void pith_i_top_sink(pith_i_near *heap, int64_t count, int64_t at, pith_i_near x)
{
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && pith_i_nearer(heap[child], heap[child + 1]))
            child++;
        if (!pith_i_nearer(x, heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = x;
}

/* Up to this many are kept in descending order, which is a heap too and cheaper to keep. */
enum { PITH_I_TOP_SORTED = 64 };

/* Keeps the `room` nearest of all that were pushed; heap[0] is the farthest of them. */
static inline void pith_i_top_push(pith_i_near *heap, int64_t *count, int64_t room, pith_i_near x)
{
    int64_t at = 0;
    if (*count == room) {
        if (room == 0 || !pith_i_nearer(x, heap[0]))
            return;
        if (room > PITH_I_TOP_SORTED) {
            pith_i_top_sink(heap, room, 0, x);
            return;
        }
        for (; at + 1 < room && pith_i_nearer(x, heap[at + 1]); at++)
            heap[at] = heap[at + 1];
    } else if (room > PITH_I_TOP_SORTED) {
        at = (*count)++;
        for (int64_t up = (at - 1) / 2; at > 0 && pith_i_nearer(heap[up], x); up = (at - 1) / 2) {
            heap[at] = heap[up];
            at = up;
        }
    } else {
        for (at = (*count)++; at > 0 && pith_i_nearer(heap[at - 1], x); at--)
            heap[at] = heap[at - 1];
    }
    heap[at] = x;
}

/* Heap to ascending order, in place. */
static inline void pith_i_top_sort(pith_i_near *heap, int64_t count)
{
    for (int64_t last = count - 1; last > 0; last--) {
        const pith_i_near x = heap[last];
        heap[last] = heap[0];
        pith_i_top_sink(heap, last, 0, x);
    }
}

#endif
