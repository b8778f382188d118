package render

import (
	"encoding/base64"
	"strings"

	"callboard/model/task"
)

// Save returns a result as a file: text as it is, a single image, recording or
// binary resource as its data, anything else as the JSON that came. The name
// is callboard's own ("result.txt", "image.png"): no server has a say in it.
// The data are raw.
func Save(r *task.Result) (name string, data []byte) {
	if r.Err == nil && len(r.Structured) == 0 && len(r.Content) > 0 {
		if text, ok := allText(r.Content); ok {
			return "result.txt", []byte(text)
		}
		if len(r.Content) == 1 {
			if name, data, ok := binary(&r.Content[0]); ok {
				return name, data
			}
		}
	}
	return wholeName, r.Raw
}

// wholeName is the name of what stands for all of a result.
const wholeName = "result.json"

func allText(content []task.Content) (string, bool) {
	parts := make([]string, len(content))
	for i, c := range content {
		if c.Kind != task.TextContent {
			return "", false
		}
		parts[i] = c.Text
	}
	text := strings.Join(parts, "\n")
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, true
}

// binary returns the data of content that is one file.
func binary(c *task.Content) (string, []byte, bool) {
	if c.Kind == task.EmbeddedResource && c.Text != "" {
		ext := extension(c.MIME)
		if ext == ".bin" {
			ext = ".txt" // it came as text, whatever it is
		}
		return "resource" + ext, []byte(c.Text), true
	}
	stem := ""
	switch c.Kind {
	case task.ImageContent:
		stem = "image"
	case task.AudioContent:
		stem = "audio"
	case task.EmbeddedResource:
		stem = "resource"
	default:
		return "", nil, false
	}
	data, err := base64.StdEncoding.DecodeString(c.Base64)
	if err != nil { // some servers leave the padding out
		data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(c.Base64, "="))
	}
	if err != nil || len(data) == 0 {
		return "", nil, false
	}
	return stem + extension(c.MIME), data, true
}

// extension is a closed list, so that no server chooses what kind of file it
// leaves behind.
func extension(mime string) string {
	mime, _, _ = strings.Cut(strings.ToLower(mime), ";")
	switch strings.TrimSpace(mime) {
	case "image/png":
		return ".png"
	case "image/jpeg", "image/jpg":
		return ".jpg"
	case "image/gif":
		return ".gif"
	case "image/webp":
		return ".webp"
	case "image/svg+xml":
		return ".svg"
	case "image/bmp":
		return ".bmp"
	case "image/tiff":
		return ".tiff"
	case "image/avif":
		return ".avif"
	case "audio/wav", "audio/x-wav", "audio/wave":
		return ".wav"
	case "audio/mpeg", "audio/mp3":
		return ".mp3"
	case "audio/ogg":
		return ".ogg"
	case "audio/flac":
		return ".flac"
	case "application/pdf":
		return ".pdf"
	case "application/gzip":
		return ".gz"
	case "application/zip":
		return ".zip"
	case "application/json":
		return ".json"
	case "text/plain":
		return ".txt"
	case "text/csv":
		return ".csv"
	case "text/markdown":
		return ".md"
	case "text/html":
		return ".html"
	case "application/xml", "text/xml":
		return ".xml"
	case "application/yaml", "text/yaml", "application/x-yaml":
		return ".yaml"
	}
	return ".bin"
}
