// What `codemode-ls test` prints, for the Test Explorer. Pure.

export interface Outcome {
  passed: boolean;
  /** The two sides of the differences, when they can be told apart. */
  expected?: string;
  actual?: string;
}

/** The cassette of a script. */
export function cassetteOf(script: string): string {
  return script.replace(/\.exec\.[jt]s$/, ".cassette.json");
}

/** Differences are in the form of diff -u, or one line for two short values, indented below the test's line. */
export function outcome(exitCode: number, output: string): Outcome {
  if (exitCode === 0) {
    return { passed: true };
  }
  const expected: string[] = [];
  const actual: string[] = [];
  const indent = "    ";
  for (const l of output.split(/\r?\n/)) {
    if (!l.startsWith(indent)) {
      continue;
    }
    const body = l.slice(indent.length);
    const short = /^(\w+): recorded (.*), now (.*)$/.exec(body);
    if (short) {
      expected.push(`${short[1]}: ${short[2]}`);
      actual.push(`${short[1]}: ${short[3]}`);
    } else if (body.startsWith("-") && !body.startsWith("---")) {
      expected.push(body.slice(1));
    } else if (body.startsWith("+") && !body.startsWith("+++")) {
      actual.push(body.slice(1));
    } else if (body.startsWith(" ")) {
      expected.push(body.slice(1));
      actual.push(body.slice(1));
    }
  }
  return expected.length + actual.length === 0 ? { passed: false } : { passed: false, expected: expected.join("\n"), actual: actual.join("\n") };
}
