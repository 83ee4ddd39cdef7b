// Package ecmamath computes the functions of ECMAScript's Math that package math
// gives less exactly than other engines of JavaScript do: the results here are the
// nearest number almost always. They are computed in twice the precision, from the
// result of package math, which is right to some 50 bits.
package ecmamath
