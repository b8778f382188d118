package themes

// palette names colours by what they mean. "" is the terminal's own colour.
type palette struct {
	accent, key, dim, working, asking, good, bad, other string
	// faint shows what is dim by the attribute, where dim is no colour.
	faint bool
	// badge shows what asks turned around, as a block, and not bold: some terminals
	// give bold text a brighter colour.
	badge    bool
	selected look
}

var palettes = map[string]palette{
	// The terminal's own 16 colours, on dark and on light alike. Of those, red and
	// magenta alone can be read on both in the palettes that terminals come with:
	// they are for what needs a person. Yellow and cyan fade on white, the more
	// where bold text gets brighter; blue is hard to read on black; and some
	// palettes give bright black the colour of the background. Green is for what
	// ended well, and for strings.
	"ansi": {
		asking: "5", good: "2", bad: "1", other: "5", faint: true, badge: true,
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
