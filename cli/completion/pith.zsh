#compdef pith
# zsh completion for pith. Commands, options, methods and parameters are asked of the command itself.

# Lines "word<TAB>...<TAB>help" on stdin become "word:help" in the array `described`.
_pith_describe() {
    local line word
    described=()
    while IFS= read -r line; do
        word=${line%%$'\t'*}
        described+=("${word//:/\\:}:${line##*$'\t'}")
    done
}

_pith_methods() {
    local -a described
    pith methods --format tsv 2>/dev/null | _pith_describe
    _describe method described
}

_pith_argument() {
    local -a described
    case $1 in
        methods) _pith_methods ;;
        synth|tree)
            if (( CURRENT > 3 )); then
                _files
            elif [[ $1 == synth ]]; then
                compadd nrfs blobs null
            else
                compadd grid cluster wordnet root show
            fi
            ;;
        help) pith help --list 2>/dev/null | _pith_describe; _describe command described ;;
        demo|bench) ;;
        *) _files ;;
    esac
}

_pith() {
    local -a described list
    local method= before=${words[CURRENT-1]} takes= line i
    if (( CURRENT == 2 )); then
        pith help --list 2>/dev/null | _pith_describe
        described+=('--help:the list of commands' '--version:the version')
        _describe command described
        return
    fi
    for (( i = 3; i < CURRENT; i++ )); do
        case ${words[i]} in
            -m|--method) (( i + 1 < CURRENT )) && method=${words[i+1]} ;;
            --method=*) method=${words[i]#*=} ;;
        esac
    done
    list=(${(f)"$(pith help --list ${words[2]} "$method" 2>/dev/null)"})
    if [[ ${words[CURRENT]} == --*=* ]]; then
        before=${words[CURRENT]%%=*}
        compset -P '*='
    fi
    for line in $list; do
        if [[ $before == -* && ${line%%$'\t'*} == $before ]]; then
            takes=${${line#*$'\t'}%%$'\t'*}
        fi
    done
    case $takes in
        METHOD)
            if [[ ${words[2]} == compare ]]; then compadd all; else compadd auto; fi
            _pith_methods
            ;;
        FILE) _files ;;
        VALUE) ;;
        '')
            if [[ ${words[CURRENT]} == -* ]]; then
                print -rl -- $list | _pith_describe
                _describe option described
            else
                _pith_argument ${words[2]}
            fi
            ;;
        *) compadd ${=takes} ;;
    esac
}

if [[ $funcstack[1] == _pith ]]; then
    _pith "$@"
else
    compdef _pith pith
fi
