// Package project is the layout of the engine's virtual disk: what the client
// (package typescript) and the child (package typescript/engine) must agree on.
// No path in it exists on a real disk.
package project

// Paths are absolute and slash-separated on every operating system.
const (
	Directory    = "/codemode"
	Config       = Directory + "/tsconfig.json"
	Declarations = Directory + "/tools.d.ts"
	Language     = Directory + "/language.d.ts"
	Scripts      = Directory + "/scripts" // one file for each open document, below it
)

// ConfigText is the project's tsconfig.json: strict, the language alone (no
// DOM, no Node), every script a module of its own.
//
// useUnknownInCatchVariables is off: what a call rejects with has fields of its
// own (EXEC-4), and `catch (e)` must be able to read them without a cast.
//
// The libraries are those of which the sandbox has everything that a script can
// use (EXEC-17, docs/language.md): shared memory, resizable buffers, Float16Array
// and Temporal are left out.
const ConfigText = `{
  "compilerOptions": {
    "strict": true,
    "useUnknownInCatchVariables": false,
    "target": "esnext",
    "module": "esnext",
    "moduleResolution": "bundler",
    "moduleDetection": "force",
    "lib": [
      "es2023",
      "es2024.collection", "es2024.object", "es2024.promise", "es2024.regexp", "es2024.string",
      "es2025.collection", "es2025.intl", "es2025.iterator", "es2025.promise", "es2025.regexp",
      "esnext.array", "esnext.collection", "esnext.disposable", "esnext.error", "esnext.typedarrays"
    ],
    "types": [],
    "allowJs": true,
    "checkJs": true,
    "noEmit": true,
    "skipLibCheck": true
  },
  "files": ["tools.d.ts", "language.d.ts"],
  "include": ["scripts/*"]
}
`

// LanguageText is language.d.ts: what the sandbox has of the language that
// TypeScript's libraries do not know yet, or only together with what is missing in it.
const LanguageText = `interface Math {
  /** The sum of numbers, rounded once. */
  sumPrecise(numbers: Iterable<number>): number;
  /** The nearest number that 16 bits can hold. */
  f16round(x: number): number;
}

interface DataView<TArrayBuffer extends ArrayBufferLike> {
  /** The 16-bit float at an offset in bytes. */
  getFloat16(byteOffset: number, littleEndian?: boolean): number;
  /** Stores a 16-bit float at an offset in bytes. */
  setFloat16(byteOffset: number, value: number, littleEndian?: boolean): void;
}

interface ArrayBuffer {
  /** Whether its content was transferred to another buffer. */
  readonly detached: boolean;
  /** A buffer with the same content, cut or filled up to a length; this one has none any more. */
  transfer(newByteLength?: number): ArrayBuffer;
  transferToFixedLength(newByteLength?: number): ArrayBuffer;
}

interface ErrorConstructor {
  /** Gives an object the stack of this place. */
  captureStackTrace(target: object, above?: Function): void;
}

interface IteratorConstructor {
  /** The values of several iterables, one after another. */
  concat<T>(...iterables: Iterable<T>[]): IteratorObject<T, undefined, unknown>;
}

interface JSON {
  /** A value that JSON.stringify writes as this very text. */
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): boolean;
}
`
