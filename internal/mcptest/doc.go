// Package mcptest is a fake MCP server for tests: a real process that speaks MCP
// over stdio, described by a file, with faults that real servers have.
//
// A test binary becomes the server by re-executing itself: TestMain calls Main
// first, and Write gives the definition that starts it.
//
//	func TestMain(m *testing.M) {
//		mcptest.Main()
//		os.Exit(m.Run())
//	}
//
// The file is either one JSON object, or a txtar archive with these files, all
// optional:
//
//	server.json          the object's other fields
//	tools/ANY.json       one element of tools/list each, sent byte for byte
//	results/TOOL.json    the result of tools/call for TOOL, sent byte for byte
//
// The JSON object is a Description; see its fields. Line ends in raw JSON become
// spaces on the wire. A tool without a result answers with what it was sent: the text and structuredContent
// {"arguments": …} hold the arguments, byte for byte.
//
// The server looks at its file all the time. When a test changes it, the server
// takes over the new description; when its tools have changed, it says so
// (notifications/tools/list_changed); with "exit" set it ends with that status.
//
// Everything that the server receives, it appends line by line to FILE.log.
package mcptest
