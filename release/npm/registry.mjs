// A registry for packed packages on loopback: what npm, pnpm and Yarn ask of one.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

// serve offers the tarballs of a folder, and notes what it is asked for that it
// does not have: nothing may be fetched from anywhere else.
export async function serve(folder) {
  const packages = new Map();
  for (const file of fs.readdirSync(folder).filter((f) => f.endsWith(".tgz"))) {
    const bytes = fs.readFileSync(path.join(folder, file));
    const manifest = JSON.parse(execFileSync("tar", ["xzOf", path.join(folder, file), "package/package.json"]));
    packages.set(manifest.name, { file, bytes, manifest, integrity: "sha512-" + createHash("sha512").update(bytes).digest("base64") });
  }
  const missing = [];
  const server = http.createServer((request, response) => {
    const url = decodeURIComponent(new URL(request.url, "http://loopback").pathname.slice(1));
    for (const [name, p] of packages) {
      if (url === `tarballs/${p.file}`) return response.end(p.bytes);
      if (url !== name) continue;
      const { version } = p.manifest;
      const dist = { tarball: `${origin}/tarballs/${p.file}`, integrity: p.integrity, shasum: createHash("sha1").update(p.bytes).digest("hex") };
      response.setHeader("content-type", "application/json");
      const published = "2026-01-01T00:00:00.000Z"; // pnpm and npm can refuse what is new
      return response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...p.manifest, dist } }, time: { created: published, modified: published, [version]: published } }));
    }
    if (!url.startsWith("-/")) missing.push(url); // -/ is for audits and the like
    response.writeHead(404).end("{}");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { origin, missing, close: () => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve))) };
}
