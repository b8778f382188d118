package tools

// Click takes a press at a cell of the last view: it puts the cursor onto a tool,
// and opens the one that it stands on where the pane had the keys.
func (p *Pane) Click(x, y int, had bool) Event {
	p.message = ""
	i := p.top + y - p.listAt
	if !p.onList(x, y) {
		return Event{}
	}
	p.typing = false
	if i == p.at && had {
		return p.open()
	}
	p.at, p.moved = i, true
	p.follow()
	return Event{}
}

// Wheel scrolls what is at a cell of the last view by so many lines: the list, whose
// cursor goes along as far as it has to, or what is told of the tool.
func (p *Pane) Wheel(x, y, by int) {
	if !p.onList(x, y) {
		if p.doc != nil {
			p.doc.Scroll(by)
		}
		return
	}
	p.top = max(min(p.top+by, len(p.shown)-p.page), 0)
	if at := max(min(p.at, p.top+p.page-1), p.top); at != p.at {
		p.at, p.moved = at, true
		p.follow()
	}
}

func (p *Pane) onList(x, y int) bool {
	return x < p.listWidth && y >= p.listAt && y < p.listAt+p.listRows
}
