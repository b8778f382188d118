package term

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/png"
	"strings"
	"time"
)

// Area is a part of the screen in cells, from its upper left corner.
type Area struct{ X, Y, W, H int }

// kittyID is the image's number at the terminal: there is one at a time.
const kittyID = 7349

// kittyDelete takes it away, and makes the terminal forget it.
var kittyDelete = fmt.Sprintf("\x1b_Ga=d,d=I,i=%d,q=2\x1b\\", kittyID)

// imageWait is how long an image waits for the frame under it to be drawn.
const imageWait = 3 * time.Second / framesPerSecond

// cell is the size of a cell in pixels.
type cell struct{ w, h int }

// What is believed of a cell.
const leastCell, mostCell = 4, 200

// What a cell is taken for where nobody tells. Kitty is told how many cells an image
// has, and scales it. Sixels are pixels: too many of them run over the frame, and
// move the whole screen up, so that they are made for the smallest usual font.
var kittyCell, sixelCell = cell{8, 16}, cell{6, 12}

// sixelSide is the most pixels that xterm draws in either direction, unless it is
// told otherwise.
const sixelSide = 1000

// ShowImage draws an image over a part of the screen, by the protocol "kitty" or
// "sixel". It is encoded anew: no byte that a server wrote reaches the terminal. It
// is meant for a command, and waits for the frame that makes room.
func (t *Terminal) ShowImage(protocol string, img image.Image, at Area) error {
	if at.W < 1 || at.H < 1 {
		return errors.New("there is no room for an image")
	}
	var body []string
	size := cellOf(t.o.Out)
	switch protocol {
	case "kitty":
		seqs, err := kitty(img, at, size)
		if err != nil {
			return err
		}
		body = seqs
	case "sixel":
		body = []string{sixel(sixelFitted(img, at, size))}
	default:
		return fmt.Errorf("no protocol %q for images", protocol)
	}
	wait := time.NewTimer(imageWait)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-t.ctx.Done():
		return nil
	}
	if t.isAway() {
		return errors.New("an editor has the terminal")
	}
	t.mu.Lock()
	t.pictured = protocol == "kitty"
	t.mu.Unlock()
	_, err := t.screen.WriteString(placed(body, at, t.o.Getenv))
	return err
}

// placed returns what draws the parts of an image at a place, and leaves the cursor
// where it was.
func placed(parts []string, at Area, getenv func(string) string) string {
	inTmux := getenv("TMUX") != ""
	there := fmt.Sprintf("\x1b[%d;%dH", at.Y+1, at.X+1)
	if inTmux {
		// tmux moves the terminal's own cursor only to draw, and does not draw what it
		// passes on: it is given one blank to draw there, before each part, since it
		// may draw something else between two.
		there += "\x1b[1X"
	}
	var b strings.Builder
	b.WriteString("\x1b7")
	for i, seq := range parts {
		if i == 0 || inTmux {
			b.WriteString(there)
		}
		b.WriteString(passed(seq, getenv))
	}
	b.WriteString("\x1b8")
	return b.String()
}

// HideImage takes the image of that protocol away. What was under it is to be
// drawn anew.
func (t *Terminal) HideImage(protocol string) {
	if protocol == "kitty" && !t.isAway() {
		t.unpictured()
		_, _ = t.screen.WriteString(passed(kittyDelete, t.o.Getenv)) // a vanished terminal ends the program
	}
}

// unpictured returns the sequence that takes away an image that is still shown, ""
// where none is. Inside tmux it would outlive the alternate screen.
func (t *Terminal) unpictured() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.pictured {
		return ""
	}
	t.pictured = false
	return passed(kittyDelete, t.o.Getenv)
}

// passed wraps a sequence for tmux, which passes it on with allow-passthrough.
func passed(seq string, getenv func(string) string) string {
	if getenv("TMUX") == "" {
		return seq
	}
	return "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
}

// sixelFitted scales an image down to what fits into an area of cells, of which size
// is zero where nobody tells.
func sixelFitted(img image.Image, at Area, size cell) *image.RGBA {
	if size == (cell{}) {
		size = sixelCell
	}
	return fitted(img, min(at.W*size.w, sixelSide), min(at.H*size.h, sixelSide))
}

// fitted scales an image down until it fits into so many pixels, and never up.
func fitted(img image.Image, width, height int) *image.RGBA {
	from := img.Bounds()
	scale := min(1, float64(width)/float64(from.Dx()), float64(height)/float64(from.Dy()))
	w, h := max(int(float64(from.Dx())*scale), 1), max(int(float64(from.Dy())*scale), 1)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			out.Set(x, y, img.At(from.Min.X+x*from.Dx()/w, from.Min.Y+y*from.Dy()/h))
		}
	}
	return out
}

// kittyChunk is how many bytes of base64 one sequence of kitty's carries.
const kittyChunk = 4096

// kitty encodes an image for kitty's graphics protocol. q=2: the terminal answers
// nothing. Where the size of a cell is known the image has its own size.
func kitty(img image.Image, at Area, size cell) ([]string, error) {
	c := size
	if c == (cell{}) {
		c = kittyCell
	}
	in := fitted(img, at.W*c.w, at.H*c.h)
	var data bytes.Buffer
	if err := png.Encode(&data, in); err != nil {
		return nil, err
	}
	text := base64.StdEncoding.EncodeToString(data.Bytes())
	head := fmt.Sprintf("a=T,f=100,i=%d,q=2,C=1,", kittyID)
	if size == (cell{}) {
		w, h := in.Bounds().Dx(), in.Bounds().Dy()
		head += fmt.Sprintf("c=%d,r=%d,", min((w+c.w-1)/c.w, at.W), min((h+c.h-1)/c.h, at.H))
	}
	var out []string
	for len(text) > 0 {
		n := min(kittyChunk, len(text))
		more := 0
		if n < len(text) {
			more = 1
		}
		out = append(out, fmt.Sprintf("\x1b_G%sm=%d;%s\x1b\\", head, more, text[:n]))
		head, text = "", text[n:]
	}
	return out, nil
}

// sixel encodes an image as sixels, in the colours of a palette of 216.
func sixel(img *image.RGBA) string {
	pal := color.Palette(palette.WebSafe)
	flat := image.NewRGBA(img.Bounds())
	draw.Draw(flat, flat.Bounds(), image.Black, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), img, image.Point{}, draw.Over)
	in := image.NewPaletted(img.Bounds(), pal)
	draw.FloydSteinberg.Draw(in, in.Bounds(), flat, image.Point{})
	w, h := in.Bounds().Dx(), in.Bounds().Dy()
	var b strings.Builder
	fmt.Fprintf(&b, "\x1bP0;1;0q\"1;1;%d;%d", w, h)
	for i, c := range pal {
		r, g, bl, _ := c.RGBA()
		fmt.Fprintf(&b, "#%d;2;%d;%d;%d", i, r*100/0xffff, g*100/0xffff, bl*100/0xffff)
	}
	for top := 0; top < h; top += 6 {
		used := map[uint8][]byte{}
		var order []uint8
		for y := top; y < min(top+6, h); y++ {
			for x := range w {
				c := in.ColorIndexAt(x, y)
				if used[c] == nil {
					used[c] = make([]byte, w)
					order = append(order, c)
				}
				used[c][x] |= 1 << (y - top)
			}
		}
		for _, c := range order {
			fmt.Fprintf(&b, "#%d", c)
			sixelRow(&b, used[c])
			b.WriteByte('$')
		}
		b.WriteByte('-')
	}
	return b.String() + "\x1b\\"
}

// sixelRow writes a row of six pixels' height, its repetitions counted.
func sixelRow(b *strings.Builder, bits []byte) {
	for i := 0; i < len(bits); {
		n := 1
		for i+n < len(bits) && bits[i+n] == bits[i] {
			n++
		}
		if n > 3 {
			fmt.Fprintf(b, "!%d%c", n, bits[i]+63)
		} else {
			b.WriteString(strings.Repeat(string(rune(bits[i]+63)), n))
		}
		i += n
	}
}
