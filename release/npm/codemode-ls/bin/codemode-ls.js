#!/usr/bin/env node
// Starts the program, which is in the package of this platform: see
// optionalDependencies in package.json. Nothing is downloaded, and nothing is
// written but, where a package manager has lost it, the executable bit.
"use strict";
const fs = require("node:fs");

const platform = `${process.platform}-${process.arch}`;
const windows = process.platform === "win32";

function locate() {
  try {
    return require.resolve(`@codemode-ls/${platform}/bin/codemode-ls${windows ? ".exe" : ""}`);
  } catch {
    const supported = Object.keys(require("../package.json").optionalDependencies).map((name) => name.slice("@codemode-ls/".length));
    console.error(
      supported.includes(platform)
        ? `codemode-ls: the package @codemode-ls/${platform} is missing. It is an optional dependency of codemode-ls: install without --omit=optional, and on this platform (a node_modules folder cannot be copied from another one).`
        : `codemode-ls: there is no program for ${platform}, only for ${supported.join(", ")}. To build one from source, see the README.`,
    );
    process.exit(1);
  }
}

function makeExecutable(program) {
  try {
    fs.accessSync(program, fs.constants.X_OK);
  } catch {
    try {
      fs.chmodSync(program, 0o755);
    } catch (error) {
      console.error(`codemode-ls: ${program} is not executable, and cannot be made so: ${error.message}`);
      process.exit(1);
    }
  }
}

// become replaces this process by the program, so that signals, the terminal,
// streams and exit codes are its own.
function become(program, args) {
  // Node.js ignores these, and what is ignored stays so in the program. What has
  // a handler does not.
  for (const signal of ["SIGPIPE", "SIGXFSZ"]) process.on(signal, () => {});
  process.execve(program, [program, ...args], process.env);
}

// attend runs the program as a child, where this process cannot become it:
// on Windows, and before Node.js 22.15.
function attend(program, args) {
  const child = require("node:child_process").spawn(program, args, { stdio: "inherit" });
  // The program decides what a signal does. A terminal's interrupt reaches it
  // too; it takes the two for one.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK"]) {
    try {
      process.on(signal, () => windows || child.kill(signal));
    } catch {
      // unknown to this platform
    }
  }
  child.on("error", (error) => {
    console.error(`codemode-ls: cannot start ${program}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const program = locate();
const args = process.argv.slice(2);
if (!windows) makeExecutable(program);
if (process.execve && !windows && !process.permission) become(program, args);
else attend(program, args);
