# Shared by the scripts of this folder; sourced, not run.
# Sets: root (the repository), data (the folder of models and runtime), cache (files for measurements).

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=${FLOURISH_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/flourish}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/flourish
pins=$root/Scripts/pins.txt
script=${0##*/}

say() { printf '%s: %s\n' "$script" "$*" >&2; }
fail() { say "error: $*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# help: prints the comment at the top of the running script, and ends it.
help() { sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0; }

# sha256 FILE: prints its digest alone.
sha256() {
    if has sha256sum; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d' ' -f1
}

# The pinned files of this machine, one a line: PROJECT MEMBER DESTINATION SHA256.
pinned_files() {
    awk -v machine="$(uname -m)" \
        '$1 == "file" && ($2 == "any" || $2 == machine) { print $3, $4, $5, $6 }' "$pins"
}

# verified FILE SHA256: succeeds if FILE exists with this digest.
verified() { [[ -f $1 && $(sha256 "$1") == "$2" ]]; }

# missing_files: the pinned files that are absent or damaged.
missing_files() {
    local project member destination sum
    pinned_files | while read -r project member destination sum; do
        verified "$data/$destination" "$sum" || echo "$project $member $destination $sum"
    done
}

# version: prints the version number from the one line that defines it.
version() {
    sed -n 's/.*public static let number = "\(.*\)"/\1/p' "$root/Sources/Flourish/System/FlourishVersion.swift"
}

# commit: prints the commit of the sources, with `-modified` appended after changes; fails without a repository.
commit() {
    local name changes
    name=$(git -C "$root" rev-parse --verify HEAD 2>/dev/null) || return 1
    changes=$(git -C "$root" status --porcelain --untracked-files=no)
    echo "$name${changes:+-modified}"
}

# commit_object COMMIT FILE: makes an object with the symbol `flourish_commit`, which the program prints if it is
# linked in. The other objects are unchanged, so that a new commit needs no build.
commit_object() {
    local clang
    clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
    mkdir -p "${2%/*}"
    printf 'const char flourish_commit[] = "%s";\n' "$1" | "$clang" -x c -c -o "$2" -
}

# Linker options that keep that symbol visible to the program.
commit_flags=(-Xlinker --export-dynamic-symbol=flourish_commit)

# The arguments of `swift build` for the optimised build in .build that all scripts but Scripts/package share. Tests of
# internal code need -enable-testing. The program is as fast with it, and 12 % larger.
release_build=(--configuration release -Xswiftc -enable-testing)

# build_program: builds the optimised program; sets `program` to its path.
build_program() {
    say "building (release)"
    (cd "$root" && swift build "${release_build[@]}" --product flourish >&2)
    program=$(cd "$root" && swift build "${release_build[@]}" --show-bin-path)/flourish
}

# pinned_packages KIND: prints the Python packages of that kind for this machine as pip requirements, with SHA-256.
pinned_packages() {
    awk -v kind="$1" -v machine="$(uname -m)" \
        '$1 == kind && ($2 == "any" || $2 == machine) { print $3 "==" $4 " --hash=sha256:" $5 }' "$pins"
}

# python_with KIND: prints the path of a Python with the packages of that kind; fails with a message if it cannot be made.
python_with() {
    local packages folder
    packages=$(pinned_packages "$1")
    folder=$cache/$1-python-$(cksum <<<"$packages" | cut -d' ' -f1)
    if [[ ! -e $folder/complete ]]; then
        rm -rf "$folder"
        if ! { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps \
            --only-binary=:all: --require-hashes --requirement /dev/stdin <<<"$packages"; } >&2; then
            rm -rf "$folder"
            say "$(cut -d' ' -f1 <<<"$packages" | tr '\n' ' ')cannot be installed (they need Python 3.11 with venv, and a network)"
            return 1
        fi
        touch "$folder/complete"
    fi
    echo "$folder/bin/python"
}

# peer_python: prints the path of a Python with MediaPipe; fails with a message if it cannot be made.
peer_python() { if [[ -n ${FLOURISH_PEER_PYTHON:-} ]]; then echo "$FLOURISH_PEER_PYTHON"; else python_with rival; fi; }

# test_python: prints the path of a Python with the packages for tests; fails with a message if it cannot be made.
test_python() { if [[ -n ${FLOURISH_OTIO_PYTHON:-} ]]; then echo "$FLOURISH_OTIO_PYTHON"; else python_with test; fi; }
