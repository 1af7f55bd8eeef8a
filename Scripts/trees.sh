# shellcheck shell=bash
# Bare Debian and Ubuntu systems in folders, for scripts that run as root; sourced after common.sh.
# A script that mounts something in a tree runs in a mount namespace of its own, so that mounts end with the process.

# The releases with their FFmpeg: bookworm 5.1, trixie 7.1, sid 9.0; noble (Ubuntu 24.04) 6.1, resolute (26.04) 8.0.
releases=(bookworm trixie sid noble resolute)

# known_release NAME: succeeds for a release that trees are made of.
known_release() { [[ " ${releases[*]} " == *" $1 "* ]]; }

# What the versions of a release's packages end with. A later release's package has a higher version, so that an upgrade of the system
# replaces it.
declare -A suffixes=([bookworm]= [trixie]=+deb13 [sid]=+sid [noble]=+ubuntu24.04 [resolute]=+ubuntu26.04)

# this_release: prints the release that runs here; nothing for another system.
this_release() {
    case $(. /etc/os-release && echo "$ID ${VERSION_ID:-}") in
        "debian 12") echo bookworm ;;
        "debian 13") echo trixie ;;
        "debian ") echo sid ;;
        "ubuntu 24.04") echo noble ;;
        "ubuntu 26.04") echo resolute ;;
    esac
}

# release_of VERSION: prints the release that a package of this version is for.
release_of() {
    local release
    for release in trixie sid noble resolute; do
        if [[ $1 == *"${suffixes[$release]}" ]]; then echo "$release"; return; fi
    done
    echo bookworm
}

# is_ubuntu RELEASE: succeeds for a release of Ubuntu.
is_ubuntu() { [[ $1 == noble || $1 == resolute ]]; }

# unavailable REASON: ends the script with the exit code of what cannot be tried here.
unavailable() { say "error: $*"; exit 75; }

# ubuntu_keyring: prints the path of the keys that Ubuntu's archive is signed with. Debian has them in a package from Debian 13 on.
ubuntu_keyring() {
    local name=usr/share/keyrings/ubuntu-archive-keyring.gpg scratch
    if [[ -f /$name ]]; then echo "/$name"; return; fi
    if [[ ! -f $cache/${name##*/} ]]; then
        scratch=$(mktemp -d)
        bare_tree trixie "$scratch"
        in_tree "$scratch" sh -ec 'cd /root; apt-get -qq update; apt-get -qq download ubuntu-keyring 2>/dev/null; dpkg -x ubuntu-keyring_*.deb .' >&2 ||
            unavailable "the keys of Ubuntu's archive cannot be read"
        cp "$scratch/root/$name" "$cache/"
        rm -rf --one-file-system "$scratch"
    fi
    echo "$cache/${name##*/}"
}

# bare_tree RELEASE FOLDER: unpacks a minimal system there; keeps an archive of it for the next time.
bare_tree() {
    local archive=$cache/bare-$1.tar keyring options=(--variant=minbase) source=(http://deb.debian.org/debian)
    if [[ ! -f $archive ]]; then
        has debootstrap || unavailable "debootstrap is missing (apt-get install debootstrap)"
        if is_ubuntu "$1"; then
            keyring=$(ubuntu_keyring) || exit
            options+=(--keyring="$keyring" --components=main,universe)
            # Ubuntu's own address; all of its releases have one script, which debootstrap may know by older names alone.
            source=("" gutsy)
        fi
        say "making a bare $1 ($archive)"
        mkdir -p "${archive%/*}"
        debootstrap "${options[@]}" "$1" "$2" "${source[@]}" >"$cache/bare-$1.log" 2>&1 ||
            { tail -n 3 "$cache/bare-$1.log" >&2; unavailable "debootstrap could not make $1"; }
        rm -rf "$2"/var/cache/apt/archives/*.deb
        tar -C "$2" -cf "$archive.new" . && mv "$archive.new" "$archive"
    else
        tar -C "$2" -xf "$archive"
    fi
    # `mktemp -d` makes a folder for its owner alone, and the archive keeps the mode; users of the system enter it, too.
    chmod 755 "$2"
    cp /etc/resolv.conf "$2/etc/resolv.conf"
    # Lists of unstable expire within days, and a mirror may be older.
    echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/old-mirror"
    # A tree does not outlive a loss of power.
    echo force-unsafe-io >"$2/etc/dpkg/dpkg.cfg.d/unsafe-io"
}

# private_mounts [OPTION OF unshare]… SCRIPT ARGUMENT…: starts the script again in a mount namespace of its own, unless it runs there
# already. All mounts end with the process then, in every case.
private_mounts() {
    [[ -n ${FLOURISH_PRIVATE_MOUNTS:-} ]] || FLOURISH_PRIVATE_MOUNTS=yes exec unshare --mount "$@"
}

# unmount_below FOLDER: unmounts what is mounted below it.
unmount_below() {
    awk -v folder="$1/" 'index($2, folder) == 1 { print $2 }' /proc/self/mounts | sort -r |
        while read -r place; do umount -l "$place"; done
}

# remove_tree FOLDER: removes it, but nothing that is mounted below it.
remove_tree() {
    unmount_below "$1"
    rm -rf --one-file-system "$1"
}

# mount_system TREE: mounts what each process needs.
mount_system() {
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
}

# in_tree TREE COMMAND …: runs it there as root, with a clean environment.
in_tree() {
    chroot "$1" env -i PATH="${tree_path:-}/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "${tree_environment[@]}" "${@:2}"
}
tree_environment=()

# mount_toolchain TREE: mounts this machine's Swift there. Repositories that Git's settings redirect to local folders are
# mounted, too, and pip gets the machine's certificates: a proxy may have one of its own.
mount_toolchain() {
    local swift folder
    swift=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
    mkdir -p "$1$swift"
    mount --bind -o ro "$swift" "$1$swift"
    tree_path=$swift/usr/bin:
    : >"$1/etc/gitconfig"
    git config --get-regexp '^url\..*\.insteadof$' | while read -r name value; do
        name=${name#url.} name=${name%.insteadof}
        git config --file "$1/etc/gitconfig" --add "url.$name.insteadOf" "$value"
        [[ -d $name ]] && ! mountpoint -q "$1$name" || continue
        mkdir -p "$1$name"
        mount --bind -o ro "$name" "$1$name"
    done
    git config --file "$1/etc/gitconfig" --add safe.directory '*'
    if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then
        mkdir -p "$1/opt"
        cp /etc/ssl/certs/ca-certificates.crt "$1/opt/certificates.crt"
        tree_environment=(PIP_CERT=/opt/certificates.crt)
    fi
}
