package upstream

import (
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// CheckMedia says what is wrong with an image or an audio clip: models and editors
// refuse a whole request for one that they cannot read. A missing MIME type is
// filled in when the data shows it.
func CheckMedia(kind, mimeType, data string) (mimeOut, problem string) {
	what := map[string]string{"image": "an image", "audio": "an audio clip"}[kind]
	if mimeType != "" {
		what += " (" + mimeType + ")"
	}
	if strings.TrimSpace(data) == "" {
		return mimeType, what + " without data"
	}
	if !isBase64(data) {
		return mimeType, what + " whose data is not base64"
	}
	found := sniff(data)
	if mimeType == "" && strings.HasPrefix(found, kind+"/") {
		return found, ""
	}
	claimed, _, err := mime.ParseMediaType(mimeType)
	switch {
	case err != nil || !strings.HasPrefix(claimed, kind+"/"):
		return mimeType, what + " without a MIME type of its kind"
	case !fits(sameType(claimed), found):
		return mimeType, fmt.Sprintf("%s whose data is of another kind (%s)", what, found)
	}
	return mimeType, ""
}

// fits reports whether data in which found was recognised may be of a claimed type.
// What is not recognised may be anything that is not always recognised.
func fits(claimed, found string) bool {
	if claimed == found {
		return true
	}
	if strings.HasPrefix(claimed, "audio/") { // containers look like video, and raw samples like anything
		return !strings.HasPrefix(found, "text/") && !strings.HasPrefix(found, "image/") && found != "application/pdf"
	}
	switch claimed {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon":
		return false
	case "image/svg+xml":
		return strings.HasPrefix(found, "text/")
	}
	return found == "application/octet-stream" || found == "video/mp4" // AVIF and HEIC are of its family
}

// sameType is the usual name of a type that has several.
func sameType(mimeType string) string {
	switch mimeType {
	case "image/jpg", "image/pjpeg":
		return "image/jpeg"
	case "image/x-png":
		return "image/png"
	case "image/x-ms-bmp", "image/x-bmp":
		return "image/bmp"
	case "image/vnd.microsoft.icon", "image/ico":
		return "image/x-icon"
	}
	return mimeType
}

// sniff recognises a type by the first bytes of base64 data.
func sniff(data string) string {
	var head [512]byte
	n, _ := base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)).Read(head[:])
	found, _, _ := strings.Cut(http.DetectContentType(head[:n]), ";")
	return found
}

// isBase64 is about the standard alphabet with padding, which MCP prescribes. Line
// breaks are accepted, as in MIME.
func isBase64(data string) bool {
	d := base64.NewDecoder(base64.StdEncoding, strings.NewReader(data))
	var room [4096]byte
	for {
		_, err := d.Read(room[:])
		if err != nil {
			return err == io.EOF
		}
	}
}
