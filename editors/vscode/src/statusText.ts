// What the status bar says. Pure.

import { undecided } from "./approvalText";
import type { Server } from "./protocol";
import type { ServerState } from "./server";
import { count } from "./text";

export interface Status {
  text: string;
  tooltip: string;
  level: "normal" | "warning" | "error";
}

/** The state in one glance (VSC-5). The worst thing wins. */
export function status(state: ServerState, error: string | undefined, servers: readonly Server[], runs: number): Status {
  switch (state) {
    case "restricted":
      return { text: "$(shield) Code Mode", tooltip: "Code Mode: this workspace is restricted: scripts are checked, but no MCP server starts and nothing runs.", level: "normal" };
    case "stopped":
      return { text: "$(circle-slash) Code Mode", tooltip: "Code Mode: stopped.", level: "normal" };
    case "starting":
      return { text: "$(loading~spin) Code Mode", tooltip: "Code Mode: starting…", level: "normal" };
    case "failed":
      return { text: "$(error) Code Mode", tooltip: `Code Mode: ${error ?? "failed."}`, level: "error" };
    case "ready":
      break;
  }
  const tools = servers.reduce((n, s) => n + s.tools, 0);
  const waiting = servers.filter((s) => s.status === "untrusted" && undecided(s)).length;
  const failed = servers.filter((s) => s.status === "failed").length;
  const tooltip = [
    `Code Mode: ${count(tools, "tool")} on ${count(servers.length, "server")}`,
    waiting > 0 && `${count(waiting, "server")} ${waiting === 1 ? "waits" : "wait"} for approval`,
    failed > 0 && `${count(failed, "server")} failed`,
    runs > 0 && `${count(runs, "script")} running`,
  ]
    .filter((t): t is string => typeof t === "string")
    .join("\n");
  const text = `Code Mode: ${count(tools, "tool")}`;
  if (runs > 0) {
    return { text: `$(sync~spin) ${text}`, tooltip, level: "normal" };
  }
  if (waiting > 0) {
    return { text: `$(shield) ${text}`, tooltip, level: "warning" };
  }
  if (failed > 0) {
    return { text: `$(warning) ${text}`, tooltip, level: "warning" };
  }
  return { text: `$(tools) ${text}`, tooltip, level: "normal" };
}
