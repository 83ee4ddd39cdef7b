#!/usr/bin/env bash
# Runs the plugin in a headless Neovim against a built server.
# usage: run.sh CODEMODE_LS      NVIM names another Neovim; Debian's is installed when there is none
set -euo pipefail
[ $# = 1 ] || { echo "usage: run.sh CODEMODE_LS" >&2; exit 2; }
SERVER=$(realpath "$1")
HERE=$(cd "$(dirname "$0")" && pwd)
command -v "${NVIM:-nvim}" >/dev/null || { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends neovim >/dev/null; }

R=$(mktemp -d)
trap 'rm -rf "$R"' EXIT
mkdir -p "$R"/{home,workspace/.codemode}
cp "$HERE"/workspace/*.exec.ts "$R/workspace/"
cat >"$R/workspace/.codemode/mcp.json" <<J
{ "mcpServers": {
  "local": { "command": "$SERVER", "args": ["demo"] },
  "unwanted": { "command": "$SERVER", "args": ["demo"] }
} }
J

cd "$R/workspace"
export HOME="$R/home" XDG_CONFIG_HOME="$R/home/config" XDG_DATA_HOME="$R/home/data" XDG_STATE_HOME="$R/home/state" XDG_CACHE_HOME="$R/home/cache"
timeout 60 "$SERVER" trust deny unwanted >/dev/null
CODEMODE_LS="$SERVER" timeout 300 \
  "${NVIM:-nvim}" --headless -u NONE -i NONE -n --cmd "set runtimepath+=$HERE/.." -c "luafile $HERE/spec.lua" </dev/null
