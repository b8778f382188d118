package model

// Paused reports whether the board is paused, see PauseMsg.
func (b *Board) Paused() bool { return b.paused }

// Waiting returns how many rows would come, go or move if the board were not
// paused; after a pause, how many still do.
func (b *Board) Waiting() int { return len(b.waiting) }

// pause lets the rows stand still, or go where they belong by now.
func (b *Board) pause(on bool) {
	if on == b.paused {
		return
	}
	b.paused = on
	if on {
		b.pauses++
		return
	}
	if b.done == len(b.all) { // else the slices that are under way do that too
		b.gen++
		b.slice(sliceMsg{b.gen})
	}
}

// lets reports whether o lets r through: while the board is paused, whether it
// shows r.
func (b *Board) lets(o *order, r *Row) bool {
	if b.paused && o == b.order {
		return o.holds(r)
	}
	return o.passes(r)
}

// PauseMsg pauses the board, or lets it go on: while it is paused no row moves,
// appears or vanishes, though what its cells say changes.
type PauseMsg struct{ On bool }

func (m *Model) pause(on bool) {
	m.board.pause(on)
	m.rev++
}
