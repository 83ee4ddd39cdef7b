// Package permission decides whether a nested call may happen: rules, their
// layers, and the files that people keep them in.
//
// Deny wins over ask, ask over allow, whatever the layer; no rule is ask
// (PERM-1). Rules is a pure value; Store reads and edits the files. Asking a
// person is not done here: package exec asks through its Asker.
package permission
