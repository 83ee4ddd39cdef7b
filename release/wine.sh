#!/usr/bin/env bash
# DIST-3. Runs the Windows program under Wine: version, doctor, check, a script on the demo
# server, and the end of a server's processes. It needs Debian's wine and
# gcc-mingw-w64-x86-64.
# usage: wine.sh CODEMODE-LS.EXE
#
# Wine says nothing about: the console (keys, colours, Ctrl-C), the credential
# manager's prompts, SmartScreen, what real Windows does with job objects and locks
# of files, and programs for arm64.
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
trap 'wineserver -k 2>/dev/null || true; rm -rf "$work"' EXIT
command -v wineserver >/dev/null || PATH=$PATH:/usr/lib/wine:/usr/lib/wine64

wine wineboot --init >/dev/null 2>&1
system=$WINEPREFIX/drive_c/windows/system32
[ -e "$system/bcryptprimitives.dll" ] ||
  x86_64-w64-mingw32-gcc -shared -O2 -o "$system/bcryptprimitives.dll" "$here/wine/bcryptprimitives.c" -ladvapi32

cd "$work"
# Output goes to a file: a pipe would wait for every program that Wine keeps running.
try() {
  local expected=$1 code=0
  shift
  printf '+ codemode-ls %s\n' "$*"
  timeout 120 wine "$program" "$@" >output 2>&1 </dev/null || code=$?
  tr -d '\r' <output | sed 's/^/  /'
  [ "$code" = 0 ] || { echo "exit code $code"; exit 1; }
  grep -q -- "$expected" output || { echo "the output has no '$expected'"; exit 1; }
}

try windows/amd64 version
try 'a script on the demo server: works' doctor
cat >good.exec.ts <<'TS'
return (await tools.mcp__demo__add({ a: 40, b: 2 })).sum;
TS
try '' check good.exec.ts
try 42 run good.exec.ts

# A server over standard input and output that starts a process of its own: both end
# with the program.
cat >loop.exec.ts <<'TS'
for (;;);
TS
windows="Z:${program//\//\\}"
printf '@start /b "" "%s" run loop.exec.ts <nul >loop.txt 2>&1\r\n@"%s" demo\r\n' "$windows" "$windows" >server.bat
try 42 run --server 'demo=cmd /c server.bat' --allow '*' good.exec.ts
[ -e loop.txt ] || { echo "the server has not started its child"; exit 1; }
left() { pgrep -fa 'codemode-ls.exe.* (demo|run loop)' || true; }
for _ in $(seq 50); do
  [ -n "$(left)" ] || break
  sleep 0.1
done
[ -z "$(left)" ] || { echo "processes of the server are left:"; left; exit 1; }
echo "The server and its child have ended."
