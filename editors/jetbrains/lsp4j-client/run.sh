#!/usr/bin/env bash
# Drives a built server through LSP4J. Needs a JDK of 17 or newer and Maven.
# usage: run.sh CODEMODE_LS
set -euo pipefail
[ $# = 1 ] || { echo "usage: run.sh CODEMODE_LS" >&2; exit 2; }
SERVER=$(realpath "$1")
cd "$(dirname "$0")"
R=$(mktemp -d)
trap 'rm -rf "$R"' EXIT
mvn -q -B dependency:build-classpath -Dmdep.outputFile="$R/classpath" -Dmdep.regenerateFile=true
javac -Xlint:all -d "$R/classes" -cp "$(cat "$R/classpath")" src/Drive.java
mkdir -p "$R/home"
HOME="$R/home" XDG_CONFIG_HOME="$R/home/config" XDG_CACHE_HOME="$R/home/cache" XDG_STATE_HOME="$R/home/state" \
  timeout 300 java -cp "$R/classes:$(cat "$R/classpath")" Drive "$SERVER"
