package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Channel is what announcements are about. Each has markers of its own.
type Channel string

const (
	CatalogChannel      Channel = "catalog"
	InstructionsChannel Channel = "instructions" // what servers say of themselves (ANN-13)
)

// AnnounceRequest asks what to append to a conversation (codemode/announce).
type AnnounceRequest struct {
	// Markers that are in the conversation's history, oldest first, each as it
	// was given. nil is a history that cannot be read (ANN-11), which is not the
	// same as an empty one.
	Markers []jsontext.Value
	// Declared says that Exec is switched on. An empty pool is not "off" (ANN-0).
	Declared bool
	Channel  Channel       // "" is the catalog
	Render   RenderOptions // of the catalog; its Namespace is not looked at
}

// Announcement is a message for the end of a conversation.
type Announcement struct {
	Text   string         `json:"text"`
	Marker jsontext.Value `json:"marker"` // opaque to the caller
}

// markerVersion changes when a marker gets another meaning. Markers of other
// versions are as good as gone: repeating beats losing.
const markerVersion = 1

type markerKind string

const (
	fullMarker    markerKind = "full"
	diffMarker    markerKind = "diff"
	emptyMarker   markerKind = "empty"
	retiredMarker markerKind = "retired"
)

// marker is what a caller keeps of an announcement.
type marker struct {
	Version int        `json:"v"`
	Channel Channel    `json:"channel"`
	Kind    markerKind `json:"kind"`
	// Hash of the body; for a diff that of the full text of its state, so that
	// states compare (ANN-3, ANN-12).
	Hash      string         `json:"hash"`
	Truncated bool           `json:"truncated,omitzero"`
	Tools     map[string]int `json:"tools,omitzero"` // by namespace
	Base      string         `json:"base,omitzero"`  // hash of the full text that a diff is relative to
}

// body is the state of a channel as text.
type body struct {
	text      string
	empty     bool // nothing to announce: no tools, no instructions
	truncated bool
	tools     map[string]int
	retired   string // what to say when it no longer applies (ANN-10)
}

const (
	retiredCatalog      = "The catalog of MCP tools given earlier no longer applies. Its entries must not be used."
	retiredInstructions = "The instructions of MCP servers given earlier no longer apply and must not be followed."
	emptyInstructions   = "No MCP server gives instructions now; later updates may add some."
)

// Announce says what a conversation needs to know about the pool, nil when it
// knows all. It remembers nothing: the answer follows from the markers and the
// pool alone (ANN-0…13).
func (c *Catalog) Announce(q AnnounceRequest) *Announcement {
	if q.Markers == nil {
		return nil // ANN-11
	}
	if q.Channel == "" {
		q.Channel = CatalogChannel
	}
	var now body
	switch q.Channel {
	case CatalogChannel:
		now = c.catalogBody(q.Render)
	case InstructionsChannel:
		now = c.instructionsBody()
	default:
		return nil
	}
	return now.announce(q.Channel, readMarkers(q.Markers, q.Channel), q.Declared)
}

// announce applies the rules to the markers of one channel.
func (b body) announce(channel Channel, history []marker, declared bool) *Announcement {
	say := func(kind markerKind, text string, m marker) *Announcement {
		m.Version, m.Channel, m.Kind = markerVersion, channel, kind
		if m.Hash == "" {
			m.Hash = hashOf(text)
		}
		encoded, err := json.Marshal(m, json.Deterministic(true))
		if err != nil {
			panic(err) // strings, numbers and a map of numbers always encode
		}
		return &Announcement{Text: text, Marker: encoded}
	}
	full := func() *Announcement {
		return say(fullMarker, b.text, marker{Truncated: b.truncated, Tools: b.tools})
	}

	if len(history) == 0 {
		if !declared || b.empty {
			return nil // ANN-2, and nothing to retire
		}
		return full() // ANN-1, ANN-5
	}
	newest := history[len(history)-1]
	switch {
	case !declared: // ANN-10
		if newest.Kind == retiredMarker && newest.Hash == hashOf(b.retired) || !slices.ContainsFunc(history, marker.isCatalog) {
			return nil
		}
		return say(retiredMarker, b.retired, marker{})
	case b.empty: // ANN-9
		if newest.Kind == retiredMarker || newest.Kind == emptyMarker && newest.Hash == hashOf(b.text) {
			return nil
		}
		return say(emptyMarker, b.text, marker{})
	case !newest.isCatalog(): // was empty or off; both end with a full catalog
		return full()
	}

	if newest.Kind == diffMarker && !hasFull(history, newest.Base) {
		return full() // ANN-5: nobody can make sense of the diff any more
	}
	hash := hashOf(b.text)
	if newest.Hash == hash {
		return nil // ANN-3
	}
	base, ok := newestFull(history)
	if !ok || !newest.Truncated || !b.truncated || maps.Equal(base.Tools, b.tools) {
		return full() // ANN-6, ANN-8
	}
	diff := diffText(base.Tools, b.tools)
	if utf8.RuneCountInString(diff) >= utf8.RuneCountInString(b.text) {
		return full() // ANN-7
	}
	return say(diffMarker, diff, marker{Hash: hash, Truncated: true, Tools: b.tools, Base: base.Hash})
}

// isCatalog reports whether a marker is of a message after which a catalog has been read.
func (m marker) isCatalog() bool { return m.Kind == fullMarker || m.Kind == diffMarker }

func hasFull(history []marker, hash string) bool {
	return slices.ContainsFunc(history, func(m marker) bool { return m.Kind == fullMarker && m.Hash == hash })
}

func newestFull(history []marker) (marker, bool) {
	for _, m := range slices.Backward(history) {
		if m.Kind == fullMarker {
			return m, true
		}
	}
	return marker{}, false
}

// readMarkers reads what callers pass on. What is not a marker of this channel
// and version is left out.
func readMarkers(raw []jsontext.Value, channel Channel) []marker {
	var history []marker
	for _, r := range raw {
		var m marker
		if err := json.Unmarshal(r, &m); err != nil || m.Version != markerVersion || m.Channel != channel {
			continue
		}
		switch m.Kind {
		case fullMarker, diffMarker, emptyMarker, retiredMarker:
			history = append(history, m)
		}
	}
	return history
}

func (c *Catalog) catalogBody(o RenderOptions) body {
	o.Namespace = ""
	r := c.Render(o)
	b := body{text: r.Text, empty: r.Total == 0, truncated: r.Partial, retired: retiredCatalog}
	if r.Total > 0 {
		b.tools = make(map[string]int, len(r.Servers))
	}
	for _, s := range r.Servers {
		b.tools[s.Namespace] = s.Tools
	}
	return b
}

// instructionsBody has the instructions of the pool's servers, whole, outside
// of any budget (ANN-13).
func (c *Catalog) instructionsBody() body {
	var parts []string
	for _, s := range c.servers {
		if strings.TrimSpace(s.Instructions) != "" {
			parts = append(parts, fmt.Sprintf("Instructions of the MCP server %s for its own tools:\n\n%s", s.Namespace, s.Instructions))
		}
	}
	b := body{text: strings.Join(parts, "\n\n"), retired: retiredInstructions}
	if len(parts) == 0 {
		b.text, b.empty = emptyInstructions, true
	}
	return b
}

// diffText says which namespaces appeared, changed their count or went away
// since the newest full catalog of the conversation (ANN-6).
func diffText(before, now map[string]int) string {
	names := slices.Sorted(maps.Keys(now))
	for name := range before {
		if _, ok := now[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("The MCP tools have changed since the last whole catalog text above:")
	for _, name := range names {
		was, had := before[name]
		is, has := now[name]
		switch {
		case !had:
			fmt.Fprintf(&b, "\n- %s is new (%s)", name, count(is, "tool"))
		case !has:
			fmt.Fprintf(&b, "\n- %s is gone", name)
		case was != is:
			fmt.Fprintf(&b, "\n- %s now has %s, not %d", name, count(is, "tool"), was)
		}
	}
	b.WriteString("\n\nThe whole pool can be listed or searched with " + searchMember.CallForm() + ".")
	return b.String()
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
