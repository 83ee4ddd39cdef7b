// Packs the npm packages: node release/npm/pack.mjs VERSION OUT BINARIES LICENCES
// BINARIES is a folder with a program for each platform, as linux-x64/codemode-ls
// or win32-x64/codemode-ls.exe: Node.js's names. Platforms without one are left
// out of the dependencies, so that what can be built here can be tried here. LICENCES is the file with those of what is linked.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [version, out, binaries, licences] = process.argv.slice(2);
if (!licences) {
  console.error("usage: node release/npm/pack.mjs VERSION OUT BINARIES LICENCES");
  process.exit(2);
}
const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const stage = fs.mkdtempSync(path.join(os.tmpdir(), "codemode-ls-npm-"));
const main = JSON.parse(fs.readFileSync(path.join(here, "codemode-ls/package.json"), "utf8"));

function pack(name, manifest, files) {
  const dir = path.join(stage, name);
  for (const [to, [from, mode]] of Object.entries({ ...files, LICENSE: [path.join(root, "LICENSE"), 0o644] })) {
    const file = path.join(dir, to);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.copyFileSync(from, file);
    fs.chmodSync(file, mode);
  }
  fs.writeFileSync(path.join(dir, "package.json"), JSON.stringify(manifest, null, 2) + "\n");
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", path.resolve(out)], { cwd: dir, encoding: "utf8", shell: process.platform === "win32" }));
  console.log(packed.filename.replace("@", "").replace("/", "-"));
}

try {
  fs.mkdirSync(out, { recursive: true });
  const optionalDependencies = {};
  for (const name of Object.keys(main.optionalDependencies)) {
    const platform = name.slice("@codemode-ls/".length);
    const [system, processor] = platform.split("-");
    const program = `codemode-ls${system === "win32" ? ".exe" : ""}`;
    const binary = path.join(binaries, platform, program);
    if (!fs.existsSync(binary)) {
      console.error(`no program for ${platform}: left out`);
      continue;
    }
    optionalDependencies[name] = version;
    pack(
      platform,
      {
        name,
        version,
        description: `The program of codemode-ls for ${platform}`,
        license: main.license,
        os: [system],
        cpu: [processor],
        preferUnplugged: true, // a program cannot be run inside of Yarn's archives
        files: ["bin", "LICENSE", "THIRD_PARTY_LICENSES.txt"],
      },
      { [`bin/${program}`]: [binary, 0o755], "THIRD_PARTY_LICENSES.txt": [licences, 0o644] },
    );
  }
  pack(main.name, { ...main, version, optionalDependencies }, {
    "bin/codemode-ls.js": [path.join(here, "codemode-ls/bin/codemode-ls.js"), 0o755],
    "README.md": [path.join(here, "codemode-ls/README.md"), 0o644],
  });
} finally {
  fs.rmSync(stage, { recursive: true });
}
