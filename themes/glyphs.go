package themes

import "github.com/charmbracelet/lipgloss"

// Glyphs are the signs of the screen. Each is one cell wide, but for Ellipsis
// and Arrow of the ASCII set.
type Glyphs struct {
	Working, Asking, Completed, Failed, Cancelled, Gone, Call string
	Live, Quiet, Connecting, Down                             string
	Select                                                    string // before the row under the cursor
	Mark                                                      string // before a row that the person marked
	Rising, Falling                                           string // sort arrows: rising, falling
	More, Less                                                string // there is more below, above
	Left, Right                                               string // there is more to the left, right
	On, Off                                                   string // choices: chosen or not, several
	RadioOn, RadioOff                                         string // choices: one of them
	Required                                                  string // a field that must be given
	Warning, Bullet, Dot, Arrow, Ellipsis                     string
	BarFull, BarEmpty                                         string // progress
	Bar                                                       string // before words of a server
	Gap                                                       string // in the time line: steps may be missing
	// What fills a bar of the time line: a state in which the server works, asks,
	// something that is not known, and one that nobody saw.
	FillWorking, FillAsking, FillGap, FillUnseen string
	Border                                       lipgloss.Border
	// Prompt is the frame of a server's question, and of nothing else.
	Prompt lipgloss.Border
}

var unicodeGlyphs = Glyphs{
	Working: "◐", Asking: "◆", Completed: "✓", Failed: "✗", Cancelled: "○", Gone: "◌", Call: "▸",
	Live: "●", Quiet: "◑", Connecting: "◌", Down: "○",
	Select: "▌", Mark: "■", Rising: "▲", Falling: "▼", More: "↓", Less: "↑", Left: "‹", Right: "›",
	On: "■", Off: "□", RadioOn: "●", RadioOff: "○", Required: "*",
	Warning: "!", Bullet: "•", Dot: "·", Arrow: "→", Ellipsis: "…",
	BarFull: "█", BarEmpty: "░", Bar: "┃", Gap: "┄",
	FillWorking: "▒", FillAsking: "█", FillGap: "┄", FillUnseen: "·",
	Border: lipgloss.RoundedBorder(), Prompt: lipgloss.DoubleBorder(),
}

var asciiGlyphs = Glyphs{
	Working: "o", Asking: "?", Completed: "+", Failed: "x", Cancelled: "-", Gone: ".", Call: ">",
	Live: "*", Quiet: "o", Connecting: ".", Down: "x",
	Select: ">", Mark: "#", Rising: "^", Falling: "v", More: "v", Less: "^", Left: "<", Right: ">",
	On: "x", Off: ".", RadioOn: "*", RadioOff: ".", Required: "*",
	Warning: "!", Bullet: "*", Dot: "-", Arrow: "->", Ellipsis: "..",
	BarFull: "#", BarEmpty: ".", Bar: "|", Gap: "~",
	FillWorking: "=", FillAsking: "#", FillGap: "~", FillUnseen: ".",
	Border: lipgloss.ASCIIBorder(),
	Prompt: lipgloss.Border{
		Top: "=", Bottom: "=", Left: "#", Right: "#",
		TopLeft: "#", TopRight: "#", BottomLeft: "#", BottomRight: "#",
	},
}
