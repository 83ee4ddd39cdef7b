// Package seen makes types of results that no server declares: what values looked
// like, kinds and names of properties and never a value.
package seen
