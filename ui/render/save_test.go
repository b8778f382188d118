package render

import (
	"encoding/json"
	"testing"

	"callboard/model/task"
)

func TestSave(t *testing.T) {
	png := task.Content{Kind: task.ImageContent, MIME: "image/png", Base64: "iVBORw=="}
	raw := json.RawMessage(`{"raw":1}`)
	for _, c := range []struct {
		name       string
		r          task.Result
		file, data string
	}{
		{"text", task.Result{Content: []task.Content{{Kind: task.TextContent, Text: "a\x1b[1m"}}}, "result.txt", "a\x1b[1m\n"},
		{"texts", task.Result{Content: []task.Content{{Kind: task.TextContent, Text: "a"}, {Kind: task.TextContent, Text: "b\n"}}}, "result.txt", "a\nb\n"},
		{"image", task.Result{Content: []task.Content{png}}, "image.png", "\x89PNG"},
		{"without padding", task.Result{Content: []task.Content{{Kind: task.AudioContent, MIME: "audio/WAV; x", Base64: "iVBORw"}}}, "audio.wav", "\x89PNG"},
		{"a type of the server's own", task.Result{Content: []task.Content{{Kind: task.ImageContent, MIME: "../../x.sh", Base64: "AA=="}}}, "image.bin", "\x00"},
		{"broken data", task.Result{Content: []task.Content{{Kind: task.ImageContent, MIME: "image/png", Base64: "!"}}}, "result.json", `{"raw":1}`},
		{"two kinds", task.Result{Content: []task.Content{png, {Kind: task.TextContent, Text: "a"}}}, "result.json", `{"raw":1}`},
		{"structured", task.Result{Content: []task.Content{{Kind: task.TextContent, Text: "a"}}, Structured: json.RawMessage(`1`)}, "result.json", `{"raw":1}`},
		{"resource", task.Result{Content: []task.Content{{Kind: task.EmbeddedResource, URI: "/etc/passwd", Text: "t"}}}, "resource.txt", "t"},
		{"error", task.Result{Err: &task.Error{}}, "result.json", `{"raw":1}`},
	} {
		c.r.Raw = raw
		if file, data := Save(&c.r); file != c.file || string(data) != c.data {
			t.Errorf("%s: %s %q, want %s %q", c.name, file, data, c.file, c.data)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 16 << 20: "16.0 MiB", 1 << 40: "1.0 TiB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestFiles(t *testing.T) {
	text := task.Content{Kind: task.TextContent, Text: "a"}
	png := task.Content{Kind: task.ImageContent, MIME: "image/png", Base64: "iVBORw=="}
	broken := task.Content{Kind: task.ImageContent, MIME: "image/png", Base64: "!"}
	for want, r := range map[string]task.Result{
		"result.txt":                          {Content: []task.Content{text, text}},
		"image.png":                           {Content: []task.Content{png}},
		"result.json 1-image.png 2-text.txt":  {Content: []task.Content{png, text}},
		"result.json 1-image.png 2-image.png": {Content: []task.Content{png, png}},
		"result.json 3-image.png":             {Content: []task.Content{broken, {Kind: task.ResourceLink}, png}},
		"result.json":                         {Content: []task.Content{text}, Structured: json.RawMessage(`1`)},
		"result.json 1-text.txt 2-image.png":  {Content: []task.Content{text, png}, Structured: json.RawMessage(`1`)},
		"resource.csv":                        {Content: []task.Content{{Kind: task.EmbeddedResource, MIME: "text/csv", Text: "a"}}},
		"resource.pdf":                        {Content: []task.Content{{Kind: task.EmbeddedResource, MIME: "application/pdf", Base64: "AA=="}}},
	} {
		got := ""
		for i, f := range Files(&r) {
			if i > 0 {
				got += " "
			}
			got += f.Name
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	many := task.Result{}
	for range 3 * mostFiles {
		many.Content = append(many.Content, png)
	}
	if n := len(Files(&many)); n != mostFiles+1 {
		t.Errorf("%d files", n)
	}
}
