package themes

// palette names colours by what they mean. "" is the terminal's own colour.
type palette struct {
	accent, key, dim, working, asking, good, bad, other string
	// faint shows what is dim by the attribute, where dim is no colour.
	faint    bool
	selected look
}

var palettes = map[string]palette{
	// The terminal's own 16 colours: readable on dark and on light, since the
	// person chose them. Bright black is none of them: some palettes give it
	// the colour of the background. Nor is blue, which is hard to read on black.
	"ansi": {
		accent: "6", working: "6", asking: "3", good: "2", bad: "1", other: "5", faint: true,
		selected: look{reverse: true, bold: true, flat: true},
	},
	"dark": {
		accent: "110", key: "117", dim: "245", working: "80", asking: "221", good: "114", bad: "210", other: "183",
		selected: look{bg: "238", bold: true},
	},
	"light": {
		accent: "25", key: "24", dim: "242", working: "30", asking: "130", good: "28", bad: "160", other: "90",
		selected: look{bg: "253", bold: true},
	},
	// For black, or nearly: each colour has a contrast of at least 7 to 1 to it
	// (WCAG 2, AAA), nothing is dimmed, and the row under the cursor is black on
	// white.
	"high-contrast": {
		accent: "51", key: "231", dim: "252", working: "123", asking: "226", good: "120", bad: "210", other: "219",
		selected: look{fg: "16", bg: "231", bold: true, flat: true},
	},
	"mono": {faint: true, selected: look{reverse: true, bold: true, flat: true}},
}
