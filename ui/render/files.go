package render

import (
	"strconv"

	"callboard/model/task"
)

// File is a file that a result is saved as.
type File struct {
	Name string // callboard's own: no server has a say in it
	Data []byte // raw
}

// mostFiles is how many parts of one result become files of their own; all of it
// is in its JSON anyway.
const mostFiles = 100

// Files returns a result as files: one where Save makes a file of all of it that
// says as much, else the JSON that came, and each part that is a file by itself
// beside it, numbered as the parts are.
func Files(r *task.Result) []File {
	name, data := Save(r)
	files := []File{{name, data}}
	if name != wholeName || r.Err != nil {
		return files
	}
	for i := range r.Content {
		name, data, ok := part(&r.Content[i])
		if ok && len(files) <= mostFiles {
			files = append(files, File{strconv.Itoa(i+1) + "-" + name, data})
		}
	}
	if len(files) == 2 && files[1].Name == "1-text.txt" {
		return files[:1] // a text beside structured content: it mostly says the same
	}
	return files
}

// part returns content as a file of its own; false for what is none, as a link.
func part(c *task.Content) (string, []byte, bool) {
	if c.Kind == task.TextContent {
		return "text.txt", []byte(c.Text), c.Text != ""
	}
	return binary(c)
}
