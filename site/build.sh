#!/usr/bin/env bash
# Builds the documentation as a site, and fails on a link that leads nowhere.
# usage: build.sh [OUT]
set -euo pipefail
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
out=$(realpath -m "${1:-../dist/site}")
npx --no-install vitepress build --outDir "$out"
echo '<!doctype html><title>codemode-ls</title><meta http-equiv="refresh" content="0; url=docs/">' >"$out/index.html"
