// Package cassette keeps the calls of a real run in a file, and answers from
// such a file in place of MCP servers (REC-1).
//
// A cassette is JSON that people read, review and edit:
//
//	{
//	  "cassette": 1,
//	  "script": "sum.exec.ts",
//	  "calls": [
//	    {
//	      "tool": "mcp__demo__add",
//	      "server": "demo",
//	      "arguments": { "a": 40, "b": 2 },
//	      "status": "completed",
//	      "value": { "sum": 42 }
//	    }
//	  ],
//	  "result": { "status": "completed", "value": 42 }
//	}
//
// Calls are in the order in which the script made them, so that recording again
// changes only what is different. A call is found by its tool and its arguments;
// equal calls are answered in the order of the file, each once.
package cassette
