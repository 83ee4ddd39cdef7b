#!/usr/bin/env bash
# A session in a batch Emacs with eglot: a client that knows nothing of this
# server's own methods.
# usage: run.sh CODEMODE_LS      installs Debian's emacs and eglot when there is none
set -euo pipefail
[ $# = 1 ] || { echo "usage: run.sh CODEMODE_LS" >&2; exit 2; }
SERVER=$(realpath "$1")
HERE=$(cd "$(dirname "$0")" && pwd)
if ! command -v emacs >/dev/null || [ ! -d /usr/share/emacs/site-lisp/elpa ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends emacs-nox elpa-eglot >/dev/null
fi

R=$(mktemp -d)
trap 'rm -rf "$R"' EXIT
mkdir -p "$R"/{home,workspace/.codemode}
cp "$HERE"/workspace/*.exec.ts "$R/workspace/"
cat >"$R/workspace/.codemode/mcp.json" <<J
{ "mcpServers": { "box": { "command": "$SERVER", "args": ["demo"] } } }
J
cd "$R/workspace"
HOME="$R/home" XDG_CONFIG_HOME="$R/home/config" XDG_CACHE_HOME="$R/home/cache" CODEMODE_LS="$SERVER" \
  timeout 300 emacs -Q --batch -l "$HERE/spec.el" </dev/null
