# bash completion for pith. Commands, options, methods and parameters are asked of the command itself.

# The method named on the line so far.
_pith_method() {
    local i
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -m | --method)
            [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((i++))
            ((i + 1 < COMP_CWORD)) && printf '%s' "${COMP_WORDS[i + 1]}"
            return
            ;;
        esac
    done
}

# What the option takes: words, METHOD, FILE, VALUE or nothing.
_pith_takes() {
    local option takes help
    while IFS= read -r option; do
        takes=${option#*$'\t'}
        help=${takes#*$'\t'}
        if [[ ${option%%$'\t'*} == "$1" ]]; then
            printf '%s' "${takes%$'\t'"$help"}"
            return
        fi
    done
}

_pith_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_pith_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_pith_methods() {
    pith methods --format tsv 2>/dev/null | cut -f1
}

_pith_argument() {
    case $1 in
    methods) _pith_words "$(_pith_methods)" "$2" ;;
    synth | tree)
        if ((COMP_CWORD > 2)); then
            _pith_files "$2"
        elif [[ $1 == synth ]]; then
            _pith_words "nrfs blobs null" "$2"
        else
            _pith_words "grid cluster wordnet root show" "$2"
        fi
        ;;
    help) _pith_words "$(pith help --list 2>/dev/null | cut -f1)" "$2" ;;
    demo | bench) ;;
    *) _pith_files "$2" ;;
    esac
}

_pith() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local list takes
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _pith_words "$(pith help --list 2>/dev/null | cut -f1) --help --version" "$current"
        return
    fi
    # --option=value is three words here.
    if [[ $current == "=" ]]; then
        current=
    elif [[ $before == "=" ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    list=$(pith help --list "$command" "$(_pith_method)" 2>/dev/null)
    takes=
    [[ $before == -* ]] && takes=$(_pith_takes "$before" <<<"$list")
    case $takes in
    METHOD) _pith_words "$([[ $command == compare ]] && echo all || echo auto) $(_pith_methods)" "$current" ;;
    FILE) _pith_files "$current" ;;
    VALUE) ;;
    "")
        if [[ $current == -* ]]; then
            _pith_words "$(cut -f1 <<<"$list")" "$current"
        else
            _pith_argument "$command" "$current"
        fi
        ;;
    *) _pith_words "$takes" "$current" ;;
    esac
}

complete -F _pith pith
