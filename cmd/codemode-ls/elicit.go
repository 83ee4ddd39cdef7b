package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// terminal is the terminal of the person who runs a script. One question has it at a
// time.
type terminal struct {
	tty *os.File

	mu       sync.Mutex
	progress *progress // that stands still meanwhile, or nil
}

// take has the terminal for one question until release is called. The end of ctx
// unblocks reading.
func (t *terminal) take(ctx context.Context) (release func(), err error) {
	t.mu.Lock()
	if t.progress != nil {
		t.progress.Pause()
	}
	unblocked := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(unblocked)
		_ = t.tty.SetReadDeadline(time.Unix(1, 0))
	})
	release = func() {
		if !stop() {
			<-unblocked
		}
		_ = t.tty.SetReadDeadline(time.Time{}) // another question may come
		if t.progress != nil {
			t.progress.Resume()
		}
		t.mu.Unlock()
	}
	// What was typed before a question is shown is no answer to it.
	if err := discardInput(t.tty); err != nil {
		release()
		return nil, fmt.Errorf("typed-ahead input cannot be distinguished from an answer: %w", err)
	}
	return release, nil
}

// Elicit asks what a server wants to know, field by field (MCP-6).
func (t *terminal) Elicit(ctx context.Context, q upstream.Elicitation) (upstream.ElicitationAnswer, error) {
	release, err := t.take(ctx)
	if err != nil {
		return upstream.ElicitationAnswer{}, err
	}
	defer release()
	fmt.Fprintf(t.tty, "\nServer %s asks: %s\n", single(q.Server), printable(shortened(q.Message, maxShownArguments)))
	form := &form{lines: bufio.NewReader(t.tty), out: t.tty}
	switch {
	case q.URL != "":
		fmt.Fprintf(t.tty, "It wants you to open this address in a browser:\n  %s\n", printable(q.URL))
		err = form.confirm("[Enter] when you have opened it  [d]ecline ? ")
	case len(q.Fields) == 0:
		err = form.confirm("[Enter] to confirm  [d]ecline ? ")
	default:
		fmt.Fprintln(t.tty, "Never give a password to such a question. Enter takes what is in brackets; !d declines.")
		err = form.fill(q.Fields)
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(t.tty)
		return upstream.ElicitationAnswer{}, context.Cause(ctx)
	case errors.Is(err, errDeclined):
		return upstream.ElicitationAnswer{Action: upstream.Decline}, nil
	case errors.Is(err, io.EOF):
		return upstream.ElicitationAnswer{Action: upstream.Cancel}, nil
	case err != nil:
		return upstream.ElicitationAnswer{}, fmt.Errorf("reading the answer: %w", err)
	}
	return upstream.ElicitationAnswer{Action: upstream.Accept, Content: form.content}, nil
}

var errDeclined = errors.New("declined")

// form is a form that is filled in line by line.
type form struct {
	lines   *bufio.Reader
	out     io.Writer
	content map[string]jsontext.Value
}

// confirm waits for Enter.
func (f *form) confirm(prompt string) error {
	for {
		fmt.Fprint(f.out, prompt)
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "", "y", "yes":
			return nil
		case "d", "!d", "n", "no":
			return errDeclined
		}
	}
}

func (f *form) fill(fields []upstream.Field) error {
	f.content = map[string]jsontext.Value{}
	for _, field := range fields {
		v, err := f.ask(field)
		if err != nil {
			return err
		}
		if v != nil {
			f.content[field.Name] = v
		}
	}
	return nil
}

// ask asks for one value until there is one that the field takes; nil leaves it out.
func (f *form) ask(field upstream.Field) (jsontext.Value, error) {
	name := single(field.Name)
	if field.Title != "" {
		name = single(field.Title)
	}
	if d := single(field.Description); d != "" {
		name += " (" + shortened(d, 300) + ")"
	}
	for i, c := range field.Choices {
		title := c.Title
		if title == "" {
			title = c.Value
		}
		fmt.Fprintf(f.out, "  %d %s\n", i+1, single(title))
	}
	switch {
	case field.Type == "array":
		name += ", several with commas"
	case field.Type == "boolean":
		name += ", yes or no"
	case field.Format != "":
		name += ", " + single(field.Format)
	}
	switch {
	case field.Default != nil:
		name += " [" + single(string(field.Default)) + "]"
	case !field.Required:
		name += " []"
	}
	for {
		fmt.Fprintf(f.out, "%s: ", name)
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return nil, err
		}
		switch line = strings.TrimSpace(line); {
		case line == "!d":
			return nil, errDeclined
		case line == "" && field.Default != nil:
			return field.Default, nil
		case line == "" && !field.Required:
			return nil, nil
		}
		v, err := field.Read(line)
		if err == nil {
			return v, nil
		}
		fmt.Fprintf(f.out, "  %s\n", printable(err.Error()))
	}
}
