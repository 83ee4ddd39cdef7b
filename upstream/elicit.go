package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
)

// An Asker has a person answer what servers ask during calls (MCP-6). An error is an
// answer that could not be had: the server is notified that it was cancelled.
type Asker interface {
	// Elicit asks for the fields of a form, or to open an address.
	Elicit(ctx context.Context, e Elicitation) (ElicitationAnswer, error)
}

// Elicitation is a question of a server: for Fields, or, with a URL, to open it.
type Elicitation struct {
	Server  string // its configured name
	Message string // in the server's words
	URL     string
	Fields  []Field
}

// ElicitationAnswer is what a person has answered.
type ElicitationAnswer struct {
	// Action is "accept", "decline" or "cancel".
	Action string
	// Content has a value for each field that was filled in; of "accept" alone. The
	// set has it checked before the server gets it.
	Content map[string]jsontext.Value
}

// What a person can answer.
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)

// Field is one value that a server asks for.
type Field struct {
	Name        string   `json:"name"`
	Title       string   `json:"title,omitzero"`
	Description string   `json:"description,omitzero"`
	Type        string   `json:"type"`             // "string", "number", "integer", "boolean" or "array"
	Format      string   `json:"format,omitzero"`  // of a string: "email", "uri", "date" or "date-time"
	Choices     []Choice `json:"choices,omitzero"` // of a string, or of an array's elements: it must be one of them
	Required    bool     `json:"required,omitzero"`
	// Default is filled in; nil for none.
	Default jsontext.Value `json:"default,omitzero"`
	Pattern string         `json:"pattern,omitzero"`
	// Minimum and Maximum bound a number, the length of a string, and how many elements
	// an array has.
	Minimum *float64 `json:"minimum,omitzero"`
	Maximum *float64 `json:"maximum,omitzero"`
}

// Choice is a value, and what people see in its place.
type Choice struct {
	Value string `json:"value"`
	Title string `json:"title,omitzero"`
}

// Bounds of a form: more is none that a person fills in.
const (
	maxFields  = 50
	maxChoices = 1000
)

// readFields reads a form's schema, which MCP restricts to an object of simple values.
func readFields(schema jsontext.Value) ([]Field, error) {
	object := members(schema, "type", "required", "properties")
	if object == nil || stringOf(object["type"]) != "object" && len(object["type"]) > 0 {
		return nil, errors.New("its schema is not that of an object")
	}
	required := map[string]bool{}
	for name := range elements(object["required"]) {
		if required[stringOf(name)] = true; len(required) > maxFields {
			break // more than fields may be asked for
		}
	}
	var fields []Field
	if object["properties"].Kind() != '{' {
		return nil, nil
	}
	for name, property := range parts(object["properties"]) { // in the server's order
		f, err := readField(string(name), members(property, fieldMembers...))
		if err != nil {
			return nil, err
		}
		f.Required = required[string(name)]
		if fields = append(fields, f); len(fields) > maxFields {
			return nil, fmt.Errorf("it asks for more than %d values", maxFields)
		}
	}
	return fields, nil
}

// fieldMembers are the members of a field's schema that are read.
var fieldMembers = []string{
	"title", "description", "type", "default", "format", "pattern", "enum", "enumNames", "oneOf", "anyOf", "items",
	"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
}

func readField(name string, p map[string]jsontext.Value) (Field, error) {
	f := Field{Name: name, Title: stringOf(p["title"]), Description: stringOf(p["description"]), Type: stringOf(p["type"])}
	if d := p["default"]; len(d) > 0 && d.Kind() != 'n' {
		f.Default = d
	}
	low, high := "minimum", "maximum"
	switch f.Type {
	case "string":
		low, high = "minLength", "maxLength"
		f.Format, f.Pattern = stringOf(p["format"]), stringOf(p["pattern"])
		f.Choices = readChoices(p)
	case "array":
		low, high = "minItems", "maxItems"
		if f.Choices = readChoices(members(p["items"], fieldMembers...)); len(f.Choices) == 0 {
			return f, fmt.Errorf("it asks for a list that no form can show (%q)", brief(name))
		}
	case "number", "integer", "boolean":
	default:
		return f, fmt.Errorf("it asks for a value that no form can show (%q)", brief(name))
	}
	if len(f.Choices) > maxChoices {
		return f, fmt.Errorf("it offers more than %d choices (%q)", maxChoices, brief(name))
	}
	f.Minimum, f.Maximum = numberOf(p[low]), numberOf(p[high])
	if f.Default != nil && f.Check(f.Default) != nil {
		f.Default = nil // not a value that it takes itself
	}
	return f, nil
}

// readChoices reads the three forms in which choices are written, and no more than one
// above maxChoices.
func readChoices(p map[string]jsontext.Value) []Choice {
	var choices []Choice
	for value := range elements(p["enum"]) {
		if choices = append(choices, Choice{Value: stringOf(value)}); len(choices) > maxChoices {
			return choices
		}
	}
	i := 0
	for title := range elements(p["enumNames"]) {
		if i == len(choices) {
			break
		}
		choices[i].Title = stringOf(title)
		i++
	}
	for _, list := range []string{"oneOf", "anyOf"} {
		for option := range elements(p[list]) {
			m := members(option, "const", "title")
			if choices = append(choices, Choice{stringOf(m["const"]), stringOf(m["title"])}); len(choices) > maxChoices {
				return choices
			}
		}
	}
	return choices
}

func numberOf(v jsontext.Value) *float64 {
	if v.Kind() != '0' {
		return nil
	}
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return nil
	}
	return &n
}

// Check says what is wrong with a value of the field, for the person who typed it.
func (f Field) Check(v jsontext.Value) error {
	size, unit := 0.0, ""
	switch f.Type {
	case "boolean":
		if k := v.Kind(); k != 't' && k != 'f' {
			return errors.New("it must be true or false")
		}
		return nil
	case "number", "integer":
		n := numberOf(v)
		switch {
		case n == nil:
			return errors.New("it must be a number")
		case f.Type == "integer" && *n != math.Trunc(*n):
			return errors.New("it must be a whole number")
		}
		size = *n
	case "array":
		if v.Kind() != '[' {
			return errors.New("it must be a list")
		}
		for e := range elements(v) {
			if err := f.choose(stringOf(e)); err != nil {
				return err
			}
			size++
		}
		unit = " choices"
	default:
		if v.Kind() != '"' {
			return errors.New("it must be a text")
		}
		text := stringOf(v)
		if err := f.text(text); err != nil {
			return err
		}
		size, unit = float64(utf8.RuneCountInString(text)), " characters"
	}
	switch {
	case f.Minimum != nil && size < *f.Minimum:
		return fmt.Errorf("it must be at least %v%s", *f.Minimum, unit)
	case f.Maximum != nil && size > *f.Maximum:
		return fmt.Errorf("it must be at most %v%s", *f.Maximum, unit)
	}
	return nil
}

func (f Field) choose(text string) error {
	if !slices.ContainsFunc(f.Choices, func(c Choice) bool { return c.Value == text }) {
		return errors.New("it must be one of the choices")
	}
	return nil
}

func (f Field) text(text string) error {
	if len(f.Choices) > 0 {
		return f.choose(text)
	}
	if pattern, err := regexp.Compile(f.Pattern); f.Pattern != "" && err == nil && !pattern.MatchString(text) {
		return fmt.Errorf("it must match %s", brief(f.Pattern))
	}
	switch f.Format {
	case "email":
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return errors.New("it must be an email address")
		}
	case "uri":
		if u, err := url.Parse(text); err != nil || u.Scheme == "" {
			return errors.New("it must be an address with its scheme, such as https://…")
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return errors.New("it must be a date, such as 2026-12-01")
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return errors.New("it must be a time, such as 2026-12-01T12:00:00Z")
		}
	}
	return nil
}

// Read is the value of the field that a person has typed.
func (f Field) Read(text string) (jsontext.Value, error) {
	text = strings.TrimSpace(text)
	var v jsontext.Value
	quote := func(text string) jsontext.Value {
		quoted, _ := jsontext.AppendQuote(nil, f.value(strings.TrimSpace(text)))
		return quoted
	}
	switch f.Type {
	case "boolean":
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			v = jsontext.Value("true")
		case "n", "no", "false":
			v = jsontext.Value("false")
		default:
			return nil, errors.New("answer yes or no")
		}
	case "number", "integer":
		if v = jsontext.Value(text); !v.IsValid() {
			return nil, errors.New("it must be a number")
		}
	case "array":
		var list []string
		for _, part := range strings.Split(text, ",") {
			if strings.TrimSpace(part) != "" {
				list = append(list, string(quote(part)))
			}
		}
		v = jsontext.Value("[" + strings.Join(list, ",") + "]")
	default:
		v = quote(text)
	}
	return v, f.Check(v)
}

// value is the choice that a text means: by its number from 1, its title or itself.
func (f Field) value(text string) string {
	for _, c := range f.Choices {
		if text == c.Value || text == c.Title {
			return c.Value
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.Choices) {
		return f.Choices[n-1].Value
	}
	return text
}

// readElicitation reads the parameters of elicitation/create. An error is a question
// that no person can be shown.
func readElicitation(server string, params jsontext.Value) (Elicitation, error) {
	p := members(params, "message", "mode", "url", "requestedSchema")
	e := Elicitation{Server: server, Message: stringOf(p["message"])}
	switch mode := stringOf(p["mode"]); mode {
	case "url":
		e.URL = stringOf(p["url"])
		u, err := url.Parse(e.URL)
		switch {
		case err != nil || u.Host == "" || u.User != nil || strings.ContainsFunc(e.URL, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
			return e, errors.New("it is no plain address")
		case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
			return e, errors.New("it is not an https address")
		case len(e.URL) > maxElicitedURL:
			return e, errors.New("its address is too long to be shown")
		}
		return e, nil
	case "", "form":
		var err error
		e.Fields, err = readFields(p["requestedSchema"])
		return e, err
	default:
		return e, fmt.Errorf("its mode %q is unknown", brief(mode))
	}
}

// maxElicitedURL is how long an address may be that a person has to look at.
const maxElicitedURL = 2000

func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// An elicitationResult is what a server receives.
type elicitationResult struct {
	Action  string                    `json:"action"`
	Content map[string]jsontext.Value `json:"content,omitempty"`
}

// checked is the answer as the server may have it: of an accepted form, the fields that
// it asked for with values that it takes, and all that it requires.
func (e Elicitation) checked(a ElicitationAnswer) (elicitationResult, error) {
	r := elicitationResult{Action: a.Action}
	switch a.Action {
	case Accept:
	case Decline, Cancel:
		return r, nil
	default:
		return r, fmt.Errorf("the answer is neither accept, decline nor cancel, but %q", brief(a.Action))
	}
	if e.URL != "" {
		return r, nil
	}
	r.Content = map[string]jsontext.Value{}
	for _, f := range e.Fields {
		v, ok := a.Content[f.Name]
		if !ok || v.Kind() == 'n' {
			if f.Required {
				return r, fmt.Errorf("%q is required and was not answered", brief(f.Name))
			}
			continue
		}
		if err := f.Check(v); err != nil {
			return r, fmt.Errorf("the answer to %q cannot be used: %w", brief(f.Name), err)
		}
		r.Content[f.Name] = v
	}
	return r, nil
}

// maxQuestions is how many questions a server may have at a time.
const maxQuestions = 4

// elicit has the person answer a question of the server, and is the result as the
// server receives it. Nobody is asked unless the server is at work for somebody: a
// question out of nothing is declined.
func (s *session) elicit(ctx context.Context, params jsontext.Value) json.RawMessage {
	declined := json.RawMessage(`{"action":"decline"}`)
	if s.asker == nil {
		return declined
	}
	e, err := readElicitation(s.name, params)
	if err != nil {
		s.log.Warn("a question of a server is declined", "server", s.name, "err", err)
		return declined
	}
	ctx, done, ok := s.question(ctx)
	if !ok {
		s.log.Warn("a question of a server is declined: none of its calls is under way, or it asks too much", "server", s.name)
		return declined
	}
	defer done()
	answer, err := s.asker.Elicit(ctx, e)
	if err != nil {
		s.log.Info("a question of a server was not answered", "server", s.name, "err", err)
		return json.RawMessage(`{"action":"cancel"}`)
	}
	result, err := e.checked(answer)
	if err != nil {
		s.log.Warn("a question of a server was not answered", "server", s.name, "err", err)
		return json.RawMessage(`{"action":"cancel"}`)
	}
	encoded, err := jsonv2.Marshal(result, jsonv2.Deterministic(true))
	if err != nil {
		return declined
	}
	return json.RawMessage(encoded)
}

// keepParams keeps the parameters of a question as they came, for takeParams: a form
// has the order of its fields, which the MCP library loses.
func (s *session) keepParams(id, params jsontext.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.params) < maxReplies {
		s.params[string(id)] = params.Clone()
	}
}

func (s *session) takeParams(id mcp.RequestId) jsontext.Value {
	key, err := json.Marshal(id)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer delete(s.params, string(key))
	return s.params[string(key)]
}

// question stops the clocks of the server's calls until done is called. ctx ends with
// the last of these calls: then nobody wants the answer any more.
func (s *session) question(ctx context.Context) (_ context.Context, done func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asking) == 0 || s.questions >= maxQuestions {
		return ctx, nil, false
	}
	s.questions++
	ctx, cancel := context.WithCancel(ctx)
	q := &openQuestion{cancel: cancel}
	for c := range s.asking {
		q.release = append(q.release, c.hold())
	}
	s.opened = append(s.opened, q)
	return ctx, func() {
		cancel()
		s.mu.Lock()
		s.questions--
		s.opened = slices.DeleteFunc(s.opened, func(o *openQuestion) bool { return o == q })
		s.mu.Unlock()
		for _, release := range q.release {
			release()
		}
	}, true
}

// openQuestion is one that a person has before them.
type openQuestion struct {
	cancel  context.CancelFunc
	release []func()
}

// A heldCall is a call under way, whose clocks hold stops until its result is called.
type heldCall struct{ hold func() func() }

// underWay notes a call that the server may have questions for, until done is called.
func (s *session) underWay(hold func() func()) (done func()) {
	c := &heldCall{hold}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking[c] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asking, c)
		if len(s.asking) == 0 {
			for _, q := range s.opened {
				q.cancel()
			}
		}
	}
}

// inputOfResult answers the questions that a server of the newest protocol version has
// in its result of a call, in place of a request.
type inputOfResult struct{ s *session }

func (h inputOfResult) Elicit(ctx context.Context, q mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	params, err := json.Marshal(q.Params)
	if err != nil {
		return nil, err
	}
	result := new(mcp.ElicitationResult)
	return result, json.Unmarshal(h.s.elicit(ctx, params), result)
}
