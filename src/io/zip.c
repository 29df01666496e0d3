/*
 * The format, by PKWARE's APPNOTE.TXT: each member is a local header and its bytes; then come a directory of
 * all members and a record that tells where the directory is. Sizes of 4 GB and more lie in an extra field of
 * 64-bit numbers (zip64), and the record has a longer one before it. All numbers are little-endian.
 */
#include "io/zip.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

enum {
    LOCAL = 0x04034b50,
    DIRECTORY = 0x02014b50,
    END = 0x06054b50,
    END64 = 0x06064b50,
    LOCATOR64 = 0x07064b50,
    LOCAL_BYTES = 30,
    DIRECTORY_BYTES = 46,
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR64_BYTES = 20,
    EXTRA64 = 1,
    EXTRA_ALIGN = 0xd935, /* as Android's zipalign pads */
    ALIGN = 64,
    PART = 1 << 22
};
static const int64_t narrow = 0xffffffff; /* in a 32-bit field: see the zip64 field */

/* ---- Reading ---------------------------------------------------------------------------------------- */

typedef struct span {
    const unsigned char *at;
    int64_t size;
} span;

/* `bytes` bytes at `from`, as a number; all lie in the span. */
static uint64_t number(span s, int64_t from, int bytes)
{
    uint64_t v = 0;
    for (int k = bytes; k-- > 0;)
        v = v << 8 | s.at[from + k];
    return v;
}

static bool holds(span s, int64_t from, int64_t bytes)
{
    return from >= 0 && bytes >= 0 && from <= s.size && bytes <= s.size - from;
}

static bool is(span s, int64_t from, int64_t bytes, uint32_t signature)
{
    return holds(s, from, bytes) && number(s, from, 4) == signature;
}

/* The last end record whose comment ends with the file; -1: none. */
static int64_t find_end(span s)
{
    enum { MOST_COMMENT = 0xffff };
    for (int64_t at = s.size - END_BYTES; at >= 0 && at >= s.size - END_BYTES - MOST_COMMENT; at--)
        if (is(s, at, END_BYTES, END) && at + END_BYTES + (int64_t)number(s, at + 20, 2) == s.size)
            return at;
    return -1;
}

/* Where the directory begins, and how many members it has; false: it cannot be found. */
static bool find_directory(span s, int64_t *from, uint64_t *members)
{
    const int64_t end = find_end(s), locator = end - LOCATOR64_BYTES;
    if (end < 0)
        return false;
    *members = number(s, end + 10, 2);
    *from = (int64_t)number(s, end + 16, 4);
    if (!is(s, locator, LOCATOR64_BYTES, LOCATOR64))
        return true;
    const uint64_t at = number(s, locator + 8, 8);
    if (at > (uint64_t)s.size || !is(s, (int64_t)at, END64_BYTES, END64))
        return false;
    *members = number(s, (int64_t)at + 32, 8);
    const uint64_t first = number(s, (int64_t)at + 48, 8);
    *from = first <= (uint64_t)s.size ? (int64_t)first : -1;
    return *from >= 0;
}

/* The sizes and offset of a directory entry; those that do not fit into 32 bits are in its zip64 field. */
typedef struct wide {
    uint64_t size, packed, offset;
} wide;

static bool widen(span s, int64_t at, wide *w)
{
    uint64_t *const fields[] = {&w->size, &w->packed, &w->offset};
    const int64_t extra = at + DIRECTORY_BYTES + (int64_t)number(s, at + 28, 2);
    const int64_t stop = extra + (int64_t)number(s, at + 30, 2);
    for (int64_t e = extra; e + 4 <= stop; e += 4 + (int64_t)number(s, e + 2, 2)) {
        const int64_t last = e + 4 + (int64_t)number(s, e + 2, 2);
        if (number(s, e, 2) != EXTRA64 || last > stop)
            continue;
        int64_t next = e + 4;
        for (size_t k = 0; k < COUNT(fields); k++) {
            if (*fields[k] != (uint64_t)narrow)
                continue;
            if (next + 8 > last)
                return false;
            *fields[k] = number(s, next, 8);
            next += 8;
        }
    }
    return w->size <= INT64_MAX && w->packed == w->size && w->offset <= (uint64_t)s.size;
}

/* The bytes after the local header at `offset`. */
static bool find_bytes(span s, int64_t offset, int64_t size, pith_i_zip_member *out)
{
    if (!is(s, offset, LOCAL_BYTES, LOCAL))
        return false;
    const int64_t from =
        offset + LOCAL_BYTES + (int64_t)number(s, offset + 26, 2) + (int64_t)number(s, offset + 28, 2);
    if (!holds(s, from, size))
        return false;
    out->at = (const char *)s.at + from;
    out->size = size;
    return true;
}

/* The length of the directory's entry at `at`; 0: there is none that lies in the span as a whole. */
static int64_t entry_length(span s, int64_t at)
{
    if (!is(s, at, DIRECTORY_BYTES, DIRECTORY))
        return 0;
    const int64_t length = DIRECTORY_BYTES + (int64_t)number(s, at + 28, 2) + (int64_t)number(s, at + 30, 2) +
                           (int64_t)number(s, at + 32, 2);
    return holds(s, at, length) ? length : 0;
}

bool pith_i_zip_find(const char *archive, int64_t size, uint64_t index, const char *name,
                     pith_i_zip_member *out)
{
    enum { ENCRYPTED = 1 };
    const span s = {(const unsigned char *)archive, size};
    int64_t at = 0, length = 0;
    uint64_t members = 0;
    if (!find_directory(s, &at, &members) || index >= members)
        return false;
    for (uint64_t k = 0; k < index; k++, at += length)
        if ((length = entry_length(s, at)) == 0)
            return false;
    if (entry_length(s, at) == 0)
        return false;
    const bool plain = number(s, at + 10, 2) == 0 && (number(s, at + 8, 2) & ENCRYPTED) == 0;
    const size_t letters = (size_t)number(s, at + 28, 2);
    if (!plain || letters != strlen(name) || memcmp(s.at + at + DIRECTORY_BYTES, name, letters) != 0)
        return false;
    wide w = {number(s, at + 24, 4), number(s, at + 20, 4), number(s, at + 42, 4)};
    out->crc = (uint32_t)number(s, at + 16, 4);
    return widen(s, at, &w) && find_bytes(s, (int64_t)w.offset, (int64_t)w.size, out);
}

pith_status pith_i_zip_check(pith_ctx *ctx, const char *where, const pith_i_zip_member *member)
{
    uLong crc = crc32(0, Z_NULL, 0);
    pith_status st = PITH_OK;
    for (int64_t done = 0; done < member->size; done += PART) {
        const int64_t part = member->size - done < PART ? member->size - done : PART;
        TRY(pith_i_progress(ctx, done, member->size));
        crc = crc32_z(crc, (const Bytef *)member->at + done, (z_size_t)part);
        pith_i_touched(ctx, part);
    }
    if ((uint32_t)crc != member->crc)
        FAIL(ctx, PITH_E_DATA, "%s: is truncated or damaged", where);
done:
    return st;
}

/* ---- Writing ---------------------------------------------------------------------------------------- */

typedef struct record {
    unsigned char bytes[256];
    int64_t size;
} record;

static void put(record *r, uint64_t v, int bytes)
{
    for (int k = 0; k < bytes; k++)
        r->bytes[r->size++] = (unsigned char)(v >> 8 * k);
}

static pith_status cannot_write(const pith_i_zip *z)
{
    return pith_i_error(z->ctx, PITH_E_FILE, "%s: cannot be written: %s", z->path,
                        strerror(errno != 0 ? errno : EIO));
}

static pith_status hand_over(const pith_i_zip *z, const void *bytes, int64_t count)
{
    errno = 0;
    return fwrite(bytes, 1, (size_t)count, z->stream) == (size_t)count ? PITH_OK : cannot_write(z);
}

/* Version, flags, method, a fixed date (the same data gives the same bytes; 1980-01-01 is the first that zip
 * knows), checksum, sizes, length of the name: what both headers share. */
static void put_common(record *r, const pith_i_zip_entry *e, bool large)
{
    put(r, large ? 45 : 20, 2);
    put(r, 0, 2);
    put(r, 0, 2);
    put(r, 0, 2);
    put(r, 0x21, 2);
    put(r, e->crc, 4);
    put(r, (uint64_t)(large ? narrow : e->size), 4);
    put(r, (uint64_t)(large ? narrow : e->size), 4);
    put(r, strlen(e->name), 2);
}

static void put_name(record *r, const char *name)
{
    memcpy(r->bytes + r->size, name, strlen(name));
    r->size += (int64_t)strlen(name);
}

/* The header, padded so that the bytes after it begin at a multiple of ALIGN. */
static void make_local(const pith_i_zip_entry *e, record *r)
{
    const bool large = e->size >= narrow;
    const int64_t wide_bytes = large ? 20 : 0, least = 6;
    const int64_t before = e->offset + LOCAL_BYTES + (int64_t)strlen(e->name) + wide_bytes + least;
    const int64_t padding = least + (ALIGN - before % ALIGN) % ALIGN;
    put(r, LOCAL, 4);
    put_common(r, e, large);
    put(r, (uint64_t)(wide_bytes + padding), 2);
    put_name(r, e->name);
    if (large) {
        put(r, EXTRA64, 2);
        put(r, 16, 2);
        put(r, (uint64_t)e->size, 8);
        put(r, (uint64_t)e->size, 8);
    }
    put(r, EXTRA_ALIGN, 2);
    put(r, (uint64_t)(padding - 4), 2);
    put(r, ALIGN, 2);
    for (int64_t k = least; k < padding; k++)
        put(r, 0, 1);
}

pith_status pith_i_zip_begin(pith_i_zip *z, const char *name, int64_t size)
{
    pith_i_zip_entry *e = &z->entry[z->count];
    record r = {.size = 0};
    if (z->count == PITH_I_ZIP_MOST || strlen(name) >= sizeof e->name)
        return pith_i_error(z->ctx, PITH_E_BUG, "an archive has no room for %s", name);
    *e = (pith_i_zip_entry){.size = size, .offset = (int64_t)ftello(z->stream)};
    memcpy(e->name, name, strlen(name) + 1);
    if (e->offset < 0)
        return cannot_write(z);
    make_local(e, &r);
    e->crc = (uint32_t)crc32(0, Z_NULL, 0);
    return hand_over(z, r.bytes, r.size);
}

pith_status pith_i_zip_bytes(pith_i_zip *z, const void *bytes, int64_t count)
{
    pith_i_zip_entry *e = &z->entry[z->count];
    const char *at = bytes;
    pith_status st = PITH_OK;
    for (int64_t left = count; left > 0; left -= PART, at += PART) {
        const int64_t part = left < PART ? left : PART;
        TRY(pith_i_progress(z->ctx, z->done, z->total));
        e->crc = (uint32_t)crc32_z(e->crc, (const Bytef *)at, (z_size_t)part);
        TRY(hand_over(z, at, part));
        z->done += part;
        pith_i_touched(z->ctx, part);
    }
done:
    return st;
}

/* Writes the checksum into the local header: it is known only after the bytes. */
static pith_status write_checksum(pith_i_zip *z, const pith_i_zip_entry *e)
{
    enum { CHECKSUM = 14 };
    record r = {.size = 0};
    pith_status st = PITH_OK;
    put(&r, e->crc, 4);
    errno = 0;
    const off_t here = ftello(z->stream);
    if (here < 0 || fseeko(z->stream, (off_t)(e->offset + CHECKSUM), SEEK_SET) != 0)
        TRY(cannot_write(z));
    TRY(hand_over(z, r.bytes, r.size));
    if (fseeko(z->stream, here, SEEK_SET) != 0)
        TRY(cannot_write(z));
done:
    return st;
}

pith_status pith_i_zip_end(pith_i_zip *z)
{
    const pith_status st = write_checksum(z, &z->entry[z->count]);
    z->count += st == PITH_OK;
    return st;
}

pith_status pith_i_zip_gap(pith_i_zip *z, int64_t count, int64_t *at)
{
    *at = (int64_t)ftello(z->stream);
    errno = 0;
    return *at >= 0 && fseeko(z->stream, (off_t)count, SEEK_CUR) == 0 ? PITH_OK : cannot_write(z);
}

pith_status pith_i_zip_filled(pith_i_zip *z, int64_t member, uint32_t crc, int64_t count)
{
    pith_i_zip_entry *e = &z->entry[member];
    e->crc = pith_i_zip_joined(e->crc, crc, count);
    return write_checksum(z, e);
}

static void make_directory(const pith_i_zip_entry *e, record *r)
{
    const bool large = e->size >= narrow, far = e->offset >= narrow;
    const int wide_bytes = (large ? 16 : 0) + (far ? 8 : 0);
    put(r, DIRECTORY, 4);
    put(r, large || far ? 45 : 20, 2);
    put_common(r, e, large);
    put(r, wide_bytes > 0 ? (uint64_t)wide_bytes + 4 : 0, 2);
    put(r, 0, 6); /* comment, disk and attributes: none */
    put(r, 0, 4);
    put(r, (uint64_t)(far ? narrow : e->offset), 4);
    put_name(r, e->name);
    if (wide_bytes > 0) {
        put(r, EXTRA64, 2);
        put(r, (uint64_t)wide_bytes, 2);
    }
    if (large) {
        put(r, (uint64_t)e->size, 8);
        put(r, (uint64_t)e->size, 8);
    }
    if (far)
        put(r, (uint64_t)e->offset, 8);
}

/* The end record, with the longer one (zip64) before it if a number does not fit. */
static void make_end(int64_t count, int64_t from, int64_t bytes, record *r)
{
    const bool far = from + bytes >= narrow;
    if (far) {
        put(r, END64, 4);
        put(r, END64_BYTES - 12, 8);
        put(r, 45, 2);
        put(r, 45, 2);
        put(r, 0, 8); /* disks */
        put(r, (uint64_t)count, 8);
        put(r, (uint64_t)count, 8);
        put(r, (uint64_t)bytes, 8);
        put(r, (uint64_t)from, 8);
        put(r, LOCATOR64, 4);
        put(r, 0, 4);
        put(r, (uint64_t)(from + bytes), 8);
        put(r, 1, 4);
    }
    put(r, END, 4);
    put(r, 0, 4); /* disks */
    put(r, (uint64_t)count, 2);
    put(r, (uint64_t)count, 2);
    put(r, (uint64_t)bytes, 4);
    put(r, (uint64_t)(far ? narrow : from), 4);
    put(r, 0, 2);
}

pith_status pith_i_zip_finish(pith_i_zip *z)
{
    const int64_t from = (int64_t)ftello(z->stream);
    int64_t bytes = 0;
    pith_status st = PITH_OK;
    record end = {.size = 0};
    if (from < 0)
        TRY(cannot_write(z));
    for (int64_t k = 0; k < z->count; k++) {
        record r = {.size = 0};
        make_directory(&z->entry[k], &r);
        TRY(hand_over(z, r.bytes, r.size));
        bytes += r.size;
    }
    make_end(z->count, from, bytes, &end);
    TRY(hand_over(z, end.bytes, end.size));
done:
    return st;
}

uint32_t pith_i_zip_checksum(uint32_t before, const void *bytes, int64_t count)
{
    return (uint32_t)crc32_z(before, bytes, (z_size_t)count);
}

uint32_t pith_i_zip_joined(uint32_t first, uint32_t second, int64_t count)
{
    return (uint32_t)crc32_combine(first, second, (z_off_t)count);
}
