package analysis

import (
	"strings"

	"codemode-ls/script"
)

// hostGlobals are the globals that other JavaScript hosts have and a script does
// not (ISO-1, ISO-2), each with what to do instead (DIAG-1).
var hostGlobals = map[string]string{
	"fetch":          adviceNetwork,
	"XMLHttpRequest": adviceNetwork,
	"WebSocket":      adviceNetwork,
	"EventSource":    adviceNetwork,
	"Request":        adviceNetwork,
	"Response":       adviceNetwork,
	"Headers":        adviceNetwork,
	"FormData":       adviceNetwork,

	"setTimeout":            adviceTimers,
	"setInterval":           adviceTimers,
	"setImmediate":          adviceTimers,
	"clearTimeout":          adviceTimers,
	"clearInterval":         adviceTimers,
	"clearImmediate":        adviceTimers,
	"requestAnimationFrame": adviceTimers,
	"requestIdleCallback":   adviceTimers,

	"require":       adviceModules,
	"module":        adviceModules,
	"exports":       adviceModules,
	"__dirname":     adviceModules,
	"__filename":    adviceModules,
	"importScripts": adviceModules,

	"process": adviceProcess,
	"Deno":    adviceProcess,
	"Bun":     adviceProcess,
	"global":  "Write globalThis, though there is little in it: tools and console are names of their own.",
	"Buffer":  "Use TextEncoder and TextDecoder for bytes, atob and btoa for Base64.",
	"Blob":    "Use a string or a Uint8Array.",
	"File":    "Use a string or a Uint8Array.",

	"window":          adviceBrowser,
	"self":            adviceBrowser,
	"document":        adviceBrowser,
	"navigator":       adviceBrowser,
	"location":        adviceBrowser,
	"localStorage":    adviceStore,
	"sessionStorage":  adviceStore,
	"indexedDB":       adviceStore,
	"alert":           adviceAsk,
	"confirm":         adviceAsk,
	"prompt":          adviceAsk,
	"Worker":          "Calls run at the same time with Promise.all.",
	"crypto":          adviceCrypto,
	"performance":     "Use Date.now().",
	"AbortController": "A run is cancelled as a whole; calls have no signal.",
	"AbortSignal":     "A run is cancelled as a whole; calls have no signal.",

	"WebAssembly":       adviceEngine,
	"SharedArrayBuffer": adviceEngine,
	"Atomics":           adviceEngine,
	"Float16Array":      "Use a DataView with getFloat16 and setFloat16, or a Float32Array.",
	"Temporal":          "Use Date, and Intl.DateTimeFormat with a timeZone.",
	"EventTarget":       adviceBrowser,
	"Event":             adviceBrowser,
	"MessageChannel":    adviceBrowser,
	"DOMException":      "Throw an Error.",
	"eval":              adviceCode,
	"Function":          adviceCode,
}

const (
	adviceNetwork  = "A script reaches nothing but MCP tools: call a tool that gets the data."
	adviceTimers   = "There are no timers: await the calls themselves."
	adviceModules  = "A script is one file: write what it needs into it, and call tools as tools.<name>(…)."
	adviceProcess  = "A script has no environment, arguments or files: write values into it, or call a tool."
	adviceFiles    = "A script has no files: call a tool that reads or writes them."
	advicePrograms = "A script starts no programs: call a tool that does it."
	adviceCrypto   = "Math.random() is there; for secure randomness or hashes call a tool that offers them."
	adviceLists    = "Use the methods of arrays and objects."
	adviceDates    = "Use Date and Intl.DateTimeFormat."
	adviceBrowser  = "There is no page: return a value, or write to console."
	adviceStore    = `Use tools["$codemode"].store and tools["$codemode"].load.`
	adviceAsk      = "A script cannot ask a person: calls that need permission ask by themselves."
	adviceEngine   = "Use plain JavaScript."
	adviceCode     = "Text is never run as code: write the code itself."
)

// libraries are what scripts elsewhere import, each with what to do instead:
// names of modules, without node: and what is behind a slash, and names that
// those are commonly given.
var libraries = map[string]string{
	"fs":            adviceFiles,
	"fsp":           adviceFiles,
	"fs-extra":      adviceFiles,
	"glob":          adviceFiles,
	"path":          "Put paths together as text.",
	"os":            adviceProcess,
	"process":       adviceProcess,
	"child_process": advicePrograms,
	"execa":         advicePrograms,
	"cp":            advicePrograms,
	"exec":          advicePrograms,
	"execSync":      advicePrograms,
	"spawn":         advicePrograms,
	"http":          adviceNetwork,
	"https":         adviceNetwork,
	"net":           adviceNetwork,
	"axios":         adviceNetwork,
	"got":           adviceNetwork,
	"node-fetch":    adviceNetwork,
	"undici":        adviceNetwork,
	"timers":        adviceTimers,
	"crypto":        adviceCrypto,
	"assert":        "Throw an Error.",
	"lodash":        adviceLists,
	"_":             adviceLists,
	"dayjs":         adviceDates,
	"moment":        adviceDates,
	"date-fns":      adviceDates,
}

// library is what to do instead of importing a module, or "".
func library(module string) string {
	module = strings.TrimPrefix(module, "node:")
	if advice := libraries[module]; advice != "" {
		return advice
	}
	module, _, _ = strings.Cut(module, "/")
	return libraries[module]
}

// notChecked are names of hostGlobals that TypeScript takes for granted, because
// they belong to ECMAScript.
var notChecked = map[string]bool{"SharedArrayBuffer": true, "Atomics": true, "eval": true, "Function": true}

// moduleMessage is what is said of an import or export (EXEC-13); "" for one that
// may be there.
func moduleMessage(r script.Reach) string {
	switch r.Kind {
	case "import", "import()", "require":
		instead := library(r.Module)
		if instead == "" {
			instead = "Tools are called as tools.<name>(…) without an import."
		}
		return r.Kind + " is not available in Exec scripts: a script is one file. " + instead
	case "import.meta":
		return "import.meta is not available in Exec scripts."
	case "export":
		return "export is not available in Exec scripts: use return, or one export default for the whole file."
	}
	return ""
}
