package exec

import (
	"errors"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// globals are the global names of a run with exec.globals "extended", and the
// JSON of ALL_TOOLS; nothing in a strict one (ISO-1).
func globals(pool *catalog.Catalog) (list []sandbox.Global, allTools jsontext.Value) {
	if !pool.Offer().Extended {
		return nil, nil
	}
	for _, g := range catalog.Globals() {
		list = append(list, sandbox.Global{
			Name: g.Name, Member: g.Member, Fields: g.Fields, Options: g.Options, Now: g.Now, Any: g.TakesAny(),
		})
	}
	allTools, err := marshal(pool.List())
	if err != nil {
		allTools = jsontext.Value("[]") // strings always encode
	}
	return list, allTools
}

// foreignImage makes the member's own argument of what other hosts take for an
// image: a data URL, an object with image_url, a content item of MCP. What it
// does not know stays as it is, for the check to refuse.
func foreignImage(arguments jsontext.Value) (jsontext.Value, error) {
	var a struct {
		Data     string         `json:"data"`
		MIMEType string         `json:"mimeType"`
		ImageURL jsontext.Value `json:"image_url"`
	}
	if json.Unmarshal(arguments, &a, lenient) != nil {
		return arguments, nil
	}
	url := a.Data
	if a.ImageURL != nil {
		var nested struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(a.ImageURL, &url, lenient) != nil {
			if json.Unmarshal(a.ImageURL, &nested, lenient) != nil {
				return arguments, nil
			}
			url = nested.URL
		}
	}
	if rest, ok := strings.CutPrefix(url, "data:"); ok {
		kind, data, _ := strings.Cut(rest, ",")
		if mimeType, isBase64 := strings.CutSuffix(kind, ";base64"); isBase64 {
			a.MIMEType, _, _ = strings.Cut(mimeType, ";")
			a.Data = data
		}
	}
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		return nil, errors.New("a script cannot fetch images: pass the image itself, as a data URL such as data:image/png;base64,…")
	}
	if a.Data == "" || a.MIMEType == "" {
		return arguments, nil
	}
	value, err := marshal(map[string]string{"data": a.Data, "mimeType": a.MIMEType})
	if err != nil {
		return arguments, nil
	}
	return value, nil
}
