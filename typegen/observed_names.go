package typegen

import "strings"

// looksLikeName tells names that a program's author chose from those that are
// data: ids, addresses, dates, words of a language, secrets. When in doubt it is
// data, since a value must never be kept.
func looksLikeName(name string) bool {
	if name == "" || len(name) > maxShapeName || name[0] == '-' || isDigit(name[0]) || name == "__proto__" {
		return false
	}
	digits := 0
	for i := range len(name) {
		switch c := name[i]; {
		case isDigit(c):
			digits++
		case isLower(c), isUpper(c), c == '_', c == '$', c == '-':
		default:
			return false
		}
	}
	if digits > 4 || isTicket(name) {
		return false
	}
	for _, prefix := range credentialPrefixes {
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			return false
		}
	}
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '$' }) {
		if looksRandom(word) {
			return false
		}
	}
	return true
}

// credentialPrefixes begin keys and tokens of well-known services.
var credentialPrefixes = []string{
	"AIza", "AKIA", "ASIA", "eyJ", "ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "glpat-",
	"pk_live_", "pk_test_", "sk-", "sk_live_", "sk_test_", "xapp-", "xoxb-", "xoxp-",
}

// isTicket tells ids like PROJ-12.
func isTicket(name string) bool {
	project, number, ok := strings.Cut(name, "-")
	return ok && number != "" && strings.Trim(number, "0123456789") == "" &&
		strings.Trim(project, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// looksRandom tells letters and digits that nobody put together: a1b2c3d,
// U012AB3CD, dQw4w9WgXcQ, recAbCdEfGhIj, deadbeef. Names have digits at one place
// (oauth2Token, sha256), and parts that are words (getURLByID).
func looksRandom(word string) bool {
	var digits, runsOfDigits, lower, hex, parts int
	for i := range len(word) {
		c := word[i]
		switch {
		case isDigit(c):
			if digits++; i == 0 || !isDigit(word[i-1]) {
				runsOfDigits++
			}
		case isLower(c):
			if lower++; i == 0 || isDigit(word[i-1]) {
				parts++
			}
		default:
			// A part begins at an upper case letter that does not go on with others.
			if i == 0 || !isUpper(word[i-1]) || i+1 < len(word) && isLower(word[i+1]) {
				parts++
			}
		}
		if isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' {
			hex++
		}
	}
	letters := len(word) - digits
	switch {
	case runsOfDigits > 1, hex == len(word) && len(word) >= 8, lower == 0 && digits > 0 && len(word) >= 8:
		return true
	case digits > 0 && !isDigit(word[len(word)-1]):
		return parts >= 4 && letters < 3*parts
	}
	return parts >= 5 && letters <= 2*parts+1
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
