#!/usr/bin/env bash
# Tries the npm packages as people install them.
# usage: run-tests.sh PACKAGES CACHE
# PACKAGES has what pack.mjs has packed. Node.js and the package managers are
# installed from npm into CACHE: pnpm wants a newer Node.js than a distribution has.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export PACKAGES=$1 MANAGERS=$2
npm install --prefix "$MANAGERS" --ignore-scripts --no-audit --no-fund --no-save --loglevel=error \
  "node-linux-$(node -p process.arch)@24.22.3" pnpm@12.4.2 yarn@1.22.22 @yarnpkg/cli-dist@4.18.1
PATH=$MANAGERS/node_modules/node-linux-$(node -p process.arch)/bin:$PATH node --test --test-reporter=spec "$here/npm.test.mjs"
