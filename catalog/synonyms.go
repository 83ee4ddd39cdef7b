package catalog

import "strings"

// synonyms are words that tools and people use for one thing: abbreviations of the
// trade, and the verbs that tools begin with. Each group in a line, a phrase with _
// between its words.
const synonyms = `
add create insert make new
delete destroy drop erase remove
change edit modify update
abort kill stop terminate
execute launch run start
post send
buy purchase
batch bulk many multiple several

admin administrator
app application
arg argument param parameter
auth authentication
cert certificate
cfg config configuration
cred credential
cve vulnerability
db database
dir directory folder
doc docs document documentation
email mail
env environment
id identifier
image img photo picture
info information
issue ticket
js javascript
k8s kubernetes
message msg
mr merge_request
org organization
pr pull_request
pwd password
repo repository
sheet spreadsheet
stats statistics
ts typescript
var variable
vm virtual_machine
`

// A word of a query, and what else it may be called: phrases, of which every
// word has to be there.
type queryWord struct {
	word   string
	others [][]string
}

// meanings are the other phrases for a word, by its stem.
var meanings = func() map[string][][]string {
	m := map[string][][]string{}
	for group := range strings.Lines(synonyms) {
		var phrases [][]string
		for name := range strings.FieldsSeq(group) {
			var phrase []string
			for word := range strings.SplitSeq(name, "_") {
				phrase = append(phrase, stem(word))
			}
			phrases = append(phrases, phrase)
		}
		for i, phrase := range phrases {
			if len(phrase) > 1 {
				continue
			}
			for j, other := range phrases {
				if j != i && other[0] != phrase[0] {
					m[phrase[0]] = append(m[phrase[0]], other)
				}
			}
		}
	}
	return m
}()

// abbreviation is the stem of a word that has other names and must not be split,
// such as k8s or PRs; "" is none.
func abbreviation(word string) string {
	word = strings.ToLower(word)
	for _, form := range [...]string{stem(word), strings.TrimSuffix(word, "s")} {
		if meanings[form] != nil {
			return form
		}
	}
	return ""
}
