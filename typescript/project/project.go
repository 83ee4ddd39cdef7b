// Package project is the layout of the engine's virtual disk: what the client
// (package typescript) and the child (package typescript/engine) must agree on.
// No path in it exists on a real disk.
package project

// Paths are absolute and slash-separated on every operating system.
const (
	Directory    = "/codemode"
	Config       = Directory + "/tsconfig.json"
	Declarations = Directory + "/tools.d.ts"
	Scripts      = Directory + "/scripts" // one file for each open document, below it
)

// ConfigText is the project's tsconfig.json: strict, the language alone (no
// DOM, no Node), every script a module of its own.
//
// useUnknownInCatchVariables is off: what a call rejects with has fields of its
// own (EXEC-4), and `catch (e)` must be able to read them without a cast.
const ConfigText = `{
  "compilerOptions": {
    "strict": true,
    "useUnknownInCatchVariables": false,
    "target": "esnext",
    "module": "esnext",
    "moduleResolution": "bundler",
    "moduleDetection": "force",
    "lib": ["es2023"],
    "types": [],
    "allowJs": true,
    "checkJs": true,
    "noEmit": true,
    "skipLibCheck": true
  },
  "files": ["tools.d.ts"],
  "include": ["scripts/*"]
}
`
