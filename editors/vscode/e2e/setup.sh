#!/usr/bin/env bash
# Installs what the journey needs: a real VS Code workbench (code-server), the
# Node it wants, a browser and its driver. Debian's packages and npm, as root.
# usage: setup.sh DIR        idempotent; about 650 MB in DIR, 400 MB for chromium
set -euo pipefail
[ $# = 1 ] || { echo "usage: setup.sh DIR" >&2; exit 2; }
mkdir -p "$1"
DIR=$(realpath "$1")
CODE_SERVER=4.139.1 PLAYWRIGHT=1.65.1

install() { # FOLDER PACKAGE: one npm package without its install scripts
  mkdir -p "$1"
  (cd "$1" && echo '{"private":true}' >package.json && npm install --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error "$2")
}

if ! command -v chromium >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi

# code-server requires exactly this major version.
NODE=$("$(dirname "$0")/../../../testdata/node" "$DIR/node")
export PATH="$NODE:$PATH"

# Its own install script would compile addons that this journey does without:
# take its two inner dependency trees and the two links by hand.
V=$DIR/code-server/node_modules/code-server/lib/vscode
if [ ! -e "$DIR/code-server/.complete" ]; then
  install "$DIR/code-server" "code-server@$CODE_SERVER"
  for tree in "$V" "$V/extensions"; do
    (cd "$tree" && npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)
  done
  ln -sfn code-linux.sh "$V/bin/remote-cli/code-server"
  ln -sfn browser-linux.sh "$V/bin/helpers/browser.sh"
  rm -rf "$V/node_modules/@github/copilot-sdk-linux-x64" "$V/node_modules/@microsoft/mxc-sdk" # 180 MB that nothing here uses
  touch "$DIR/code-server/.complete"
fi

[ -e "$DIR/playwright/node_modules/playwright-core" ] || install "$DIR/playwright" "playwright-core@$PLAYWRIGHT"
