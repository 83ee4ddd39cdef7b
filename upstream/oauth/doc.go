// Package oauth signs in to MCP servers as the MCP specification has it: a server
// that answers 401 or 403 names, by metadata, the authorization server that it
// trusts; a person grants the access there, in a browser; a short-lived token goes
// with each request and is renewed without the person.
//
// Neither the MCP server nor the authorization server is trusted. What they name is
// fetched only by policy (see allowed), a secret goes only to the authorization
// server that it belongs to, and a token only to the MCP server's own origin, which
// package upstream sees to.
package oauth
