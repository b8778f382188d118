//go:build unix

package term

import (
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"
)

// An image is drawn over the frame without moving the cursor of the renderer, and
// goes without a trace.
func TestImages(t *testing.T) {
	s := start(t, "plain")
	s.Type("i")
	s.See("shown <nil>")
	s.SeeRaw("\x1b7\x1b[5;3H\x1b_Ga=T,f=100,i=7349,q=2,C=1,c=15,r=5,m=0;")
	s.Type("d")
	s.SeeRaw("\x1b_Ga=d,d=I,i=7349,q=2\x1b\\")
	s.SeeRaw("\x1b[2J") // all of it is drawn anew
	s.See("sample")
	s.Type("I")
	s.SeeRaw("\x1b7\x1b[5;3H\x1bP0;1;0q\"1;1;90;60#0;2;0;0;0") // 15x5 cells of the smallest usual font
	s.Type("q")
	s.See("bye after 4 keys")
	s.Exit()
	s.GivenBack()
	s.NotAsked()
}

func TestImagesPassThroughTmux(t *testing.T) {
	s := start(t, "plain", "TMUX=/tmp/tmux-1/default,1,0")
	s.Type("i")
	s.SeeRaw("\x1b7\x1b[5;3H\x1b[1X\x1bPtmux;\x1b\x1b_Ga=T,f=100,") // the blank makes tmux go there
	s.Type("q")
	s.Exit()
	s.GivenBack()
}

// Where the terminal's pixels are known an image has the size that fits them.
func TestImagesFitTheCells(t *testing.T) {
	s := start(t, "plain")
	s.See("sample 80x24")
	s.Pixels(10, 20)
	s.Type("i")
	s.See("shown <nil>")
	s.SeeRaw("\x1b_Ga=T,f=100,i=7349,q=2,C=1,m=0;")
	s.Type("d")
	s.SeeRaw("\x1b_Ga=d,d=I,i=7349,q=2\x1b\\")
	s.Type("I")
	s.SeeRaw("\x1bP0;1;0q\"1;1;150;100#0;2;0;0;0")
	s.Pixels(1, 1) // nobody can read that
	s.Type("I")
	s.SeeRaw("\x1bP0;1;0q\"1;1;90;60#0;2;0;0;0")
	s.Type("q")
	s.Exit()
	s.GivenBack()
}

// A terminal around tmux keeps its screen, so that the image has to be taken away
// however the program ends.
func TestAnImageGoesWithTheProgram(t *testing.T) {
	for _, end := range []string{"q", "\x03", "u"} {
		s := start(t, "plain", "TMUX=/tmp/tmux-1/default,1,0")
		s.Type("i")
		s.See("shown <nil>")
		s.SeeRaw("\x1b_Ga=T")
		s.Type(end)
		s.Exit()
		s.SeeRaw("\x1bPtmux;\x1b\x1b_Ga=d,d=I,i=7349,q=2\x1b\x1b\\\x1b\\")
		s.GivenBack()
	}
}

func TestKittyComesInChunks(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 200, 100))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.Uint32())
	}
	seqs, err := kitty(img, Area{W: 80, H: 24}, cell{})
	if err != nil || len(seqs) < 3 {
		t.Fatalf("%d sequences, %v", len(seqs), err)
	}
	for i, seq := range seqs {
		if _, body, _ := strings.Cut(seq, ";"); len(body) > kittyChunk+2 || strings.Contains(seq, "m=1") == (i == len(seqs)-1) {
			t.Errorf("sequence %d of %d: %.60q", i, len(seqs), seq)
		}
	}
}

func TestSixelCountsRepetitions(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 10, 7))
	for x := range 10 {
		for y := range 7 {
			img.Set(x, y, color.White)
		}
	}
	_, body, _ := strings.Cut(sixel(img), "#215;2;100;100;100")
	if body != "#215!10~$-#215!10@$-\x1b\\" {
		t.Errorf("%q", body)
	}
}

func TestFittedNeverGrows(t *testing.T) {
	for _, c := range []struct{ w, h, wantW, wantH int }{{10, 10, 10, 10}, {1600, 100, 160, 10}, {1, 4000, 1, 80}} {
		if got := fitted(image.NewGray(image.Rect(0, 0, c.w, c.h)), 160, 80).Bounds(); got.Dx() != c.wantW || got.Dy() != c.wantH {
			t.Errorf("%dx%d became %v", c.w, c.h, got)
		}
	}
}

func TestSixelsAreNoMoreThanTerminalsDraw(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 3000, 2000))
	for _, c := range []struct {
		size         cell
		at           Area
		wantW, wantH int
	}{{cell{10, 20}, Area{W: 200, H: 60}, 1000, 666}, {cell{10, 20}, Area{W: 30, H: 60}, 300, 200}, {cell{}, Area{W: 10, H: 10}, 60, 40}} {
		if got := sixelFitted(img, c.at, c.size).Bounds(); got.Dx() != c.wantW || got.Dy() != c.wantH {
			t.Errorf("in %+v of %+v: %v", c.at, c.size, got)
		}
	}
}

func TestEachPartIsPlacedInsideTmux(t *testing.T) {
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	at := Area{X: 2, Y: 4, W: 9, H: 9}
	if got := placed([]string{"one", "two"}, at, getenv); got != "\x1b7\x1b[5;3Honetwo\x1b8" {
		t.Errorf("%q", got)
	}
	env["TMUX"] = "x"
	if got := placed([]string{"one", "two"}, at, getenv); got != "\x1b7\x1b[5;3H\x1b[1X\x1bPtmux;one\x1b\\\x1b[5;3H\x1b[1X\x1bPtmux;two\x1b\\\x1b8" {
		t.Errorf("%q", got)
	}
}
