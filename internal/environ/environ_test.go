package environ

import (
	"fmt"
	"testing"
)

func TestClean(t *testing.T) {
	ours := []string{
		"PATH=/bin", "HOME=/h", "AWS_SECRET_ACCESS_KEY=x", "LC_TIME=C", "GITHUB_TOKEN=t", "LANG=() { evil; }", "odd",
		"XDG_DATA_HOME=/d", "XDG_CURRENT_DESKTOP=x", "DISPLAY=:0", "Path=C:\\bin", "SystemRoot=C:\\", "LCX=1",
	}
	own := map[string]string{"TOKEN": "mine", "HOME": "/own"}
	for _, test := range []struct {
		what    string
		more    []string
		windows bool
		want    string
	}{
		{"a server", nil, false, `[HOME=/own LC_TIME=C PATH=/bin TOKEN=mine XDG_DATA_HOME=/d]`},
		{"a hook", Desktop, false, `[DISPLAY=:0 HOME=/own LC_TIME=C PATH=/bin TOKEN=mine XDG_CURRENT_DESKTOP=x XDG_DATA_HOME=/d]`},
		{"on Windows", nil, true, `[HOME=/own LC_TIME=C PATH=/bin Path=C:\bin SystemRoot=C:\ TOKEN=mine XDG_DATA_HOME=/d]`},
	} {
		if got := fmt.Sprint(clean(ours, own, test.more, test.windows)); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.what, got, test.want)
		}
	}
	// A program's own variable takes the place of an inherited one in any case.
	if got := fmt.Sprint(clean([]string{"Path=C:\\bin"}, map[string]string{"PATH": "D:\\bin"}, nil, true)); got != `[PATH=D:\bin]` {
		t.Error(got)
	}
	if got := Value([]string{"AB=1", "A=2"}, "A"); got != "2" {
		t.Errorf("A is %q", got)
	}
}
