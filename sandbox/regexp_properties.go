package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// expandProperties rewrites \p{…} and \P{…} in the source of a regular
// expression into ranges: goja takes \p for a literal p, without an error.
func expandProperties(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	s, err := expandSource(c.Argument(0).String(), c.Argument(1).ToBoolean())
	if err != nil {
		panic(vm.NewTypeError(err.Error()))
	}
	return vm.ToValue(s)
}

var errSetNotation = errors.New("the set notation of the v flag is not available in Exec scripts: use the u flag and alternatives")

func expandSource(source string, sets bool) (string, error) {
	var b strings.Builder
	classes := 0
	for i := 0; i < len(source); i++ {
		c := source[i]
		if c == '\\' && i+1 < len(source) {
			escape := source[i+1]
			if (escape == 'p' || escape == 'P') && strings.HasPrefix(source[i+2:], "{") {
				end := strings.IndexByte(source[i:], '}')
				if end < 0 {
					//lint:ignore ST1005 the words of a JavaScript SyntaxError
					return "", errors.New("Invalid property name")
				}
				ranges, err := property(source[i+3 : i+end])
				if err != nil {
					return "", err
				}
				if escape == 'P' {
					ranges = complement(ranges)
				}
				writeRanges(&b, ranges, classes > 0)
				i += end
				continue
			}
			b.WriteString(source[i : i+2])
			i++
			continue
		}
		switch {
		case c == '[':
			if classes++; sets && classes > 1 {
				return "", errSetNotation
			}
		case c == ']' && classes > 0:
			classes--
		case sets && classes > 0 && (strings.HasPrefix(source[i:], "--") || strings.HasPrefix(source[i:], "&&")):
			return "", errSetNotation
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

type runeRange struct{ from, to rune }

func writeRanges(b *strings.Builder, ranges []runeRange, inClass bool) {
	if !inClass {
		b.WriteByte('[')
	}
	for _, r := range ranges {
		fmt.Fprintf(b, `\u{%x}`, r.from)
		if r.to > r.from {
			fmt.Fprintf(b, `-\u{%x}`, r.to)
		}
	}
	if !inClass {
		b.WriteByte(']')
	}
}

func complement(ranges []runeRange) (out []runeRange) {
	next := rune(0)
	for _, r := range ranges {
		if r.from > next {
			out = append(out, runeRange{next, r.from - 1})
		}
		next = r.to + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, runeRange{next, utf8.MaxRune})
	}
	return out
}

// categoryNames are the long names of general categories (PropertyValueAliases).
var categoryNames = map[string]string{
	"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
	"Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe",
	"Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
	"Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So",
	"Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp",
	"Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs", "Private_Use": "Co",
}

// emoji is Emoji_Presentation and Extended_Pictographic in outline: the blocks
// that hold them.
var emoji = []runeRange{{0x231a, 0x231b}, {0x23e9, 0x23ec}, {0x23f0, 0x23f0}, {0x23f3, 0x23f3}, {0x25fd, 0x25fe}, {0x2600, 0x27bf},
	{0x2b1b, 0x2b1c}, {0x2b50, 0x2b50}, {0x2b55, 0x2b55}, {0x1f000, 0x1faff}}

var properties sync.Map // name → []runeRange

func property(name string) ([]runeRange, error) {
	if v, ok := properties.Load(name); ok {
		return v.([]runeRange), nil
	}
	r := lookUpProperty(name)
	if r == nil {
		//lint:ignore ST1005 the words of a JavaScript SyntaxError
		return nil, fmt.Errorf("Invalid property name '%s'", name)
	}
	properties.Store(name, r)
	return r, nil
}

func lookUpProperty(name string) []runeRange {
	category := func(s string) []runeRange {
		if long, ok := categoryNames[s]; ok {
			s = long
		}
		if s == "LC" || s == "Cased_Letter" {
			return union(unicode.Lu, unicode.Ll, unicode.Lt)
		}
		if s == "Cn" || s == "Unassigned" {
			return complement(union(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C))
		}
		return union(unicode.Categories[s])
	}
	if k, v, ok := strings.Cut(name, "="); ok {
		switch k {
		case "Script", "sc", "Script_Extensions", "scx":
			return union(unicode.Scripts[v])
		case "General_Category", "gc":
			return category(v)
		}
		return nil
	}
	switch name {
	case "Any":
		return []runeRange{{0, utf8.MaxRune}}
	case "ASCII":
		return []runeRange{{0, 127}}
	case "Assigned":
		return complement(category("Cn"))
	case "Alphabetic", "Alpha":
		return union(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
	case "Uppercase", "Upper":
		return union(unicode.Lu, unicode.Other_Uppercase)
	case "Lowercase", "Lower":
		return union(unicode.Ll, unicode.Other_Lowercase)
	case "White_Space", "space":
		return union(unicode.White_Space)
	case "ID_Start", "IDS", "XID_Start":
		return union(unicode.L, unicode.Nl, unicode.Other_ID_Start)
	case "ID_Continue", "IDC", "XID_Continue":
		return union(unicode.L, unicode.Nl, unicode.Other_ID_Start, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
	case "Emoji", "Emoji_Presentation", "Extended_Pictographic":
		return emoji
	}
	if r := category(name); r != nil {
		return r
	}
	return union(unicode.Properties[name])
}

// union gives the sorted ranges of tables; nil when a table is nil.
func union(tables ...*unicode.RangeTable) []runeRange {
	var all []runeRange
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			all = append(all, runeRange{lo, hi})
			return
		}
		for c := lo; c <= hi; c += stride {
			all = append(all, runeRange{c, c})
		}
	}
	for _, t := range tables {
		if t == nil {
			return nil
		}
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	slices.SortFunc(all, func(a, b runeRange) int { return int(a.from - b.from) })
	var out []runeRange
	for _, r := range all {
		if n := len(out); n > 0 && r.from <= out[n-1].to+1 {
			out[n-1].to = max(out[n-1].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out
}
