package form

import (
	"slices"
	"strings"

	"callboard/model/task"
)

// secret reports whether what is typed into the row is masked on the screen.
func (f *Form) secret(r *row) bool { return r.isSecret() && !f.revealed }

// isSecret reports whether the row asks for what the protocol forbids to ask
// for (client/elicitation, "Security Considerations").
func (r *row) isSecret() bool { return r.kind == fieldRow && r.field.Secret && r.isText() }

// hasSecrets reports whether a field of the form is masked, or would be.
func (f *Form) hasSecrets() bool {
	return slices.ContainsFunc(f.spec.Form.Fields, func(field task.Field) bool { return field.Secret })
}

// hidesSecrets says why something that would show masked text is not done now,
// "" where nothing is masked.
func (f *Form) hidesSecrets() string {
	if f.revealed || !f.hasSecrets() {
		return ""
	}
	return "It would show what is masked: " + shown(f.keys.Form.Menu) + " " + shown(f.keys.Menu.Reveal) + " shows it first."
}

// noEditor says why an external editor is not given the text of row r, or for
// nil the whole: it writes to the disk.
func (f *Form) noEditor(r *row) string {
	if r != nil && !r.isSecret() || r == nil && !f.hasSecrets() && !f.spec.Form.Secret {
		return ""
	}
	return "An editor writes to the disk, where a secret does not go."
}

// reveal shows what is masked, or masks it again.
func (f *Form) reveal() Event {
	f.store()
	f.revealed = !f.revealed
	for i := range f.rows {
		f.rows[i].changed()
	}
	if f.json && !f.revealed { // its text would show them
		if f.toFields(f.jsonText) == nil {
			f.json = false
		}
	}
	f.enter()
	return Event{}
}

func (f *Form) revealWords() string {
	if f.revealed {
		return "mask what is typed into secret fields"
	}
	return "show what is typed into secret fields"
}

// dots is what stands for masked text of so many characters.
func (f *Form) dots(n int) string { return strings.Repeat(f.theme.Glyphs.Bullet, n) }

// masked is a draft in which dots stand for what is typed into secret fields.
func (f *Form) masked(draft map[string]string) map[string]string {
	if f.revealed {
		return draft
	}
	for i := range f.spec.Form.Fields {
		field := &f.spec.Form.Fields[i]
		if text, ok := draft[field.Name]; ok && field.Secret && text != "" && text != task.TypedNull {
			draft[field.Name] = f.dots(8)
		}
	}
	return draft
}
