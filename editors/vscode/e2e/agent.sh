#!/usr/bin/env bash
# agent.sh SERVER WORKSPACE PREFIX: Gemini CLI of an npm prefix, its model played on loopback, runs a script through SERVER's gateway.
# Prints what the model was shown in the end.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
server=$1 workspace=$2 prefix=$3
home=$(mktemp -d)
trap 'kill ${model:-} 2>/dev/null || true; rm -rf "$home"' EXIT
PORT=0 MODEL_PORTFILE=$home/port MODEL_LOG=$home/model.jsonl \
  MODEL_CODE='return (await tools.mcp__box__echo({ message: "from an agent" })) + ", with permission";' node "$here/../../../testdata/agents/model.mjs" >&2 &
model=$!
for _ in $(seq 100); do [ -s "$home/port" ] && break; sleep 0.1; done
mkdir "$home/.gemini"
cat >"$home/.gemini/settings.json" <<J
{ "security": { "auth": { "selectedType": "gemini-api-key" } }, "privacy": { "usageStatisticsEnabled": false }, "general": { "enableAutoUpdate": false },
  "mcpServers": { "codemode": { "command": "$server", "args": ["mcp"], "trust": true, "env": { "HOME": "$HOME", "XDG_RUNTIME_DIR": "$XDG_RUNTIME_DIR", "XDG_CONFIG_HOME": "$XDG_CONFIG_HOME" } } } }
J
cd "$workspace"
HOME=$home GEMINI_API_KEY=dummy GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$(cat "$home/port") NO_COLOR=1 \
  "$prefix/node_modules/.bin/gemini" --skip-trust --approval-mode yolo -m gemini-2.5-flash -p "Please run the code." >&2
tail -1 "$home/model.jsonl"
