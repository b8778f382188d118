package form

import (
	"callboard/model/task"
)

// faults counts the rows that must still be given, and those with something
// wrong in them.
func (f *Form) faults() (missing, failing int) {
	for i := range f.rows {
		switch r := &f.rows[i]; {
		case r.required() && !r.set:
			missing++
		case r.problem != "":
			failing++
		}
	}
	return missing, failing
}

// nextFault goes to the next row that fails or must still be given, round
// again from the first one.
func (f *Form) nextFault() Event {
	if f.json {
		_, problems := task.Assemble(f.form(), f.content())
		f.show(problems)
		if f.scroll, f.follow = 0, len(problems) == 0; len(problems) == 0 {
			f.say("Nothing is missing or wrong.")
		}
		return Event{}
	}
	f.judge()
	wrong := f.wrongRows()
	for n := range f.rows {
		i := (f.focus + 1 + n) % len(f.rows)
		if wrong[i] == "" {
			continue
		}
		if i == f.focus {
			f.say("This is the only one that is missing or wrong.")
		}
		f.move(i)
		f.rows[i].problem = wrong[i]
		f.rows[i].changed()
		return Event{}
	}
	if len(f.whole) > 0 {
		f.scroll, f.follow = 0, false
		return Event{}
	}
	f.say("Nothing is missing or wrong: " + shown(f.keys.Form.Send) + " sends.")
	return Event{}
}

// wrongRows returns what is wrong with each row, by its index, and marks those
// in which something stands.
func (f *Form) wrongRows() map[int]string {
	wrong := map[int]string{}
	_, problems := task.Assemble(f.form(), f.content())
	if _, err := f.ttl(); err != nil && f.asTask() {
		for i := range f.rows {
			if f.rows[i].kind == ttlRow {
				wrong[i] = err.Error()
			}
		}
	}
	byName := f.rowsByName()
	f.whole = nil
	for _, p := range problems {
		i, ok := byName[p.Field]
		switch {
		case p.Field == "" || !ok:
			f.whole = append(f.whole, p.Text.Line())
		case wrong[i] == "":
			wrong[i] = p.Text.Line()
		}
	}
	for i := range f.rows {
		if r := &f.rows[i]; r.set && r.problem != wrong[i] {
			r.problem = wrong[i]
			r.changed()
		}
	}
	return wrong
}

func (f *Form) rowsByName() map[string]int {
	byName := make(map[string]int, len(f.rows))
	for i := range f.rows {
		if r := &f.rows[i]; r.kind == fieldRow {
			byName[r.field.Name] = i
		}
	}
	return byName
}
