/* Help, man page and lists for shell completion, all made from the commands' own tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "options.h"

#include <pith.h>

#include <stdio.h>

void put_help(FILE *out);
void put_command_help(FILE *out, const command *c);
void put_man_page(FILE *out);

/* "-m, --method NAME" and its help with the default, as help and man page show them. */
void option_head(const option *o, char *text, size_t size);
void option_help_text(const option *o, char *text, size_t size);
/* The word that lets pith choose: "auto", or the parameter's own. */
const char *auto_word(const pith_param *p);
/* "    --neighbors N" */
void parameter_head(const pith_param *p, char *text, size_t size);
/* "    neighbors N", for a parameter of a step of prep */
void setting_head(const pith_param *p, char *text, size_t size);
void setting_help(const pith_param *p, char *text, size_t size);

typedef struct exit_status {
    const char *number, *meaning;
} exit_status;
extern const exit_status exit_statuses[]; /* ended by an empty one */

#endif
