/*
 * Doubles from text and back: pith, the C library, and C++ libraries:
 *
 *     gcc -O3 -D_GNU_SOURCE -Isrc -c src/core/number.c -o number.o
 *     g++ -std=c++17 -O3 -Isrc bench/number_bench.cc number.o -ldouble-conversion -o number_bench &&
 * ./number_bench
 *
 * Prints the form of the text, what read or wrote it, million numbers and megabytes per CPU second of one
 * thread, best of five rounds. Every reader must give the bits that strtod gives, every writer text that
 * reads back. fast_float and double-conversion (libfast-float-dev, libdouble-conversion-dev) are left out
 * where they are not installed, and -ldouble-conversion then, too. g++'s from_chars is fast_float, its
 * to_chars is Ryu.
 */
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "core/number.h"
}
#if __has_include(<fast_float/fast_float.h>)
#include <fast_float/fast_float.h>
#endif
#if __has_include(<double-conversion/double-conversion.h>)
#include <double-conversion/double-conversion.h>
#endif

static double cpu_seconds()
{
    timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double best_of_five(const std::function<void()> &work)
{
    double best = 1e30;
    for (int round = 0; round < 5; round++) {
        const double start = cpu_seconds();
        work();
        best = std::min(best, cpu_seconds() - start);
    }
    return best;
}

static void put_row(const char *text, const char *what, double count, double bytes, double seconds)
{
    std::printf("%-8s %-26s %8.1f %8.0f\n", text, what, 1e-6 * count / seconds, 1e-6 * bytes / seconds);
}

/* text: numbers with a comma behind each. */
template <class Read>
static void time_reader(const char *form, const char *what, const std::string &text,
                        const std::vector<double> &want, Read read)
{
    std::vector<double> got(want.size());
    const double seconds = best_of_five([&] {
        const char *at = text.data(), *end = at + text.size();
        for (double &v : got)
            at = read(at, end, &v) + 1;
    });
    if (std::memcmp(got.data(), want.data(), want.size() * sizeof(double)) != 0)
        std::printf("%s: not what strtod reads\n", what), std::exit(1);
    put_row(form, what, (double)want.size(), (double)text.size(), seconds);
}

template <class Write>
static void time_writer(const char *form, const char *what, const std::vector<double> &values, Write write)
{
    std::string text(values.size() * 32, '\0');
    size_t used = 0;
    const double seconds = best_of_five([&] {
        char *to = text.data();
        for (double v : values) {
            to += write(v, to);
            *to++ = ',';
        }
        used = (size_t)(to - text.data());
    });
    const char *at = text.data();
    for (double v : values) {
        char *stop = nullptr;
        if (std::strtod(at, &stop) != v || *stop != ',')
            std::printf("%s: %.17g does not read back\n", what, v), std::exit(1);
        at = stop + 1;
    }
    put_row(form, what, (double)values.size(), (double)used, seconds);
}

/* As the readers of files do: the plain numbers in line, the others by the general function. */
static const char *pith_read(const char *at, const char *end, double *out)
{
    const char *stop = pith_i_scan_short(at, end, out);
    return stop != nullptr && *stop == ',' ? stop : pith_i_scan_double(at, end, out);
}

static int by_precisions(double v, char *text)
{
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = std::snprintf(text, 32, "%.*g", digits, v);
        if (std::strtod(text, nullptr) == v)
            break;
    }
    return length;
}

static void compare(const char *form, const std::string &text, const std::vector<double> &values)
{
    time_reader(form, "read: pith", text, values, pith_read);
    time_reader(form, "read: strtod", text, values,
                [](const char *at, const char *, double *v) -> const char * {
                    char *stop = nullptr;
                    *v = std::strtod(at, &stop);
                    return stop;
                });
    time_reader(form, "read: std::from_chars", text, values,
                [](const char *at, const char *end, double *v) { return std::from_chars(at, end, *v).ptr; });
#if __has_include(<fast_float/fast_float.h>)
    time_reader(form, "read: fast_float", text, values, [](const char *at, const char *end, double *v) {
        return fast_float::from_chars(at, end, *v).ptr;
    });
#endif
    time_writer(form, "write: pith", values, [](double v, char *to) { return pith_i_print_double(v, to); });
    time_writer(form, "write: printf %.17g", values,
                [](double v, char *to) { return std::snprintf(to, 32, "%.17g", v); });
    time_writer(form, "write: printf 15, 16, 17", values, by_precisions);
    time_writer(form, "write: std::to_chars", values,
                [](double v, char *to) { return (int)(std::to_chars(to, to + 32, v).ptr - to); });
#if __has_include(<double-conversion/double-conversion.h>)
    time_writer(form, "write: double-conversion", values, [](double v, char *to) {
        double_conversion::StringBuilder b(to, 32);
        (void)double_conversion::DoubleToStringConverter::EcmaScriptConverter().ToShortest(v, &b);
        return b.position();
    });
#endif
}

int main()
{
    const struct {
        const char *name, *format;
        double scale;
    } forms[] = {{"%.3g", "%.3g", 1},
                 {"%.5f", "%.5f", 1},
                 {"integer", "%.0f", 1e3},
                 {"%.6e", "%.6e", 1},
                 {"%.17g", "%.17g", 1}};
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (size_t f = 0; f <= std::size(forms); f++) { /* the last: any of them */
        std::string text;
        std::vector<double> values;
        for (int i = 0; i < 500000; i++) {
            const auto &form = forms[f < std::size(forms) ? f : random() % std::size(forms)];
            char number[40];
            (void)std::snprintf(number, sizeof number, form.format, form.scale * normal(random));
            values.push_back(std::strtod(number, nullptr));
            text.append(number).append(",");
        }
        compare(f < std::size(forms) ? forms[f].name : "mixed", text, values);
    }
}
