package exec

import "path/filepath"

// artifact keeps a text in the session's folder and gives its path; "" when it
// cannot: a result never fails for that. The name comes from the content, so
// that the same run has the same text (RES-4).
func (x *run) artifact(text string) string { return x.r.keepArtifact(x.request.SessionID, text) }

func (r *Runner) keepArtifact(sessionID, text string) string {
	if r.ArtifactDir == "" {
		return ""
	}
	folder := short([]byte(sessionID))
	path := filepath.Join(r.ArtifactDir, folder, short([]byte(text))+".txt")
	err := r.artifacts.hold(r.ArtifactDir, folder)
	if err == nil {
		err = keep(path, text)
	}
	if err != nil {
		r.log().Warn("artifact not written", "path", path, "err", err)
		return ""
	}
	r.CleanArtifacts()
	return path
}

// CleanArtifacts removes artifacts that are older than the settings say, and the
// oldest ones while all together are larger than they may be; nothing of a
// session that a living process has written to. It does nothing when it has been
// done a short while ago.
func (r *Runner) CleanArtifacts() {
	if r.ArtifactDir == "" || !r.artifacts.due() {
		return
	}
	if err := r.artifacts.clean(r.ArtifactDir, r.Limits()); err != nil {
		r.log().Warn("artifacts not cleaned", "dir", r.ArtifactDir, "err", err)
	}
}
