#!/usr/bin/env bash
# Packages the extension with the server inside.
# usage: package.sh [OUT.vsix]
# TARGET is VS Code's name of a platform (default: this machine's); SERVER is a
# built codemode-ls to take instead of building one; LICENCES the file with those of
# what is linked into it.
set -euo pipefail
cd "$(dirname "$0")"

host() {
  local os arch
  case "$(uname -s)" in Darwin) os=darwin ;; *) os=linux ;; esac
  case "$(uname -m)" in arm64 | aarch64) arch=arm64 ;; *) arch=x64 ;; esac
  echo "$os-$arch"
}
TARGET=${TARGET:-$(host)}
OUT=${1:-codemode-$TARGET.vsix}

# VS Code's names for operating systems and processors, and Go's.
OS=${TARGET%-*} ARCH=${TARGET#*-} EXE=
case "$OS" in win32) OS=windows EXE=.exe ;; alpine) OS=linux ;; esac
case "$ARCH" in x64) ARCH=amd64 ;; armhf) ARCH=arm ;; esac

[ -d node_modules ] || npm ci --ignore-scripts
rm -rf bin out
mkdir -p bin
if [ -n "${SERVER:-}" ]; then
  cp "$SERVER" "bin/codemode-ls$EXE"
else
  CGO_ENABLED=0 GOOS=$OS GOARCH=$ARCH go build -trimpath -ldflags=-s -o "bin/codemode-ls$EXE" ../../cmd/codemode-ls
fi
chmod 755 "bin/codemode-ls$EXE"
[ -z "${LICENCES:-}" ] || cp "$LICENCES" THIRD_PARTY_LICENSES.txt
trap 'rm -f LICENSE THIRD_PARTY_LICENSES.txt' EXIT
node esbuild.mjs

# The licence is the repository's.
LICENCE=--skip-license
if [ -e ../../LICENSE ]; then
  cp ../../LICENSE LICENSE
  LICENCE=
fi
npx --no-install vsce package --target "$TARGET" --no-dependencies --allow-missing-repository $LICENCE --out "$OUT"
