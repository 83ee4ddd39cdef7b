#!/usr/bin/env bash
# DIST-1. Makes the release for this platform twice, from copies of the commit in two
# folders, and compares all files byte for byte. The second copy is left in OUT.
# usage: twice.sh OUT
set -euo pipefail
out=$1
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
commit=$(git -C "$root" rev-parse HEAD)
work=$(mktemp -d)
trap 'git -C "$root" worktree prune; rm -rf "$work"' EXIT
for copy in one two/longer; do
  git -C "$root" worktree add -q --detach "$work/$copy" "$commit"
  # The extension is built with the packages that are installed already, if any.
  [ ! -d "$root/editors/vscode/node_modules" ] || cp -r "$root/editors/vscode/node_modules" "$work/$copy/editors/vscode/"
  (cd "$work/$copy" && go run ./release -only native -download https://example.invalid/codemode-ls)
done
diff -r "$work/one/dist" "$work/two/longer/dist"
echo "Both builds are equal: $(cd "$work/one/dist" && find . -type f | wc -l) files"
rm -rf "$out"
mv "$work/two/longer/dist" "$out"
for copy in one two/longer; do git -C "$root" worktree remove --force "$work/$copy"; done
