package script

import "testing"

func TestRebaseMap(t *testing.T) {
	m := []byte(`{"version": 3, "mappings": "CAAC,iBAAgB;AACjB;;SAAO", "names": []}`)
	there := RebaseMap(m, Rebase{GeneratedColumns: 1, Lines: -1, Columns: 2})
	back := RebaseMap(there, Rebase{GeneratedColumns: -1, Lines: 1, Columns: -2})
	if string(back) != string(m) || string(there) == string(m) {
		t.Errorf("%s\n%s", there, back)
	}
}
