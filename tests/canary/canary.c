/*
 * Faults on purpose: each sanitizer has to see its own here, else its silence elsewhere means nothing.
 *
 *     canary overflow|leak|undefined|race|ordered
 *
 * "ordered" is the counterpart of "race": threads that wait for each other as OpenMP lets them. A thread
 * sanitizer that does not know the OpenMP runtime calls it a race.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *volatile kept;

static int overflow(int index)
{
    int *a = calloc(4, sizeof *a);
    if (a == NULL)
        return 1;
    a[index] = 1;
    const int sum = a[0] + a[index];
    free(a);
    return sum;
}

static int leak(void)
{
    kept = calloc(100, sizeof *kept);
    kept = NULL;
    return 0;
}

static int race(void)
{
    int sum = 0;
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < 1000; i++)
        sum += i;
    return sum;
}

static int ordered(void)
{
    int left[4] = {0}, right[4] = {0};
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 4; i++)
        left[i] = i;
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 4; i++)
            right[i] = left[3 - i];
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 4; i++)
            left[i] = right[3 - i];
    }
    return left[0];
}

int main(int argc, char **argv)
{
    const char *fault = argc > 1 ? argv[1] : "";
    int result = 0;
    if (strcmp(fault, "overflow") == 0)
        result = overflow(argc + 2);
    else if (strcmp(fault, "leak") == 0)
        result = leak();
    else if (strcmp(fault, "undefined") == 0)
        result = INT_MAX - 1 + argc;
    else if (strcmp(fault, "race") == 0)
        result = race();
    else if (strcmp(fault, "ordered") == 0)
        result = ordered();
    else
        return 2;
    printf("%d\n", result);
    return 0;
}
