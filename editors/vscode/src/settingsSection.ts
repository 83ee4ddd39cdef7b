// The `codemode` section as the server wants it: only what somebody has set,
// and the workspace's part named apart, because a workspace is not trusted
// (TRUST-1). Pure.

/** Values by their name without "codemode.", such as "exec.timeoutMs". */
export type Values = Record<string, unknown>;

/** The parts of VS Code's answer for one setting. Defaults are the server's business. */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** All values merged, and under "$workspace" those that files of the workspace set. */
export function settingsSection(names: readonly string[], inspect: (name: string) => Inspected | undefined): Values {
  const merged: Values = {};
  const workspace: Values = {};
  for (const name of names) {
    const value = inspect(name);
    const inWorkspace = merge(value?.workspaceValue, value?.workspaceFolderValue);
    if (inWorkspace !== undefined) {
      workspace[name] = inWorkspace;
    }
    const all = merge(value?.globalValue, inWorkspace);
    if (all !== undefined) {
      merged[name] = all;
    }
  }
  return { ...merged, $workspace: workspace };
}

/** As VS Code does it: objects are merged by member, anything else is replaced. */
function merge(below: unknown, above: unknown): unknown {
  if (above === undefined) {
    return below;
  }
  return isObject(below) && isObject(above) ? { ...below, ...above } : above;
}

function isObject(v: unknown): v is Values {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}

/** The names of the server's settings, from the extension's own manifest. */
export function declaredSettings(manifest: unknown): string[] {
  const sections = (manifest as { contributes?: { configuration?: { properties?: object }[] } }).contributes?.configuration ?? [];
  return sections
    .flatMap((s) => Object.keys(s.properties ?? {}))
    .map((name) => name.replace(/^codemode\./, ""))
    .filter((name) => !name.startsWith("server.") && !name.startsWith("trace."));
}
