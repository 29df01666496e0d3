#!/usr/bin/env python3
"""Writes src/io/powers.h: 128-bit truncations of the powers of five that the number scanner multiplies by.

Row q holds the 128 leading bits of 5^q, with the leading bit set. Powers with q >= 0 are rounded down.
Reciprocals with -27 <= q < 0 are rounded up, so that a decimal whose double is exact comes out exact;
those below are rounded down (D. Lemire, Number parsing at a gigabyte per second, 2021, section 5).
"""
import pathlib

FIRST, LAST = -342, 308  # 10^q times any 64-bit integer outside is 0 or infinite


def leading(q):
    if q >= 0:
        power = 5**q
        shift = power.bit_length() - 128
        return power >> shift if shift >= 0 else power << -shift
    power = 5**-q
    top = 1 << (power.bit_length() + 127)
    return top // power + (1 if q >= -27 else 0)


def main():
    rows = []
    for q in range(FIRST, LAST + 1):
        value = leading(q)
        assert value.bit_length() == 128, q
        rows.append(f"    {{UINT64_C(0x{value >> 64:016x}), UINT64_C(0x{value & (1 << 64) - 1:016x})}},\n")
    text = (
        "/* Made by tools/make_powers.py: the 128 leading bits of 5^q, high half first. */\n"
        "#ifndef PITH_IO_POWERS_H\n#define PITH_IO_POWERS_H\n\n#include <stdint.h>\n\n"
        f"enum {{ POWER_FIRST = {FIRST}, POWER_LAST = {LAST} }};\n\n"
        "static const uint64_t power_of_five[POWER_LAST - POWER_FIRST + 1][2] = {\n"
        + "".join(rows) + "};\n\n#endif\n"
    )
    pathlib.Path(__file__).parent.parent.joinpath("src/io/powers.h").write_text(text)


main()
