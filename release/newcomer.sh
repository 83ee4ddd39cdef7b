#!/usr/bin/env bash
# TEST-9, DIST-5. Follows the documents as a newcomer: each way to install, from the files of a
# release, in an empty home without a network; then the tutorial. Prints how long each takes
# to a first result.
# usage: newcomer.sh DIST
set -euo pipefail
dist=$(realpath "$1")
tutorial=$(realpath "$(dirname "$0")/../docs/start.md")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir home unpacked extension
export HOME=$work/home npm_config_update_notifier=false npm_config_offline=true
unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME

platform=$(node -p '`${process.platform}-${process.arch}`')
archive=("$dist"/codemode-ls_*_"$(go env GOOS)"_"$(go env GOARCH)".tar.gz)
wrapper=("$dist"/codemode-ls-[0-9]*.tgz)
program=("$dist"/codemode-ls-"$platform"-*.tgz)
vsix=("$dist"/codemode-*-"$platform".vsix)
echo 'return (await tools.mcp__demo__add({ a: 40, b: 2 })).sum;' >hello.exec.ts

# way prints how long its commands take, from the file to a result.
way() {
  local name=$1 start=$EPOCHREALTIME result
  shift
  result=$("$@" 2>stderr) || { cat stderr; exit 1; }
  [ "$(tail -n 1 <<<"$result")" = 42 ] || { echo "$name printed $result"; exit 1; }
  LC_ALL=C awk "BEGIN { printf \"%-16s %.1f s to the first result\\n\", \"$name\", $EPOCHREALTIME - $start }"
}
from_archive() { tar xzf "${archive[0]}" -C unpacked --strip-components=1 && unpacked/codemode-ls run hello.exec.ts; }
from_npx() { npx --yes --package "${program[0]}" --package "${wrapper[0]}" codemode-ls run hello.exec.ts; }
from_npm() { npm install -g --prefix "$work/global" "${wrapper[0]}" "${program[0]}" >/dev/null && global/bin/codemode-ls run hello.exec.ts; }
from_vsix() { unzip -q "${vsix[0]}" -d extension && extension/extension/bin/codemode-ls run hello.exec.ts; }

(cd "$dist" && sha256sum --check --quiet SHA256SUMS)
way archive from_archive
way npx from_npx
way "npx, again" from_npx
way "npm install -g" from_npm
way "VSIX, unpacked" from_vsix
man --warnings -l unpacked/man/codemode-ls.1 2>&1 >/dev/null | (! grep .)

# The tutorial, from its own text: its first three blocks of commands.
PATH=$work/unpacked:$PATH
block() { awk -v n="$1" '/^```sh$/ { inside = ++i == n; next } /^```$/ { inside = 0 } inside' "$tutorial"; }
block 1 >one.sh
block 2 >two.sh
block 3 >three.sh
. ./one.sh >printed 2>/dev/null
grep -q '"sum": 42' ../printed
sed -i 's/a: 40/a: "40"/' hello.exec.ts
if . ../two.sh >printed 2>&1; then echo "the mistake of the tutorial was not found"; exit 1; fi
grep -q "not assignable to type 'number'" printed
. ../three.sh >printed 2>/dev/null
grep -q mcp__demo__list_issues printed
echo "The tutorial works as it is written"
