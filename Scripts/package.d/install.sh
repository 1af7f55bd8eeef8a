#!/bin/sh
# Installs Flourish from an unpacked bundle below PREFIX, or removes it.
#
# usage: install.sh [--prefix PREFIX]                  (default: ~/.local, and /usr/local for root)
#        install.sh --uninstall [--prefix PREFIX]
#
# An installed copy of this script, PREFIX/share/flourish/install.sh, removes the installation without the bundle.
# Settings and effects of your own, in ~/.config/flourish, are kept.

set -eu

fail() { echo "install.sh: error: $*" >&2; exit 1; }

if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:-}/.local; fi
remove=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
        --prefix) [ -n "${2:-}" ] || fail "--prefix needs a folder"; prefix=$2; shift 2 ;;
        --prefix=*) prefix=${1#*=}; shift ;;
        --uninstall) remove=yes; shift ;;
        *) fail "unknown argument '$1' (usage: install.sh [--uninstall] [--prefix PREFIX])" ;;
    esac
done
[ -n "$prefix" ] || fail "--prefix needs a folder"
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
# The files and folders that an installation made, below the prefix; folders end with a slash.
list=$prefix/share/flourish/.bundle-files

# remove_listed: removes the files of the list, and the listed folders if they are empty then.
remove_listed() {
    sort -r "$list" >"$list.sorted"
    while IFS= read -r name; do
        case $name in
            */) ;;
            *) rm -f "$prefix/$name" || fail "cannot remove $prefix/$name" ;;
        esac
    done <"$list.sorted"
    folders=$(grep '/$' "$list.sorted" || true)
    rm -f "$list" "$list.sorted"
    printf '%s\n' "$folders" | while IFS= read -r name; do
        [ -z "$name" ] || rmdir "$prefix/$name" 2>/dev/null || true
    done
}

if [ -n "$remove" ]; then
    [ -f "$list" ] || fail "there is no Flourish from a bundle in $prefix"
    remove_listed
    echo "install.sh: removed from $prefix; settings of your own stay in ${XDG_CONFIG_HOME:-~/.config}/flourish"
    exit 0
fi

bundle=$(cd "$(dirname "$0")" && pwd)
[ -d "$bundle/lib/flourish/bundled" ] || fail "run the install.sh of an unpacked bundle"
[ ! -e "$prefix/bin/flourish" ] || [ -f "$list" ] ||
    fail "$prefix/bin/flourish exists and is not from a bundle; remove it first, or choose another --prefix"
mkdir -p "$prefix" 2>/dev/null && [ -w "$prefix" ] ||
    fail "cannot write to $prefix; choose another --prefix, such as ~/.local"
prefix=$(cd "$prefix" && pwd)
[ "$prefix" != "$bundle" ] || fail "the bundle is in $prefix already"
if [ -f "$list" ]; then remove_listed; fi

# The folders that exist already are kept when Flourish is removed.
made=$(cd "$bundle" && find bin lib share -type d | while IFS= read -r name; do
    [ -d "$prefix/$name" ] || echo "$name/"
done)
(cd "$bundle" && tar -cf - bin lib share) | (cd "$prefix" && tar --no-same-owner -xf -) || fail "cannot write to $prefix"
{
    printf '%s\n' "$made"
    (cd "$bundle" && find bin lib share -type f)
} >"$list"
"$prefix/bin/flourish" --version >/dev/null || fail "the installed program does not run"
echo "install.sh: done: $prefix/bin/flourish"
case :${PATH:-}: in
    *:"$prefix/bin":*) ;;
    *) echo "install.sh: note: $prefix/bin is not on your PATH" ;;
esac
