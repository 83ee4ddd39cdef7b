package typegen

const header = `// Declarations of what an Exec script can use. Generated: changes are lost.

`

// JSONTextDeclaration declares JsonText, and what JSON.parse makes of it. The mark
// is at a method that every string has, so that editors offer nothing new.
const JSONTextDeclaration = `
/** Text that is JSON: JSON.parse makes a T of it. */
type JsonText<T> = string & { valueOf(): string & ParsesTo<T> };
interface ParsesTo<T> {
  readonly value: T;
}
interface JSON {
  parse<Text extends JsonText<any>>(text: Text): 0 extends 1 & Text ? any : Text extends JsonText<infer T> ? T : any;
}
`

// sandboxGlobals are the globals of the sandbox that ECMAScript does not have
// (ISO-1, EXEC-8). What is not here cannot be typed (TYPE-3).
const sandboxGlobals = `
/** Output that is collected and returned with the result of the script. */
declare const console: Console;

interface Console {
  log(...data: Array<unknown>): void;
  info(...data: Array<unknown>): void;
  warn(...data: Array<unknown>): void;
  error(...data: Array<unknown>): void;
  debug(...data: Array<unknown>): void;
}

/** A deep copy of plain data. */
declare function structuredClone<T>(value: T): T;
/** Runs a function after the current one, before anything else. */
declare function queueMicrotask(callback: () => void): void;
/** Decodes Base64 into a string of bytes. */
declare function atob(data: string): string;
/** Encodes a string of bytes as Base64. */
declare function btoa(data: string): string;

/** Encodes text as UTF-8. */
declare class TextEncoder {
  readonly encoding: string;
  encode(input?: string): Uint8Array;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}

/** Decodes bytes into text. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}

/** A parsed URL. */
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
  toJSON(): string;
}

/** The parameters in a URL's query. */
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | URLSearchParams | Record<string, string> | Iterable<[string, string]>);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): Array<string>;
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, parent: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  toString(): string;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
`
