package form

// hit is a choice at cells from..to of a line.
type hit struct{ line, from, to, choice int }

// extent is which lines of the body a row takes.
type extent struct{ row, from, to int }

// Click takes a press at a cell of the last view: it puts the cursor onto a row,
// and chooses a choice that stands there. In the menu it does what the line does;
// what cannot be taken back wants the cursor on its line first.
func (f *Form) Click(x, y int) Event {
	f.message, f.pasted = "", -1
	line := y - 1 - len(f.header())
	if line < 0 || line >= f.bodyHeight() || x < 2 || x >= f.w-2 || f.reading != nil {
		return Event{}
	}
	line += f.scroll
	if f.menu != nil {
		return f.clickMenu(line)
	}
	if f.isURL() || f.json || f.locked() {
		return Event{}
	}
	for _, s := range f.spans {
		if line < s.from || line >= s.to {
			continue
		}
		r := &f.rows[s.row]
		choice, ok := r.choiceAt(x-2-gutterWidth, line-s.from-r.valueAt)
		if s.row != f.focus {
			f.judge()
			f.move(s.row)
		}
		if !ok {
			return Event{}
		}
		e := f.clickChoice(choice)
		f.touched = f.touched || e.Kind == Changed
		return e
	}
	return Event{}
}

// clickMenu takes a press on a line of the menu.
func (f *Form) clickMenu(line int) Event {
	if line >= len(f.menu) {
		return Event{}
	}
	if c := f.menu[line]; c.final && line != f.menuAt && c.why == "" {
		f.menuAt = line
		f.say("Press there once more, or " + shown(f.keys.Menu.Choose) + ", to " + c.text + ".")
		return Event{}
	}
	return f.pick(line)
}

// clickChoice takes a press on a choice of the row under the cursor.
func (f *Form) clickChoice(choice int) Event {
	r := f.current()
	switch {
	case r.isBool():
		if !r.say(choice == 0) {
			return Event{}
		}
	case r.isMany():
		r.cursor = choice
		r.chosen[choice] = !r.chosen[choice]
		r.writeChoices()
	case !r.choose(choice):
		return Event{}
	}
	for i := range f.rows {
		if f.rows[i].kind == ttlRow { // what it says depends on the mode
			f.rows[i].changed()
		}
	}
	return Event{Kind: Changed}
}

// choiceAt returns the choice that stands at a cell of a line of the value: of yes
// and no the first is yes.
func (r *row) choiceAt(x, line int) (int, bool) {
	for _, h := range r.hits {
		if line == h.line && x >= h.from && x < h.to {
			return h.choice, true
		}
	}
	return 0, false
}

// Wheel scrolls the form by so many lines; the cursor stays.
func (f *Form) Wheel(by int) {
	switch {
	case f.reading != nil:
		f.reading.doc.Scroll(by)
	case f.menu == nil:
		f.follow = false
		f.scroll += by
	}
}
