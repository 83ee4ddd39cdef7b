package exec

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// cleanScratch removes the scratch folders of sessions, of all workspaces, in
// which nothing has been written since a time. dir is the folder of one
// workspace's sessions, beside those of the others; both have names that nobody
// chose (see short).
func cleanScratch(dir string, since time.Time) {
	all := filepath.Dir(dir)
	for _, workspace := range ownFolders(all) {
		for _, session := range ownFolders(workspace) {
			if lastWritten(session).Before(since) {
				_ = os.RemoveAll(session) // the next time, if not now
			}
		}
		_ = os.Remove(workspace) // when it is empty
	}
}

// ownFolders are the folders in dir with names of short.
func ownFolders(dir string) (folders []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && isShort(e.Name()) {
			folders = append(folders, filepath.Join(dir, e.Name()))
		}
	}
	return folders
}

// lastWritten is when something in a folder was written last. What cannot be
// looked at is as good as new.
func lastWritten(dir string) (last time.Time) {
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	if err != nil {
		return time.Now()
	}
	return last
}
