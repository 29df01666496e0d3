/* One per command, in the order of `pith --help`. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

extern const command command_demo, command_info, command_rank, command_select, command_compare, command_prep,
    command_tree, command_synth, command_convert, command_methods, command_bench, command_help;

const command *command_at(size_t i); /* NULL past the end */
const command *command_find(const char *name);
int unknown_command(const char *name);

#endif
