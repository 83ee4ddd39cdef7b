package seen

import (
	"strings"
	"unicode"
)

const maxName = 40 // bytes of a property's name

// looksLikeName distinguishes names that a program's author chose from those that are
// data: ids, addresses, dates, words of a language, secrets. When in doubt it is
// data, since a value must never be kept.
func looksLikeName(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '-' || isDigit(name[0]) || name == "__proto__" {
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

// isTicket recognizes ids like PROJ-12.
func isTicket(name string) bool {
	project, number, ok := strings.Cut(name, "-")
	return ok && number != "" && strings.Trim(number, "0123456789") == "" &&
		strings.Trim(project, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// looksRandom recognizes letters and digits that nobody put together: a1b2c3d,
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

// isTag recognizes names of properties whose value is the name of a kind.
func isTag(name string) bool { return tags[name] }

var tags = map[string]bool{
	"type": true, "kind": true, "object": true, "__typename": true, "event": true, "eventType": true, "event_type": true,
	"resourceType": true, "resource_type": true, "nodeType": true, "node_type": true, "op": true,
	"ok": true, "success": true, "found": true,
}

// isKind distinguishes values that name a kind from those that are data.
func isKind(value string) bool {
	return len(value) <= 32 && looksLikeName(value) && !strings.ContainsFunc(value, unicode.IsDigit)
}

// isWord reports whether at least half of a name's words are those that programs
// use for properties, or of the tool's author.
func (o *observer) isWord(name string) bool {
	known, all := 0, 0
	for _, w := range words(name) {
		all++
		if usual[w] || o.words[w] {
			known++
		}
	}
	return all > 0 && 2*known >= all
}

// maxWords is how many words of a tool's author are looked at.
const maxWords = 2_000

func (o *observer) learn(text string) {
	for _, w := range words(text) {
		if len(o.words) == maxWords {
			return
		}
		if len(w) > 2 {
			o.words[w] = true
		}
	}
}

// words are the words of a name or a text, in lower case and singular.
func words(text string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		start := 0
		for i := 1; i <= len(part); i++ {
			if i == len(part) || isUpper(part[i]) && (!isUpper(part[i-1]) || i+1 < len(part) && isLower(part[i+1])) {
				all = append(all, singular(strings.ToLower(part[start:i])))
				start = i
			}
		}
	}
	return all
}

func singular(word string) string {
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case len(word) > 4 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches")):
		return word[:len(word)-2]
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

// usual are words, in lower case and singular, that programs name properties with.
var usual = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(usualWords) {
		m[singular(w)] = true
	}
	return m
}()

const usualWords = `
abstract access account action active activity actor actual additions address admin age agent alias alert all allowed amount analysis
annotation answer api app application archive archived area arg argument array article asset assignee assigned attachment attempt attribute audio
author auth available average avatar avg
back backup balance bar base batch begin bio bit block blob blocked blog board body bool book bot bottom box branch breadth brand browser bucket
bug build bundle button byte
cache call callback can cancel caption card cart case category cell change changed channel char chart chat check checked checksum child children
chunk city class classification client clone close closed cluster code collection collaborator color column comment commit committer company
comparison complete completed component condition conclusion confidence config configuration connection contact container content context
contributor control conversation coordinate copy core cost count counter country course cover cpu create created creator credit criteria
currency current cursor custom customer cycle
daily dashboard data database dataset date datetime day deadline debug default definition degree delay delete deleted deletion delta department
dependency deployment depth desc description destination detail details device diff difference digest dimension direction directory disabled
disk display distance doc document domain done download draft due duration dynamic
edge edit edited edition editor effect element email emoji employee empty enabled encoding end endpoint engine entity entry enum environment env
epoch error estimate etag eval event exact example exception excerpt exclude execution exit expiration expired expires expression extension
extra extract
face facet fact factor failed failure false family favorite feature feed fee field file filename filter final finish first fix flag float
folder follower font footer force fork form format formatted forward found fraction free frequency from full function fund
game gateway gender geo given global goal grade graph grid group guide
handle has hash head header headline health height help hidden high hint history hit home hook horizontal host hostname hour hourly href html http
humidity
icon id identifier identity image img impact import incident include incomplete index info inline input insert instance instruction int integer
interval invalid invoice ip is issue item iteration iso
job join json key keyword kind
label lang language last lat latest latitude layer layout lead left length level library license like limit line link list listing load local
locale location lock locked log login logo lon long longitude low
machine mail main manager map mapping mark markdown match max maximum mean measure media median member membership memory menu merge merged
message meta metadata method metric middle mime min minimum minute mirror missing mode model modified module monitor month monthly more
mount move multi mutation
name namespace native nested net network new next nick no node none note notification null num number
object off offset ok old one online only op open opened operation operator optional option order organization org origin original os other out
output owner
package page pages pagination pair panel param parameter parent part participant partial passed password patch path pattern payload payment
pending per percent percentage performance period permission person phase phone photo pin pipeline place plan platform player playlist plugin
point policy poll pool port position post postal power precipitation preference prefix prerelease pressure preview previous prev price primary
prior priority private probability problem process processed processing processor product production profile program progress project prompt
property proposal protocol provider proxy public publish published publisher pull purchase push
quality quantity query question queue quota quote
radius random range rank rate rating ratio raw reaction read ready real reason receipt received recent recipient record redirect ref reference
region registry regular related relation release relevance remaining remote removed repeat replica reply report repo repository request required
reset resolution resolved resource response rest result retry return reverse review reviewer revision right role room root rotation round route
row rule run runner runtime
safe sale sample save scale schedule schema scope score screen script scroll search second secret section segment select selected selector self
sender sentiment sequence series server service session set setting severity sha shape share shared shop short show side sign signature simple
since single site size sku sleep slot slug snapshot snippet social software solution sort source space span speed split sprint stack staff stage
standard star stargazer start started starred stat state statement static station statistics status stderr stdout step stock stop storage store
stream street string strict structure style sub subject submitted subscriber subscription subtitle success successful suffix suggestion suite
sum summary sunrise sunset support symbol sync system
tab table tag target task tax team temp temperature template tenant term test text theme thread threshold thumbnail ticket tier time timeline
timeout timestamp timezone title to today token tool top topic total track traffic transaction transcript translation tree trend trigger true
truncated trust ts type
uid unit unique unknown unread until update updated updater upload upper uptime uri url usage use user username utc uuid
valid validation value variable variant vendor verified version vertical video view viewer visibility visible volume vote vulnerability
wait warning watch watcher weather web website week weekly weight width wiki wind window word work worker workflow workspace
write writer written year zip zone
a accuracy ahead and article as at avenue b behind by c d e f for g h in j k of on or p q r s t u v w with x y z`
