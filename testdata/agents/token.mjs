// Passes requests on to TO with the bearer token TOKEN, and everything else as it is; its port is written to PORTFILE.
import { createServer, request } from "node:http";
import { writeFileSync } from "node:fs";
const to = new URL(process.env.TO);
const server = createServer((req, res) => {
  const headers = { ...req.headers, authorization: "Bearer " + process.env.TOKEN };
  const onward = request({ host: to.hostname, port: to.port, path: req.url, method: req.method, headers }, (answer) => {
    res.writeHead(answer.statusCode, answer.headers);
    res.flushHeaders();
    answer.pipe(res);
  });
  onward.on("error", () => res.destroy());
  res.on("close", () => onward.destroy());
  req.pipe(onward);
});
server.listen(0, "127.0.0.1", () => writeFileSync(process.env.PORTFILE, String(server.address().port)));
