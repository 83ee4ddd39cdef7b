package exec

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/sandbox"

	"github.com/google/go-cmp/cmp"
)

// fakeModels answers requests to models and notes how many are under way.
type fakeModels struct {
	answer func(ctx context.Context, q ModelRequest) (ModelAnswer, error)

	mu            sync.Mutex
	asked         []ModelRequest
	running, most int
}

func (f *fakeModels) Model(ctx context.Context, q ModelRequest) (ModelAnswer, error) {
	f.mu.Lock()
	f.asked = append(f.asked, q)
	f.running++
	f.most = max(f.most, f.running)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.running--
		f.mu.Unlock()
	}()
	return f.answer(ctx, q)
}

// What a script gets of a model, whatever the editor answers.
func TestModels(t *testing.T) {
	const list, classify, generate = "models.list", "models.classify", "models.generate"
	for _, test := range []struct {
		member, arguments string
		answer            ModelAnswer
		err               error
		want              string
	}{
		{list, `{}`, ModelAnswer{Models: []Model{{ID: "m", Name: "M"}, {}}}, nil, `[{"id":"m","name":"M"}]`},
		{list, `{}`, ModelAnswer{}, nil, `[]`},
		{classify, `{"text":"t","labels":["a","b"]}`, ModelAnswer{Label: "b", Usage: &ModelUsage{3, 1}}, nil,
			`{"label":"b","stopReason":"stop","usage":{"inputTokens":3,"outputTokens":1}}`},
		{classify, `{"text":"t","labels":["a"]}`, ModelAnswer{Label: "c"}, nil, `{"label":null,"stopReason":"error","errorMessage":"the model chose none of the labels"}`},
		{classify, `{"text":"t","labels":["a"]}`, ModelAnswer{StopReason: "refusal", ErrorMessage: "no"}, nil, `{"label":null,"stopReason":"refusal","errorMessage":"no"}`},
		{generate, `{"prompt":"p","system":"s","maxTokens":5,"model":"m"}`, ModelAnswer{Text: "hi", StopReason: "length"}, nil, `{"text":"hi","stopReason":"length"}`},
		{generate, `{"prompt":"p"}`, ModelAnswer{}, errors.New("no credit"), `{"text":"","stopReason":"error","errorMessage":"no credit"}`},
		{generate, `{"prompt":"p"}`, ModelAnswer{ErrorMessage: "odd"}, nil, `{"text":"","stopReason":"error","errorMessage":"odd"}`},
	} {
		models := &fakeModels{answer: func(context.Context, ModelRequest) (ModelAnswer, error) { return test.answer, test.err }}
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			got, err := s.call(reserved+test.member, test.arguments)
			if err != nil || got != test.want {
				t.Errorf("%s: %s, %v\nwant %s", test.member, got, err, test.want)
			}
			return completed("1")
		})
		r := b.run(t, Request{Models: models, URI: "file:///x.exec.ts"})
		if r.Usage == nil || r.Usage.ModelCalls != 1 || len(models.asked) != 1 || models.asked[0].URI != "file:///x.exec.ts" || models.asked[0].RunID != r.RunID {
			t.Errorf("%s: usage %+v, asked %+v", test.member, r.Usage, models.asked)
		}
	}
	models := &fakeModels{answer: func(context.Context, ModelRequest) (ModelAnswer, error) {
		return ModelAnswer{Text: "t", Usage: &ModelUsage{10, 2}}, nil
	}}
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for range 2 {
			s.call("$codemode.models.generate", `{"prompt":"p"}`)
		}
		s.call("$codemode.models.generate", `{"text":"p"}`)
		if _, err := s.call("$codemode.models.list", `{}`); err != nil {
			t.Error(err)
		}
		return completed("1")
	})
	r := b.run(t, Request{Models: models})
	if diff := cmp.Diff(&Usage{ModelCalls: 3, InputTokens: 30, OutputTokens: 6}, r.Usage); diff != "" {
		t.Error(diff)
	}
	equal(t, "calls", statuses(r), []CallStatus{CallCompleted, CallCompleted, CallFailed, CallCompleted})
	failing := &fakeModels{answer: func(context.Context, ModelRequest) (ModelAnswer, error) { return ModelAnswer{}, errors.New("gone") }}
	b = setup(t, func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("$codemode.models.list", `{}`)
		if err == nil {
			t.Error("a list that failed is a list")
		} else {
			contain(t, err.Error(), "gone")
		}
		return completed("1")
	})
	b.run(t, Request{Models: failing})
}

// Without a client that offers models, and with files switched off, members say
// so, and the sandbox does not list them.
func TestMembersThatAreNotThere(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for _, name := range []string{"models.list", "models.classify", "models.generate", "readText", "writeText"} {
			_, err := s.call(reserved+name, `{"odd":1}`)
			var c *sandbox.CallError
			if !errors.As(err, &c) || c.Code != CodeUnknownTool {
				t.Errorf("%s: %v", name, err)
				continue
			}
			words := "experimental.codemode.models"
			if name == "readText" || name == "writeText" {
				words = "codemode.exec.files"
			}
			contain(t, c.Message, words)
			for _, member := range s.request.Members {
				if member == name {
					t.Errorf("%s is a member", name)
				}
			}
		}
		return completed("1")
	})
	if r := b.run(t, Request{}); len(r.Calls) != 0 || r.Usage != nil {
		t.Errorf("calls %v, usage %v", r.Calls, r.Usage)
	}
}

// At most four at a time; waiting for a turn stops the clock, waiting for the
// editor does not; each counts against the cap of calls.
func TestModelsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		models := &fakeModels{answer: func(ctx context.Context, _ ModelRequest) (ModelAnswer, error) {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			return ModelAnswer{Text: "t"}, ctx.Err()
		}}
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			var calls []*fakeCall
			for range 11 {
				calls = append(calls, s.start("$codemode.models.generate", `{"prompt":"p"}`))
			}
			for i, c := range calls {
				if _, err := c.await(); (err != nil) != (i == 10) {
					t.Errorf("call %d: %v", i, err)
				}
			}
			return completed("1")
		})
		b.Limits = func() config.Limits {
			l := config.DefaultLimits()
			l.MaxToolCalls = 10
			return l
		}
		r := b.run(t, Request{Models: models})
		if models.most != maxModels || len(models.asked) != 10 {
			t.Errorf("%d at a time, %d in all", models.most, len(models.asked))
		}
		if r.Timing.QueuedMs != 2000 || r.Calls[10].Status != CallRefused || r.Calls[9].Timing.QueuedMs != 2000 {
			t.Errorf("queued %d ms; the last call %s; the one before queued %+v", r.Timing.QueuedMs, r.Calls[10].Status, r.Calls[9].Timing)
		}
	})
}

// BUD-11: the end of a run ends its requests to models, and those that wait.
func TestModelsAreCancelled(t *testing.T) {
	asked := make(chan struct{}, 8)
	models := &fakeModels{answer: func(ctx context.Context, _ ModelRequest) (ModelAnswer, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return ModelAnswer{}, ctx.Err()
	}}
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for range 6 {
			s.start("$codemode.models.generate", `{"prompt":"p"}`)
		}
		for range maxModels {
			<-asked
		}
		return completed("1")
	})
	r := b.run(t, Request{Models: models})
	for _, c := range r.Calls {
		if c.Status != CallCancelled {
			t.Errorf("call %d: %s", c.Index, c.Status)
		}
	}
}

// A model that does not answer in time is a stopReason.
func TestModelTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		models := &fakeModels{answer: func(ctx context.Context, _ ModelRequest) (ModelAnswer, error) {
			<-ctx.Done()
			return ModelAnswer{}, ctx.Err()
		}}
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			got, err := s.call("$codemode.models.classify", `{"text":"t","labels":["a"]}`)
			if want := `{"label":null,"stopReason":"timeout","errorMessage":"the model did not answer in time"}`; got != want || err != nil {
				t.Errorf("%s, %v", got, err)
			}
			return completed("1")
		})
		b.run(t, Request{Models: models})
	})
}

// DRY-1: a dry run asks no model and writes no file.
func TestMembersOfADryRun(t *testing.T) {
	models := &fakeModels{}
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for member, want := range map[string]string{
			"models.list": `[]`, "models.generate": `{"text":"sample output of a model","stopReason":"stop"}`,
			"models.classify": `{"label":"a","stopReason":"stop"}`,
		} {
			arguments := map[string]string{"models.list": `{}`, "models.generate": `{"prompt":"p"}`, "models.classify": `{"text":"t","labels":["a"]}`}[member]
			if got, err := s.call(reserved+member, arguments); got != want || err != nil {
				t.Errorf("%s: %s, %v", member, got, err)
			}
		}
		s.call("$codemode.writeText", `{"path":"x","text":"t"}`)
		if _, err := s.call("$codemode.readText", `{"path":"x"}`); err == nil {
			t.Error("the file was written")
		}
		return completed("1")
	})
	withFiles(t, b)
	b.run(t, Request{Models: models, DryRun: true})
}

func withFiles(t *testing.T, b *bench) {
	pool := b.Pool
	b.Pool = func() *catalog.Catalog { return pool().Offering(catalog.Offer{Files: true, Extended: true}) }
	b.ScratchDir = t.TempDir()
}

// readText and writeText through the run: each session has its own folder.
func TestFilesOfSessions(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		if _, err := s.call("$codemode.readText", `{"path":"x"}`); err == nil {
			t.Error("a session sees the file of another")
		}
		path, err := s.call("$codemode.writeText", `{"path":"x","text":"é\u0000"}`)
		if err != nil {
			t.Error(err)
		}
		got, err := s.call("$codemode.readText", `{"path":`+path+`}`)
		if got != `"é\u0000"` || err != nil {
			t.Errorf("%s, %v", got, err)
		}
		_, err = s.call("$codemode.writeText", `{"path":"../x","text":""}`)
		if err == nil {
			t.Error("written outside")
		}
		return completed("1")
	})
	withFiles(t, b)
	for _, id := range []string{"a", "b"} {
		r := b.run(t, Request{SessionID: id})
		equal(t, "calls", statuses(r), []CallStatus{CallFailed, CallCompleted, CallCompleted, CallFailed})
	}
}

// The global image takes what other hosts take.
func TestForeignImage(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for _, good := range []string{
			`{"data":"data:image/png;base64,iVBORw0KGgo="}`, `{"data":"data:image/png;base64,iVBORw0KGgo=","detail":"high"}`,
			`{"image_url":"data:image/png;name=x;base64,iVBORw0KGgo="}`, `{"type":"input_image","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}`,
			`{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`,
		} {
			if _, err := s.call("$codemode.image", good); err != nil {
				t.Errorf("%s: %v", good, err)
			}
		}
		for bad, words := range map[string]string{
			`{"data":"https://x.test/a.png"}`: "cannot fetch images", `{"image_url":{"url":"http://x.test/a.png"}}`: "cannot fetch images",
			`{"data":"data:image/png,iVBORw0KGgo="}`: "of this shape", `{"image_url":5}`: "of this shape", `{}`: "of this shape",
		} {
			_, err := s.call("$codemode.image", bad)
			if err == nil {
				t.Errorf("%s was taken", bad)
				continue
			}
			contain(t, err.Error(), words)
		}
		if len(s.request.Globals) == 0 || len(s.request.AllTools) == 0 {
			t.Error("an extended run has no globals")
		}
		return completed("1")
	})
	withFiles(t, b)
	r := b.run(t, Request{})
	for _, o := range r.Output {
		if o.MIMEType != "image/png" || o.Data != "iVBORw0KGgo=" {
			t.Errorf("output %+v", o)
		}
	}
	if len(r.Output) != 5 {
		t.Errorf("%d images", len(r.Output))
	}
	strict := setup(t, func(s *fakeScript) sandbox.Outcome {
		if s.request.Globals != nil || s.request.AllTools != nil {
			t.Error("a strict run has globals") // ISO-1
		}
		if _, err := s.call("$codemode.image", `{"data":"data:image/png;base64,iVBORw0KGgo="}`); err == nil {
			t.Error("a strict run takes the forms of other hosts")
		}
		return completed("1")
	})
	strict.run(t, Request{})
}
