package mcptest

import "testing"

func TestParse(t *testing.T) {
	d, err := Parse([]byte("-- server.json --\n{\"name\": \"x\", \"calls\": {\"b\": {\"delayMs\": 5}}}\n-- tools/1.json --\n{\"name\":  \"b\"}\n-- tools/2.json --\n{\"name\": \"a\"}\n-- results/b.json --\n[1]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "x" || d.Calls["b"].DelayMs != 5 || len(d.Tools) != 2 || string(d.Tools[0]) != `{"name":  "b"}` || string(d.Results["b"]) != "[1]" {
		t.Errorf("%+v", d)
	}
	for _, broken := range []string{`{"nmae": "x"}`, "{", "-- other.txt --\n"} {
		if _, err := Parse([]byte(broken)); err == nil {
			t.Errorf("%q was taken", broken)
		}
	}
}
