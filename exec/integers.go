package exec

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json/jsontext"
)

// Integers that a JavaScript number cannot hold exactly (EXEC-3): ids of 64 bits lose
// their last digits in a script, and nothing else would say so.

// maxSafe is Number.MAX_SAFE_INTEGER.
const maxSafe = 1<<53 - 1

// maxRounded is how many integers of one value are named.
const maxRounded = 5

// maxExact is how long a number may be at most that is exact for certain.
const maxExact = 3

// maxDigits is how many digits of a number are shown.
const maxDigits = 60

// checkIntegers warns of integers that a script got, or has sent, in other digits than
// those written.
func (x *run) checkIntegers(sc sandbox.Call, value jsontext.Value, err error) {
	if strings.HasPrefix(sc.Name, reserved) {
		return
	}
	var failure *sandbox.CallError
	if errors.As(err, &failure) {
		value = failure.Structured
	}
	got := findIntegers(value, rounded)
	sent := findIntegers(sc.Arguments, unsafeInteger)
	if len(got.first)+len(sent.first) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.byIndex[sc.Index]
	if c == nil {
		return
	}
	name := fmt.Sprintf("of call %d (%s)", c.record.Index+1, c.record.Tool)
	for _, n := range sent.first {
		x.remark(c, n.path, "the arguments %s have the integer %s, which may be rounded: JavaScript numbers are exact up to %d", name, n.digits, maxSafe)
	}
	if sent.more > 0 {
		x.remark(c, "", "the arguments %s have %d more such integers", name, sent.more)
	}
	for _, n := range got.first {
		x.remark(c, n.path, "the result %s has the integer %s, which a JavaScript number cannot hold exactly: the script got %s", name, n.digits, n.script)
	}
	if got.more > 0 {
		x.remark(c, "", "the result %s has %d more such integers", name, got.more)
	}
}

// integers are those found in a value: the first ones, and how many more.
type integers struct {
	first []integer
	more  int
}

type integer struct {
	path   string
	digits string // as in the JSON
	script string // as JavaScript writes it
}

// findIntegers looks for numbers that a test holds for. It copies nothing of the
// value but those: one number may be as long as a value may be.
func findIntegers(v jsontext.Value, test func(f float64, digits string) bool) (found integers) {
	if !mayBeLarge(v) {
		return found
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if d.PeekKind() != '0' {
			if _, err := d.ReadToken(); err != nil {
				return found // the end, or a value that is refused elsewhere
			}
			continue
		}
		number, err := d.ReadValue()
		if err != nil {
			return found
		}
		if len(number) <= maxExact {
			continue
		}
		digits := string(number)
		f, _ := strconv.ParseFloat(digits, 64) // infinite when no double is as large
		if !test(f, digits) {
			continue
		}
		if len(found.first) == maxRounded {
			found.more++
			continue
		}
		n := integer{path: pathOf(d), digits: digits, script: asJavaScript(f)}
		if len(digits) > maxDigits {
			n.digits = strings.Clone(digits[:maxDigits]) + "…"
		}
		found.first = append(found.first, n)
	}
}

// mayBeLarge is a quick look at all of a value: does it have sixteen digits in a row,
// or an exponent?
func mayBeLarge(v jsontext.Value) bool {
	run := 0
	for _, b := range v {
		switch {
		case '0' <= b && b <= '9':
			if run++; run == 16 {
				return true
			}
		case (b == 'e' || b == 'E') && run > 0:
			return true
		case b != '.':
			run = 0
		}
	}
	return false
}

// rounded reports whether a number is an integer that becomes another one as a double.
func rounded(f float64, digits string) bool {
	if math.Abs(f) <= maxSafe {
		return false
	}
	if math.IsInf(f, 0) || len(digits) > 400 { // more digits than the largest double has
		return true
	}
	exact, ok := new(big.Rat).SetString(digits)
	return ok && exact.IsInt() && exact.Cmp(new(big.Rat).SetFloat64(f)) != 0
}

// unsafeInteger reports whether an integer that JavaScript has written may be another one than
// what the script's author wrote.
func unsafeInteger(f float64, digits string) bool {
	return !math.IsInf(f, 0) && math.Abs(f) > maxSafe && !strings.ContainsAny(digits, ".eE")
}

// asJavaScript is how JavaScript writes a number.
func asJavaScript(f float64) string {
	switch {
	case math.IsInf(f, -1):
		return "-Infinity"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.Abs(f) >= 1e21:
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	// Shortest digits, filled up with zeros.
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// pathOf is where a decoder has read its last value, as in $.a.b[2].
func pathOf(d *jsontext.Decoder) string {
	var b strings.Builder
	b.WriteByte('$')
	pointer := d.StackPointer()
	depth := 0
	for name := range pointer.Tokens() {
		depth++
		kind, _ := d.StackIndex(depth)
		switch {
		case kind == '[':
			fmt.Fprintf(&b, "[%s]", name)
		case isIdentifier(name):
			b.WriteString("." + name)
		default:
			fmt.Fprintf(&b, "[%s]", quote(name))
		}
		if b.Len() > 500 {
			return b.String()[:500] + "…"
		}
	}
	return b.String()
}

// isIdentifier is about names that need no quotes behind a dot.
func isIdentifier(name string) bool {
	for i, r := range name {
		letter := r == '_' || r == '$' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
