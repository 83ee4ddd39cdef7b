package upstream

import (
	"encoding/base64"
	"strings"
	"testing"
)

// EXEC-3: an image that a model cannot read is not handed on as one.
func TestBrokenMedia(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString
	png, jpeg := encoded([]byte("\x89PNG\r\n\x1a\n")), encoded([]byte("\xff\xd8\xff\xe0"))
	svg := encoded([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))
	html := encoded([]byte("<!DOCTYPE html><p>not found</p>"))
	heic := encoded([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"))
	for _, c := range []struct{ kind, mimeType, data, want string }{
		{"image", "image/png", png, ""},
		{"image", "IMAGE/PNG; charset=binary", png, ""},
		{"image", "image/jpg", jpeg, ""},
		{"image", "image/svg+xml", svg, ""},
		{"image", "image/heic", heic, ""},
		{"image", "", png, ""},
		{"image", "image/png", png[:6] + "\r\n" + png[6:], ""},
		{"image", "image/png", "", "without data"},
		{"image", "image/png", " \n", "without data"},
		{"image", "image/png", "%%%", "is not base64"},
		{"image", "image/png", png + "!", "is not base64"},
		{"image", "image/png", strings.Repeat("A", 5), "is not base64"},
		{"image", "image/png", strings.Repeat("AAAA", 5000) + "-", "is not base64"},
		{"image", "image/png", "data:image/png;base64," + png, "is not base64"},
		{"image", "image/png", jpeg, "of another kind (image/jpeg)"},
		{"image", "image/png", html, "of another kind (text/html)"},
		{"image", "image/heic", png, "of another kind (image/png)"},
		{"image", "image/svg+xml", png, "of another kind (image/png)"},
		{"image", "text/html", html, "without a MIME type of its kind"},
		{"image", "png", png, "without a MIME type of its kind"},
		{"image", "", html, "without a MIME type of its kind"},
		{"audio", "audio/wav", encoded([]byte("RIFF....WAVE")), ""},
		{"audio", "audio/x-raw", encoded([]byte{0, 1, 2, 250}), ""},
		{"audio", "audio/wav", html, "of another kind (text/html)"},
		{"audio", "audio/wav", "", "without data"},
	} {
		if _, problem := CheckMedia(c.kind, c.mimeType, c.data); (problem == "") != (c.want == "") || !strings.Contains(problem, c.want) {
			t.Errorf("%s %q %.40s: %q, want %q", c.kind, c.mimeType, c.data, problem, c.want)
		}
	}
}
