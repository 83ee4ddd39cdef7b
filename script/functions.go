package script

import (
	"cmp"
	"slices"
)

// An asyncBody is the body of a function and whether await is allowed in it.
type asyncBody struct {
	extent
	async bool
	name  string // by which it is called, or ""
	head  int    // its first token
}

// asyncBodies are the functions of the text, outer ones first.
func (s *scan) asyncBodies() []asyncBody {
	var all []asyncBody
	for _, body := range s.functions() {
		b := asyncBody{extent: body}
		if s.is(body.from-1, "=>") {
			b.head, b.async = s.arrowHead(body.from - 1)
		} else {
			b.head, b.async, b.name = s.functionHead(body.from)
		}
		if b.name == "" {
			b.name = s.givenName(b.head)
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b asyncBody) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	return all
}

// arrowHead finds the first token of the arrow function whose arrow is at i, and
// whether it is async.
func (s *scan) arrowHead(i int) (head int, async bool) {
	head = i - 1
	if open := s.typedParameters(i); open >= 0 {
		head = open
	} else if s.closes(head) && s.tokens[head].match >= 0 {
		head = s.tokens[head].match
	}
	if s.is(head, "(") {
		head = s.typeParameters(head)
	}
	if s.is(head-1, "async") {
		return head - 1, true
	}
	return head, false
}

// functionHead finds what stands before the body of a function or method that
// opens at i: its first token, whether it is async, and its name.
func (s *scan) functionHead(i int) (head int, async bool, name string) {
	for head = i - 1; head >= 0 && !s.overBudget(); head-- {
		switch {
		case s.closes(head) && s.tokens[head].match >= 0:
			head = s.tokens[head].match
			if s.is(head, "(") {
				// The parameters: the name and the keywords stand before them.
				head = s.typeParameters(head)
				if s.is(head-1, "*") {
					head--
				}
				if s.isName(head-1) && !s.is(head-1, "function") {
					name = s.string(head - 1)
					head--
				}
				if s.is(head-1, "*") {
					head--
				}
				if s.is(head-1, "function") {
					head--
				} else {
					name = "" // a method
				}
				if s.is(head-1, "async") {
					return head - 1, true, name
				}
				return head, false, name
			}
		case s.is(head, ";"), s.is(head, "{"):
			return i, false, ""
		}
	}
	return i, false, ""
}

// givenName is what the function whose expression begins at i is called by: the
// name of a variable, or "".
func (s *scan) givenName(i int) string {
	switch {
	case !s.is(i-1, "="), s.isName(i-2) && s.afterMember(i-2):
	case s.isName(i-2) && s.beginsDeclarator(i-3):
		return s.string(i - 2)
	case s.isName(i-2) && !s.is(i-3, "(") && !s.is(i-3, ",") && !s.is(i-3, ":"): // a field of a class, or a variable
		return s.string(i - 2)
	default: // const name: Type = …
		for j := i - 2; j > 0 && i-j < longestType && !s.overBudget(); j-- {
			switch {
			case s.closes(j) && s.tokens[j].match >= 0:
				j = s.tokens[j].match
			case s.is(j, ";"), s.is(j, "{"), s.is(j, "("), s.is(j, "["), s.is(j, "="):
				return ""
			case s.is(j, ":") && s.isName(j-1) && s.beginsDeclarator(j-2):
				return s.string(j - 1)
			}
		}
	}
	return ""
}

func (s *scan) beginsDeclarator(i int) bool {
	return s.is(i, "const") || s.is(i, "let") || s.is(i, "var")
}

// longestType is how many tokens are looked through for where a type begins.
const longestType = 200

// typedParameters is the parenthesis that opens the parameters of a function
// whose return type ends before the token at i, or -1 when no such type does.
func (s *scan) typedParameters(i int) int {
	for j := i - 1; j > 0 && i-j < longestType && !s.overBudget(); j-- {
		switch {
		case s.is(j, ")") && s.tokens[j].match >= 0 && s.is(j+1, ":") && !s.tokens[j+1].block && j+2 < i:
			open := s.tokens[j].match
			if s.is(s.typeParameters(open)-1, "?") {
				return -1 // a choice
			}
			return open
		case s.is(j, ")") && j == i-1:
			return -1
		case s.closes(j) && s.tokens[j].match >= 0:
			j = s.tokens[j].match
		case s.closes(j), s.is(j, ";"), s.is(j, "="), s.is(j, "=>"), s.is(j, "{"), s.is(j, "("), s.is(j, "["), s.is(j, "?"),
			s.isName(j) && beforeBlock[s.string(j)]:
			return -1
		}
	}
	return -1
}

// beforeBlock are words that stand before a block or a statement and in no type.
var beforeBlock = map[string]bool{
	"try": true, "finally": true, "do": true, "else": true, "class": true, "return": true, "throw": true, "await": true,
	"const": true, "let": true, "var": true, "if": true, "for": true, "while": true, "switch": true, "case": true,
}

// typeParameters is where the type parameters before the parenthesis at open
// begin, open when there are none.
func (s *scan) typeParameters(open int) int {
	if !s.is(open-1, ">") {
		return open
	}
	for j, depth := open-1, 0; j > 0 && open-j < longestType && !s.overBudget(); j-- {
		switch {
		case s.is(j, ">"):
			depth++
		case s.is(j, "<"):
			if depth--; depth == 0 {
				return j
			}
		case s.closes(j) && s.tokens[j].match >= 0:
			j = s.tokens[j].match
		case s.is(j, ";"), s.is(j, "("), s.is(j, "{"), s.is(j, "["):
			return open
		}
	}
	return open
}

// functions are the bodies of the text's functions.
func (s *scan) functions() []extent {
	var all []extent
	for i := range s.tokens {
		switch {
		case s.is(i, "=>"):
			if s.is(i+1, "{") {
				all = append(all, s.bodyAt(i+1))
			} else if i+1 < len(s.tokens) {
				all = append(all, extent{i + 1, s.endOf(i+1, true)})
			}
		case s.is(i, "{") && s.tokens[i].block:
			// function name(…) { and the methods of classes and objects
			open := -1
			if s.is(i-1, ")") {
				open = s.tokens[i-1].match
			} else {
				open = s.typedParameters(i)
			}
			before := s.typeParameters(open) - 1
			head := headKeywords[s.string(max(before, 0))] || s.is(before, "await") && s.is(before-1, "for")
			if open > 0 && s.isName(before) && (s.afterMember(before) || !head) {
				all = append(all, s.bodyAt(i))
			}
		case s.keyword(i, "function"):
			for j := i + 1; j < len(s.tokens) && j < i+longestType && !s.is(j, "{") && !s.is(j, ";"); j++ {
				if s.is(j, "(") && s.opens(j) {
					// A return type may stand before the body.
					for k := s.tokens[j].match + 1; k < len(s.tokens) && !s.closes(k) && !s.overBudget(); k++ {
						if s.is(k, "{") && s.tokens[k].block {
							all = append(all, s.bodyAt(k))
							break
						}
					}
					break
				}
			}
		}
	}
	return all
}
