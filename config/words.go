package config

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// splitWords splits a command line as a shell would, without expanding
// anything: single quotes keep everything, double quotes keep all but \" \\ \$
// and \`, a backslash outside quotes keeps the next character. On Windows a
// backslash outside quotes is an ordinary character, as in paths.
func splitWords(line string, windows bool) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case b == '\'':
			length := strings.IndexByte(line[i+1:], '\'')
			if length < 0 {
				return nil, errors.New("a single quote is not closed")
			}
			inWord = true
			word.WriteString(line[i+1 : i+1+length])
			i += 1 + length
		case b == '"':
			inWord = true
			i++
			for ; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`", line[i+1]) >= 0 && (!windows || line[i+1] == '"') {
					i++
				}
				word.WriteByte(line[i])
			}
			if i >= len(line) {
				return nil, errors.New("a double quote is not closed")
			}
		case b == '\\' && !windows:
			if i+1 == len(line) {
				return nil, errors.New("nothing follows the last backslash")
			}
			inWord = true
			i++
			word.WriteByte(line[i])
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			inWord = true
			word.WriteByte(b)
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// quoteWord writes a word so that a person sees where it begins and ends. What
// could disturb a terminal is escaped.
func quoteWord(s string) string {
	plain := s != ""
	for _, r := range s {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return strconv.Quote(s)
		}
		if unicode.IsSpace(r) || strings.ContainsRune("\"'\\$`|&;<>()*?#~", r) {
			plain = false
		}
	}
	switch {
	case plain:
		return s
	case !strings.Contains(s, "'"):
		return "'" + s + "'"
	default:
		return strconv.Quote(s)
	}
}
