// Package regexp is regular expressions as ECMAScript has them: the grammar
// with its early errors (with Annex B's where the u and v flags are absent), and
// a backtracking matcher over UTF-16 code units.
//
// It knows nothing of JavaScript values. A match can take any time, as the
// language allows; Interrupted ends it.
package regexp
