/*
 * Sparse data with hidden structure for bench/ann.py, in the format that ann_bench reads:
 *
 *     ann_make cells|text N P ENTRIES SEED FILE
 *
 * A row is a bag of about ENTRIES different features, drawn from a mixture of distributions ("programs"):
 *
 *     cells   one of 30 types of unequal frequency, and six continuous programs in proportions of its own;
 *             values ln(1 + 10^4 count / total), as is usual for cells
 *     text    words by Zipf's law, one or two of 100 topics, and one story that about twenty documents
 *             share, with words of its own; values (1 + ln count) ln(n / documents with the word)
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 30, FACTORS = 6, TOPICS = 100, STORY_WORDS = 40, PER_STORY = 20 };

static uint64_t state;

static uint64_t bits(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(void)
{
    return ((double)(bits() >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static void *room(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "ann_make: out of memory\n");
        exit(1);
    }
    return block;
}

/* ---- Distributions over features, by Walker's aliases -------------------------------------------------- */

typedef struct program {
    float *keep;
    int32_t *other;
} program;

static program program_of(int64_t p, double *weight)
{
    program a = {room((size_t)p, sizeof *a.keep), room((size_t)p, sizeof *a.other)};
    int32_t *stack = room((size_t)p, sizeof *stack);
    int64_t small = 0, large = p;
    double sum = 0;
    for (int64_t j = 0; j < p; j++)
        sum += weight[j];
    for (int64_t j = 0; j < p; j++) {
        weight[j] *= (double)p / sum;
        stack[weight[j] < 1 ? small++ : --large] = (int32_t)j;
    }
    while (small > 0 && large < p) {
        const int32_t s = stack[--small], l = stack[large];
        a.keep[s] = (float)weight[s];
        a.other[s] = l;
        weight[l] -= 1 - weight[s];
        if (weight[l] < 1) {
            large++;
            stack[small++] = l;
        }
    }
    while (small > 0)
        a.keep[stack[--small]] = 1;
    while (large < p)
        a.keep[stack[large++]] = 1;
    free(stack);
    return a;
}

static int32_t draw(const program *a, int64_t p)
{
    const uint64_t r = bits();
    const int32_t j = (int32_t)((r >> 32) * (uint64_t)p >> 32);
    return (float)(r & 0xffffff) * 0x1p-24F < a->keep[j] ? j : a->other[j];
}

/* The base, with a share of the features made e^(spread normal) times as frequent. */
static program variant(int64_t p, const double *base, double share, double spread)
{
    double *weight = room((size_t)p, sizeof *weight);
    for (int64_t j = 0; j < p; j++)
        weight[j] = base[j] * (uniform() < share ? exp(spread * normal()) : 1);
    const program a = program_of(p, weight);
    free(weight);
    return a;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

typedef struct maker {
    int64_t p;
    program base, part[TOPICS];
    int32_t *story; /* words of every story */
    int64_t stories;
    uint16_t *count; /* of every feature in this row */
} maker;

static void add_cell(maker *k, int64_t tokens)
{
    const int type = (int)(TYPES * uniform() * uniform());
    double weight[FACTORS], sum = 0;
    for (int f = 0; f < FACTORS; f++)
        sum += weight[f] = -log(uniform());
    for (int64_t t = 0; t < tokens; t++) {
        double u = uniform() * sum / 0.4; /* four tenths from the continuous programs */
        int f = 0;
        while (f < FACTORS && u >= weight[f])
            u -= weight[f++];
        k->count[draw(f < FACTORS ? &k->part[TYPES + f] : &k->part[type], k->p)]++;
    }
}

static void add_text(maker *k, int64_t tokens)
{
    const int64_t story = (int64_t)(uniform() * (double)k->stories);
    const int first = (int)(story % TOPICS), second = (int)(uniform() * TOPICS);
    const double aside = uniform() < 0.5 ? 0.1 : 0;
    for (int64_t t = 0; t < tokens; t++) {
        const double u = uniform();
        if (u < 0.15) {
            const double v = uniform();
            k->count[k->story[story * STORY_WORDS + (int64_t)(v * v * STORY_WORDS)]]++;
        } else {
            k->count[draw(u < 0.15 + aside ? &k->part[second]
                          : u < 0.5        ? &k->part[first]
                                           : &k->base,
                          k->p)]++;
        }
    }
}

static void open_maker(bool cells, int64_t n, int64_t p, maker *k)
{
    double *base = room((size_t)p, sizeof *base);
    k->p = p;
    k->count = room((size_t)p, sizeof *k->count);
    for (int64_t j = 0; j < p; j++)
        base[j] = cells ? exp(1.5 * normal()) : 1 / pow((double)j + 10, 1.05);
    for (int i = 0; i < (cells ? TYPES + FACTORS : TOPICS); i++)
        k->part[i] = cells ? variant(p, base, 0.3, 1) : variant(p, base, 0.1, 2.5);
    k->stories = n / PER_STORY + 1;
    k->story = room((size_t)(k->stories * STORY_WORDS), sizeof *k->story);
    for (int64_t e = 0; !cells && e < k->stories * STORY_WORDS; e++) /* words of its topic, or rare ones */
        k->story[e] =
            e % 3 == 0 ? (int32_t)(uniform() * (double)p) : draw(&k->part[e / STORY_WORDS % TOPICS], p);
    k->base = program_of(p, base);
    free(base);
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static void weigh_text(int64_t n, int64_t p, int64_t entries, const int32_t *index, float *value)
{
    int64_t *with = room((size_t)p, sizeof *with);
    for (int64_t e = 0; e < entries; e++)
        with[index[e]]++;
    for (int64_t e = 0; e < entries; e++)
        value[e] = (float)((1 + log((double)value[e])) * log((double)n / (double)with[index[e]]) + 1e-3);
    free(with);
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return 2;
    const bool cells = strcmp(argv[1], "cells") == 0;
    const int64_t n = atoll(argv[2]), p = atoll(argv[3]);
    const double wanted = atof(argv[4]);
    maker k = {0};
    state = (uint64_t)atoll(argv[5]);
    open_maker(cells, n, p, &k);
    int64_t *start = room((size_t)n + 1, sizeof *start), capacity = (int64_t)(1.15 * wanted * (double)n) + p;
    int32_t *index = malloc((size_t)capacity * sizeof *index);
    float *value = malloc((size_t)capacity * sizeof *value);
    double tokens = 1.5 * wanted; /* adjusted by the entries of the rows so far */
    for (int64_t i = 0; i < n && index != NULL && value != NULL; i++) {
        const int64_t drawn = (int64_t)(tokens * exp(0.25 * normal())) + 1;
        int64_t at = start[i];
        cells ? add_cell(&k, drawn) : add_text(&k, drawn);
        for (int64_t j = 0; j < p; j++)
            if (k.count[j] > 0 && at < capacity) {
                index[at] = (int32_t)j;
                value[at++] = cells ? log1pf(1e4F * (float)k.count[j] / (float)drawn) : (float)k.count[j];
            }
        memset(k.count, 0, (size_t)p * sizeof *k.count);
        start[i + 1] = at;
        tokens *= pow(wanted * (double)(i + 1) / (double)at, i < 1000 ? 0.05 : 0.0005);
    }
    if (index == NULL || value == NULL)
        return 1;
    if (!cells)
        weigh_text(n, p, start[n], index, value);
    FILE *out = fopen(argv[6], "wb");
    const bool written = out != NULL && fwrite(start, sizeof *start, (size_t)n + 1, out) == (size_t)n + 1 &&
                         fwrite(index, sizeof *index, (size_t)start[n], out) == (size_t)start[n] &&
                         fwrite(value, sizeof *value, (size_t)start[n], out) == (size_t)start[n] &&
                         fclose(out) == 0;
    printf("%lld\n", (long long)start[n]);
    return written ? 0 : 1;
}
