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

// imageWait is how long an image waits for the frame under it to be drawn.
const imageWait = 3 * time.Second / framesPerSecond

// cellW and cellH are what a cell is taken for, in pixels: the terminal is not
// asked. What is smaller than the cells of the terminal shows a smaller image.
const cellW, cellH = 8, 16

// ShowImage draws an image over a part of the screen, by the protocol "kitty" or
// "sixel". It is encoded anew: no byte that a server wrote reaches the terminal. It
// is meant for a command, and waits for the frame that makes room.
func (t *Terminal) ShowImage(protocol string, img image.Image, at Area) error {
	if at.W < 1 || at.H < 1 {
		return errors.New("there is no room for an image")
	}
	var body []string
	switch protocol {
	case "kitty":
		seqs, err := kitty(fitted(img, at), at)
		if err != nil {
			return err
		}
		body = seqs
	case "sixel":
		body = []string{sixel(fitted(img, at))}
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
	var b strings.Builder
	fmt.Fprintf(&b, "\x1b7\x1b[%d;%dH", at.Y+1, at.X+1)
	for _, seq := range body {
		b.WriteString(passed(seq, t.o.Getenv))
	}
	b.WriteString("\x1b8")
	_, err := t.screen.WriteString(b.String())
	return err
}

// HideImage takes the image of that protocol away. What was under it is to be
// drawn anew.
func (t *Terminal) HideImage(protocol string) {
	if protocol == "kitty" && !t.isAway() {
		seq := fmt.Sprintf("\x1b_Ga=d,d=I,i=%d,q=2\x1b\\", kittyID)
		_, _ = t.screen.WriteString(passed(seq, t.o.Getenv)) // a vanished terminal ends the program
	}
}

// passed wraps a sequence for tmux, which passes it on with allow-passthrough.
func passed(seq string, getenv func(string) string) string {
	if getenv("TMUX") == "" {
		return seq
	}
	return "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
}

// fitted scales an image down until it fits the area, and never up.
func fitted(img image.Image, at Area) *image.RGBA {
	from := img.Bounds()
	scale := min(1, float64(at.W*cellW)/float64(from.Dx()), float64(at.H*cellH)/float64(from.Dy()))
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
// nothing.
func kitty(img *image.RGBA, at Area) ([]string, error) {
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		return nil, err
	}
	text := base64.StdEncoding.EncodeToString(data.Bytes())
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	head := fmt.Sprintf("a=T,f=100,i=%d,q=2,C=1,c=%d,r=%d,", kittyID, min((w+cellW-1)/cellW, at.W), min((h+cellH-1)/cellH, at.H))
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
