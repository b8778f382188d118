package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"callboard/model/task"
)

// maxData bounds what --data reads.
const maxData = 16 << 20

// readData reads a file, or standard input for "-".
func readData(name string, in io.Reader) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxData+1))
	if err == nil && len(raw) > maxData {
		err = errors.New("more than 16 MiB")
	}
	return raw, err
}

// compose makes content for a form: of data where there is some, else of the
// form's defaults and of pairs, in which typeNull is null. Strict refuses names that are no fields. What
// does not fit is told in one line, without what was typed.
func compose(form task.Form, pairs []Pair, data json.RawMessage, strict bool) (content json.RawMessage, problems string) {
	if data != nil {
		content, found := task.Assemble(form, map[string]string{"": string(data)})
		return content, told(form, found)
	}
	var first string
	// An element of an array may be meant as text or as JSON: what fits is right.
	for _, asText := range []bool{false, true} {
		draft, problem := drafted(form, pairs, strict, asText)
		if problem != "" {
			return nil, problem
		}
		content, found := task.Assemble(form, draft)
		if found == nil {
			return content, ""
		}
		if !asText {
			first = told(form, found)
		}
	}
	return nil, first
}

// drafted is the draft that pairs stand for, on top of the form's defaults.
func drafted(form task.Form, pairs []Pair, strict, asText bool) (draft map[string]string, problem string) {
	draft = task.Prefill(form)
	delete(draft, "") // what is to be filled in is no default
	var names []string
	values := map[string][]string{}
	for _, p := range pairs {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
		values[p.Name] = append(values[p.Name], p.Value)
	}
	for _, name := range names {
		i := slices.IndexFunc(form.Fields, func(f task.Field) bool { return f.Name == name })
		vs := values[name]
		switch {
		case i < 0 && strict:
			return nil, "there is no field " + task.CleanLine(name, 80).Line() + " (" + fieldNames(form) + ")"
		case i >= 0 && form.Fields[i].Nullable && len(vs) == 1 && vs[0] == typeNull:
			draft[name] = task.TypedNull
		case i >= 0 && form.Fields[i].Kind == task.ChoicesField:
			draft[name] = array(vs, func(v string) string { return choice(&form.Fields[i], v) })
		case i >= 0 && form.Fields[i].Kind == task.ChoiceField && len(vs) == 1:
			draft[name] = choice(&form.Fields[i], vs[0])
		case i >= 0 && form.Fields[i].Kind != task.JSONField && len(vs) == 1:
			draft[name] = vs[0]
		case i >= 0 && form.Fields[i].Kind != task.JSONField:
			return nil, task.CleanLine(name, 80).Line() + " was given twice"
		case len(vs) > 1, i >= 0 && strings.HasPrefix(form.Fields[i].Shape, "a JSON array") && !strings.HasPrefix(strings.TrimSpace(vs[0]), "["):
			draft[name] = array(vs, func(v string) string { return value(v, asText) })
		default:
			draft[name] = value(vs[0], asText && i < 0)
		}
	}
	return draft, ""
}

// value is v as JSON: as it is, or as text.
func value(v string, asText bool) string {
	if !asText && json.Valid([]byte(v)) {
		return v
	}
	text, _ := json.Marshal(v) // a string can always be written
	return string(text)
}

func array(values []string, each func(string) string) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, each(v))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// choice finds what v means among the choices of f: a value, text, or a title.
func choice(f *task.Field, v string) string {
	single := *f
	single.Kind = task.ChoiceField
	if encoded, err := single.Encode(v); err == nil {
		return string(encoded)
	}
	for _, c := range f.Choices {
		if c.Label.Line() == v {
			return string(c.Value)
		}
	}
	return value(v, true)
}

func fieldNames(form task.Form) string {
	if len(form.Fields) == 0 {
		return "it has none"
	}
	var names []string
	for _, f := range form.Fields {
		names = append(names, task.CleanLine(f.Name, 80).Line())
	}
	return "it has " + strings.Join(names, ", ")
}

// told says problems in one line, "" for none.
func told(form task.Form, problems []task.Problem) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, problemLine(form, p)+choicesOf(form, p.Field))
		if len(lines) == 5 {
			break
		}
	}
	return strings.Join(lines, "; ")
}

// choicesOf lists the choices of a field as --field takes them, "" where it has none.
func choicesOf(form task.Form, field string) string {
	const most = 12
	var names []string
	for _, f := range form.Fields {
		if field == "" || f.Name != field {
			continue
		}
		for i, c := range f.Choices {
			if i == most {
				names = append(names, fmt.Sprintf("and %d more", len(f.Choices)-most))
				break
			}
			value := string(c.Value)
			if text := ""; json.Unmarshal(c.Value, &text) == nil {
				value = text
			}
			names = append(names, task.CleanLine(value, 80).Line())
		}
	}
	if names == nil {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// problemLine is one problem with its field's name, as --field takes it.
func problemLine(form task.Form, p task.Problem) string {
	text := strings.TrimSuffix(p.Text.Line(), ".")
	for _, f := range form.Fields {
		if p.Field != "" && f.Name == p.Field {
			if strings.HasSuffix(text, ", or null") {
				text += ", typed " + typeNull
			}
			return task.CleanLine(f.Name, 80).Line() + " " + text
		}
	}
	return text
}
