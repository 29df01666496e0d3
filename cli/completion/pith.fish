# fish completion for pith. Commands, options, methods and parameters are asked of the command itself.

# The first and the last of tab-separated columns: word and description.
function __pith_described
    cat | string replace -r '^([^\t]*)\t.*\t([^\t]*)$' '$1'\t'$2'
end

function __pith_methods
    pith methods --format tsv 2>/dev/null | __pith_described
end

function __pith_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if test (count $words) -eq 1
        pith help --list 2>/dev/null
        printf '%s\n' --help\t'the list of commands' --version\t'the version'
        return
    end
    set -l method ''
    for i in (seq 3 (count $words))
        switch $words[$i]
            case -m --method
                test $i -lt (count $words); and set method $words[(math $i + 1)]
            case '--method=*'
                set method (string replace -- --method= '' $words[$i])
        end
    end
    set -l list (pith help --list $words[2] $method 2>/dev/null)
    set -l before $words[-1]
    set -l prefix ''
    if string match -q -- '--*=*' $current
        set before (string replace -r '=.*' '' -- $current)
        set prefix $before=
    end
    set -l takes ''
    for line in $list
        set -l columns (string split \t -- $line)
        if string match -q -- '-*' $before; and test "$columns[1]" = "$before"
            set takes $columns[2]
        end
    end
    switch "$takes"
        case METHOD
            if test $words[2] = compare
                printf '%s\n' $prefix'all'\t'every method that suits the data'
            else
                printf '%s\n' $prefix'auto'\t'picked by the kind of data'
            end
            for line in (__pith_methods)
                printf '%s\n' $prefix$line
            end
        case FILE
            for line in (__fish_complete_path (string replace -- "$prefix" '' $current))
                printf '%s\n' $prefix$line
            end
        case VALUE
        case ''
            if string match -q -- '-*' $current
                printf '%s\n' $list | __pith_described
                return
            end
            switch $words[2]
                case methods
                    __pith_methods
                case synth tree
                    if test (count $words) -gt 2
                        __fish_complete_path $current
                    else if test $words[2] = synth
                        printf '%s\n' nrfs blobs null
                    else
                        printf '%s\n' grid cluster wordnet root show
                    end
                case help
                    pith help --list 2>/dev/null
                case demo bench
                case '*'
                    __fish_complete_path $current
            end
        case '*'
            for word in (string split ' ' -- $takes)
                printf '%s\n' $prefix$word
            end
    end
end

complete -c pith -f -a '(__pith_complete)'
