/* Engines as shared objects: libpith-NAME.so in a folder of PITH_ENGINE_PATH or beside libpith. */
#include "core/engine.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FOLDERS = 16, PATH_BYTES = 4096 };

typedef struct folders {
    int count;
    char at[MOST_FOLDERS][PATH_BYTES];
} folders;

static void add_folder(folders *f, const char *path, size_t length, const char *below)
{
    char text[PATH_BYTES];
    if (f->count == MOST_FOLDERS || length == 0)
        return;
    const int needed = snprintf(text, sizeof text, "%.*s%s", (int)length, path, below);
    if (needed <= 0 || (size_t)needed >= sizeof text)
        return;
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->at[i], text) == 0)
            return;
    memcpy(f->at[f->count++], text, (size_t)needed + 1);
}

/* First the user's folders; then that of the library, or of the program that it is linked into. */
static void find_folders(folders *f)
{
    const char *given = secure_getenv("PITH_ENGINE_PATH");
    Dl_info here;
    f->count = 0;
    while (given != NULL && *given != '\0') {
        const size_t length = strcspn(given, ":");
        add_folder(f, given, length, "");
        given += length + (given[length] == ':');
    }
    if (dladdr(&pith_i_local_engine, &here) != 0 && here.dli_fname != NULL) {
        const char *slash = strrchr(here.dli_fname, '/');
        const size_t length = slash != NULL ? (size_t)(slash - here.dli_fname) : 0;
        add_folder(f, here.dli_fname, length, "");
        add_folder(f, here.dli_fname, length, "/pith");
    }
    add_folder(f, PITH_PROGRAMS, sizeof PITH_PROGRAMS - 1, "");
}

/* "a, b or c"; folders that do not fit are left out. */
static void list_folders(const folders *f, char *text, size_t room)
{
    text[0] = '\0';
    for (int i = 0; i < f->count; i++) {
        const size_t used = strlen(text);
        if (used + strlen(f->at[i]) + 8 < room)
            (void)snprintf(text + used, room - used, "%s%s",
                           i == 0              ? ""
                           : i + 1 == f->count ? " or "
                                               : ", ",
                           f->at[i]);
    }
}

static bool is_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_");
    return length > 0 && length <= 32 && name[length] == '\0';
}

static int is_engine(const struct dirent *entry)
{
    char name[64];
    int length = 0;
    return sscanf(entry->d_name, "libpith-%32[a-z0-9_-].so%n", name, &length) == 1 &&
           length == (int)strlen(entry->d_name);
}

/* The names of all engines found, by folder and then by name, for the message that another is missing. */
static void list_engines(const folders *f, char *text, size_t room)
{
    (void)snprintf(text, room, "local");
    for (int i = 0; i < f->count; i++) {
        struct dirent **entry = NULL;
        const int count = scandir(f->at[i], &entry, is_engine, alphasort);
        for (int e = 0; e < count; e++) {
            const char *name = entry[e]->d_name + strlen("libpith-");
            if (strlen(text) + strlen(name) + 4 < room)
                (void)snprintf(text + strlen(text), room - strlen(text), ", %.*s",
                               (int)(strlen(name) - strlen(".so")), name);
            free(entry[e]);
        }
        free(entry);
    }
}

static pith_status find_file(pith_ctx *ctx, const char *name, char path[PATH_BYTES])
{
    char where[512], names[256];
    struct stat info;
    folders *f = calloc(1, sizeof *f);
    bool found = false;
    if (f == NULL)
        return pith_i_error(ctx, PITH_E_NOMEM, "out of memory");
    find_folders(f);
    for (int i = 0; i < f->count && !found; i++) {
        const int needed = snprintf(path, PATH_BYTES, "%s/libpith-%s.so", f->at[i], name);
        found = needed > 0 && needed < PATH_BYTES && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    }
    if (!found) {
        list_folders(f, where, sizeof where);
        list_engines(f, names, sizeof names);
    }
    free(f);
    if (found)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_FILE,
                        "engine %s: there is no libpith-%s.so in %s; available engines: %s; PITH_ENGINE_PATH "
                        "adds more folders",
                        name, name, where, names);
}

/* PITH_E_FILE says why a table cannot be used. */
static pith_status check(pith_ctx *ctx, const char *path, const char *name, const pith_engine *table)
{
    if (table == NULL)
        return pith_i_error(ctx, PITH_E_FILE, "%s: pith_engine_get returns no table", path);
    if (table->version != PITH_ENGINE_VERSION)
        return pith_i_error(ctx, PITH_E_FILE,
                            "%s: built for version %d of the engine table, but this pith has version %d: "
                            "rebuild the engine against this pith",
                            path, table->version, PITH_ENGINE_VERSION);
    if (table->name == NULL || strcmp(table->name, name) != 0)
        return pith_i_error(ctx, PITH_E_FILE, "%s: calls itself %s, not %s", path,
                            table->name != NULL ? table->name : "nothing", name);
    if (table->place != NULL && (table->sum == NULL || table->exchange == NULL || table->eigen == NULL))
        return pith_i_error(ctx, PITH_E_FILE,
                            "%s: an engine for several processes needs eigen, sum and exchange, and this one "
                            "lacks some of them",
                            path);
    return PITH_OK;
}

pith_status pith_i_engine_load(pith_ctx *ctx, const char *name, const pith_engine **out)
{
    char path[PATH_BYTES];
    const pith_engine *(*get)(void) = NULL;
    pith_status st = PITH_OK;
    if (!is_name(name))
        FAIL(ctx, PITH_E_PARAMETER,
             "engine %.64s: a name has at most 32 characters, only lowercase letters, digits, - and _", name);
    TRY(find_file(ctx, name, path));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) { /* dlerror names the file itself, as a rule */
        const char *why = dlerror();
        FAIL(ctx, PITH_E_FILE, "engine %s cannot be loaded: %s", name, why != NULL ? why : path);
    }
    *(void **)&get = dlsym(library, "pith_engine_get");
    if (get == NULL) {
        (void)dlclose(library);
        FAIL(ctx, PITH_E_FILE, "%s: is not an engine: it has no function pith_engine_get", path);
    }
    TRY(check(ctx, path, name, get()));
    *out = get(); /* never unloaded: libraries that it loads may keep threads */
done:
    return st;
}
