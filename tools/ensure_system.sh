#!/bin/sh
# Check what the build needs from the system: Python with venv, a C linker, Rust; and with the
# argument "qt" what the desktop application needs: the libraries Qt loads, and a font.
# As root on Debian and its relatives, missing packages are installed; elsewhere the exact command
# is named and nothing is changed.
set -eu

PYTHON="${PYTHON:-python3}"
RUST_NEEDED=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)
PYTHON_NEEDED=$(sed -n 's/^requires-python *= *">=\(.*\)"/\1/p' pyproject.toml)

say() { printf '%s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# is_at_least FOUND NEEDED: compare two versions of the form major.minor
is_at_least() {
    [ "${1%%.*}" -gt "${2%%.*}" ] && return 0
    [ "${1%%.*}" -eq "${2%%.*}" ] || return 1
    found=${1#*.}
    needed=${2#*.}
    [ "${found%%.*}" -ge "${needed%%.*}" ]
}

# need PACKAGES WHY: install Debian packages where allowed, else say how
need() {
    if have apt-get && [ "$(id -u)" -eq 0 ]; then
        say "$2; installing: $1"
        export DEBIAN_FRONTEND=noninteractive
        # shellcheck disable=SC2086  # a list of packages
        apt-get install -y -qq --no-install-recommends $1 >/dev/null 2>&1 || {
            apt-get update -qq >/dev/null
            apt-get install -y -qq --no-install-recommends $1 >/dev/null
        }
        return
    fi
    say "$2."
    if have apt-get; then
        say "Install it with:    sudo apt-get install -y $1"
    elif have dnf; then
        say "Install it with:    sudo dnf install -y gcc python3 python3-pip"
    elif have pacman; then
        say "Install it with:    sudo pacman -S --needed base-devel python"
    elif [ "$(uname -s)" = Darwin ]; then
        say "Install it with:    xcode-select --install    (C linker), brew install python    (Python)"
    else
        say "Install it with the package manager of this system."
    fi
    exit 1
}

check_python() {
    have "$PYTHON" || need "python3 python3-venv" "Python is missing ($PYTHON)"
    version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if ! is_at_least "$version" "$PYTHON_NEEDED"; then
        say "gencap needs Python $PYTHON_NEEDED or newer: $PYTHON is $version."
        say "Name a newer one:    make run PYTHON=python$PYTHON_NEEDED"
        exit 1
    fi
    "$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        need "python3-venv" "Python $version lacks the venv module"
    "$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        need "python$version-venv" "Python $version lacks the venv module"
}

check_linker() {
    case "$(uname -s)" in
    MINGW* | MSYS* | CYGWIN*) return ;; # Rust for Windows finds the Visual Studio linker itself
    esac
    have cc || need "gcc libc6-dev" "A C linker (cc) is missing"
}

# A distribution's own Rust is often older than needed, so this is left to rustup.
check_rust() {
    version=none
    have cargo && version=$(cargo --version | cut -d ' ' -f 2)
    [ "$version" != none ] && is_at_least "$version" "$RUST_NEEDED" && return
    if ! have rustup && have apt-get && apt-cache show rustup >/dev/null 2>&1; then
        need "rustup" "gencap needs Rust $RUST_NEEDED or newer (found: $version)"
    fi
    if have rustup && [ "$(id -u)" -eq 0 ]; then
        say "Rust is $version; fetching the stable toolchain with rustup"
        rustup default stable >&2
        return
    fi
    say "gencap needs Rust $RUST_NEEDED or newer (found: $version)."
    if have rustup; then
        say "Install it with:    rustup update stable && rustup default stable"
    else
        say "Install it with:    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y"
    fi
    exit 1
}

# Qt's wheels bring Qt itself, but not the system's graphics and window libraries; without a font
# text is blank. Names are those of Debian and Ubuntu.
QT_PACKAGES="libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libglib2.0-0 libx11-6
libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0 libxcb-shape0
libxcb-xkb1 libxkbcommon-x11-0 fonts-dejavu-core"

check_qt() {
    [ "$(uname -s)" = Linux ] || return 0
    missing=
    for library in libEGL.so.1 libGL.so.1 libxkbcommon.so.0 libdbus-1.so.3 libfontconfig.so.1 \
        libglib-2.0.so.0 libX11.so.6 libxcb-cursor.so.0 libxcb-icccm.so.4 libxcb-image.so.0 \
        libxcb-keysyms.so.1 libxcb-render-util.so.0 libxcb-shape.so.0 libxcb-xkb.so.1 \
        libxkbcommon-x11.so.0; do
        "$PYTHON" -c "import ctypes; ctypes.CDLL('$library')" >/dev/null 2>&1 ||
            missing="$missing $library"
    done
    [ -z "$missing" ] && return
    # shellcheck disable=SC2086  # one line of names
    need "$(echo $QT_PACKAGES)" "The application's window needs:$missing"
}

if [ "${1:-}" = qt ]; then
    check_qt
    exit
fi
check_python
check_linker
check_rust
