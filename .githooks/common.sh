# What the four hooks beside this file do. `abcd-index install` writes one file for each, with this text in it; where
# git is told to run the hooks in this folder as they are, they read it.
abcd_line='
'

abcd_index() {
    # git runs hooks at the top of the work tree. GIT_DIR is only set where .git is not a folder.
    abcd_git=${GIT_DIR:-.git}
    [ -f "$abcd_git/HEAD" ] || abcd_git=$(git rev-parse --git-dir 2>/dev/null) || return 0
    abcd_switch=
    abcd_found=
    abcd_common=$abcd_git
    case $abcd_hook/${1-} in
    pre-commit/*)
        # Only tracked mode has this hook.
        [ -d .abcd ] || [ -f "$(git rev-parse --git-common-dir)/abcd-index/stores" ] || return 0
        abcd_staged || [ -f "$abcd_git/abcd-index/renew" ] || return 0
        abcd_start
        return ;;
    post-commit/ | post-rewrite/amend)
        abcd_restage
        # A rebase is under way: its post-rewrite comes last and sees all of it.
        [ ! -d "$abcd_git/rebase-merge" ] && [ ! -d "$abcd_git/rebase-apply" ] || return 0 ;;
    post-checkout/*)
        # Inside another git command (a pre-commit hook that parks edits) the pages are not what they will be.
        [ -z "${_PRE_COMMIT_SKIP_POST_CHECKOUT-}" ] || return 0
        if [ "${3-}" = 0 ]; then
            [ -z "${GIT_INDEX_FILE-}" ] || return 0
        elif [ "${1-}" != "${2-}" ]; then
            abcd_switch=${2-}
        fi ;;
    esac
    abcd_restage

    # Stores below the top are listed when hooks are installed or an artefact is built by hand.
    if abcd_line_of "$abcd_git/commondir"; then
        abcd_common=$abcd_read
        case $abcd_common in /* | ?:*) ;; *) abcd_common=$abcd_git/$abcd_common ;; esac
    fi
    abcd_list=$abcd_common/abcd-index/stores
    abcd_flag=${3-}
    set -- .abcd
    if [ -f "$abcd_list" ]; then
        while IFS= read -r abcd_home; do set -- "$@" "$abcd_home"; done <"$abcd_list"
    else
        [ -L .abcd ] || [ -d .abcd ] || return 0
    fi
    # A commit that was seen before has no store that is not listed; nor has a checkout of single files.
    if [ "$abcd_flag" = 0 ] || { [ -n "$abcd_switch" ] && abcd_is_real .abcd/.index/seen &&
        [ -f ".abcd/.index/seen/$abcd_switch" ]; }; then :
    elif [ -f "$abcd_list" ]; then
        abcd_found=$(abcd_look "$@")
        # Remembered, so that this commit is not looked through again.
        if [ -z "$abcd_found" ] && [ -n "$abcd_switch" ]; then
            abcd_put .abcd/.index "seen/$abcd_switch" -
        fi
    fi
    for abcd_home in "$@"; do
        shift
        # Where a link may lead out of the work tree, the build decides.
        if abcd_linked "$abcd_home/.index" || [ -L "$abcd_home/memory" ] || [ -L "$abcd_home/rules.json" ]; then
            set -- "$@" "$abcd_home" ''
            continue
        fi
        [ -d "$abcd_home/memory" ] || [ -f "$abcd_home/rules.json" ] || continue
        abcd_unchanged "$abcd_home" || set -- "$@" "$abcd_home" "$(abcd_state "$abcd_home")"
    done
    [ $# -gt 0 ] || [ -n "$abcd_found" ] || return 0
    abcd_build "$@"
}

# Whether any part of the path $1, relative to the top, is a link.
abcd_linked() {
    abcd_at=$1
    while [ ! -L "$abcd_at" ]; do
        case $abcd_at in */*) abcd_at=${abcd_at%/*} ;; *) return 1 ;; esac
    done
}

abcd_is_real() {
    ! abcd_linked "$1" && [ -d "$1" ]
}

# The first line of a file, in abcd_read. What a branch brings under that name may be a link or a pipe.
abcd_line_of() {
    [ -f "$1" ] && [ ! -L "$1" ] && { IFS= read -r abcd_read <"$1"; } 2>/dev/null
}

# Puts a line into the file $2 of the index folder $1: whole, in the place of whatever is no folder there.
abcd_put() {
    abcd_temporary=$1/.tmp-hook-$$
    abcd_is_real "$1" && [ ! -d "$1/$2" ] && [ ! -e "$abcd_temporary" ] && [ ! -L "$abcd_temporary" ] || return 1
    case $2 in */*) abcd_is_real "$1/${2%/*}" || return 1 ;; esac
    set -C
    (umask go-w && printf '%s\n' "$3" >"$abcd_temporary") 2>/dev/null && mv -f "$abcd_temporary" "$1/$2" 2>/dev/null
    abcd_ended=$?
    set +C
    [ "$abcd_ended" = 0 ] || rm -f "$abcd_temporary"
    return $abcd_ended
}

# Pages of stores that are not among those given. This and the next are only for $(...): they change the shell.
abcd_look() {
    abcd_known=
    for abcd_home; do abcd_known="$abcd_known$abcd_line:(exclude,top,literal)$abcd_home"; done
    set -f
    IFS=$abcd_line
    abcd_ask ls-files -- ':(glob)**/.abcd/memory/*.md' ':(glob)**/.abcd/rules.json' $abcd_known
}

# Asks git about this work tree: another command's index is not ours, nothing is locked, watched or fetched.
abcd_ask() {
    unset GIT_INDEX_FILE GIT_PREFIX GIT_IMPLICIT_WORK_TREE
    GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none
    export GIT_OPTIONAL_LOCKS GIT_NO_LAZY_FETCH GIT_ALLOW_PROTOCOL
    exec git -c core.fsmonitor=false -c safe.bareRepository=explicit "$@" 2>/dev/null
}

# Tracked mode: what pre-commit staged for a commit stays in the index and on disk only if that commit has it.
abcd_restage() {
    [ -f "$abcd_git/abcd-index/restage" ] || return 0
    if (abcd_ask diff-index --cached --quiet HEAD -- ':(top,glob)**/.abcd/.index/**') &&
        (abcd_ask diff-index --quiet HEAD -- ':(top,glob)**/.abcd/.index/**'); then
        rm -f "$abcd_git/abcd-index/restage"
    else
        abcd_build
    fi
}

# Whether what is staged changes a page or the artefact (a commit that was given up left it). git says which index is
# committed, so its variables stay.
abcd_staged() {
    ! git -c core.fsmonitor=false -c safe.bareRepository=explicit diff-index --cached --quiet HEAD -- \
        ':(top,glob)**/.abcd/memory/*.md' ':(top,glob)**/.abcd/rules.json' ':(top,glob)**/.abcd/config.json' \
        ':(top,glob)**/.abcd/.index/**' 2>/dev/null
}

# Whether the artefact of this store is current, or can be made so by naming one that is there.
abcd_unchanged() {
    abcd_index=$1/.index
    abcd_line_of "$abcd_index/current" || return 1
    abcd_key=$abcd_read
    case $abcd_key in '' | *[!0-9a-z]*) return 1 ;; esac
    [ -f "$abcd_index/$abcd_key.idx" ] && [ -f "$abcd_index/$abcd_key.times" ] || return 1
    if [ -n "$abcd_switch" ] && abcd_seen "$abcd_switch"; then
        abcd_take "$1"
        return
    fi
    abcd_stamp=$abcd_index/$abcd_key.times
    if abcd_line_of "$abcd_index/git-stamp" && [ "$abcd_read" = "$abcd_key" ]; then
        abcd_stamp=$abcd_index/git-stamp
    fi
    abcd_times=$abcd_index/$abcd_key.times
    abcd_home=$1
    set -- "$abcd_home"
    [ ! -d "$abcd_home/memory" ] || set -- "$@" "$abcd_home/memory/."
    [ ! -f "$abcd_home/rules.json" ] || set -- "$@" "$abcd_home/rules.json"
    [ ! -f "$abcd_home/config.json" ] || set -- "$@" "$abcd_home/config.json"
    # A copy can bring an old file time along; the time of its inode tells. Not every find knows -cnewer.
    abcd_newer=$(find "$@" '(' -name . -o -prune ')' '(' -newer "$abcd_times" -newer "$abcd_stamp" \
        -o -cnewer "$abcd_times" -cnewer "$abcd_stamp" ')' 2>/dev/null ||
        find "$@" '(' -name . -o -prune ')' -newer "$abcd_times" -newer "$abcd_stamp" 2>/dev/null) &&
        [ -z "$abcd_newer" ] && return
    # A new commit can have pages that were there before.
    abcd_tree=$(abcd_ask rev-parse -q --verify "HEAD:$abcd_home") && abcd_seen "$abcd_tree" && abcd_take "$abcd_home" ||
        return 1
    [ -z "$abcd_switch" ] || abcd_put "$abcd_index" "seen/$abcd_switch" "$abcd_was"
}

# Which artefact the pages of this commit or tree have, if it was seen before and is still there.
abcd_seen() {
    abcd_is_real "$abcd_index/seen" && abcd_line_of "$abcd_index/seen/$1" || return 1
    abcd_was=$abcd_read
    case $abcd_was in '' | *[!0-9a-z]*) return 1 ;; esac
    [ -f "$abcd_index/$abcd_was.idx" ] && [ -f "$abcd_index/$abcd_was.times" ]
}

# Makes that artefact the current one, if the pages on disk are those of the commit.
abcd_take() {
    # The stamp comes first: what is written while git looks is newer. It counts only once `current` agrees.
    abcd_put "$abcd_index" git-stamp "$abcd_was" || return 1
    if ! abcd_clean "$1"; then
        rm -f "$abcd_index/git-stamp"
        return 1
    fi
    [ "$abcd_was" = "$abcd_key" ] || abcd_put "$abcd_index" current "$abcd_was"
}

# Whether the files on disk are those of HEAD, none missing and none besides.
abcd_clean() {
    [ ! -f "$abcd_git/info/sparse-checkout" ] && [ ! -e "$1/.git" ] && [ ! -e "$1/memory/.git" ] &&
        abcd_dirty=$(abcd_ask --literal-pathspecs status --porcelain --ignored -uall --no-renames -- \
            "$1/memory" "$1/rules.json" "$1/config.json") && [ -z "$abcd_dirty" ]
}

# The commit and the tree that the pages on disk are those of, or nothing.
abcd_state() {
    if abcd_clean "$1"; then abcd_ask rev-parse HEAD "HEAD:$1"; fi
}

# Starts the interpreter that installed this hook, or the one that last built anything here.
abcd_start() {
    abcd_try "$abcd_python" "$@" && return
    abcd_line_of "${ABCD_HOME:-${HOME:+$HOME/.abcd.noindex}}/.index/interpreter" &&
        abcd_try "${abcd_read%"$(printf '\r')"}" "$@"
}

abcd_build() {
    abcd_start "$@" && return
    abcd_other=$(command -v abcd-index) && abcd_say "$abcd_other" build --scope workspace --quiet --git-hook && return
    abcd_other=$(command -v python3) || return 0
    # A shim that looks for a Python takes longer than most git commands.
    case $abcd_other in */shims/*) return 0 ;; esac
    abcd_try "$abcd_other" "$@"
}

# Isolated from the work tree and from PYTHONPATH: nothing that a branch brings along is ever run.
abcd_try() {
    case $1 in /* | ?:*) ;; *) return 1 ;; esac
    [ -x "$1" ] || return 1
    abcd_other=$1
    shift
    abcd_say "$abcd_other" -E -c 'import sys
sys.path[:] = [p for p in sys.path if p]
from abcd_index.githooks.run import main
main(sys.argv[1:])' "$abcd_hook" "$abcd_git" "$abcd_common" "$abcd_found" "$@"
}

# Runs a program and passes on the first line of what it has to say, if it ends well.
abcd_say() {
    { abcd_said=$([ "$abcd_hook" = pre-commit ] || unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_PREFIX \
        GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_IMPLICIT_WORK_TREE GIT_NAMESPACE
    exec "$@" 2>&1 >/dev/null); } 2>/dev/null || return 1
    [ -z "$abcd_said" ] || printf '%s\n' "${abcd_said%%"$abcd_line"*}" >&2
}

case ${ABCD_INDEX-} in
0) ;;
ping) echo "abcd-index $abcd_hook $abcd_version $abcd_python"; exit 0 ;;
*) abcd_index "$@" </dev/null || : ;;
esac
