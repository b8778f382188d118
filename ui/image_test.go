package ui

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
	"callboard/ui/render"
)

func drawing(tb testing.TB, w, h int) task.Content {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		tb.Fatal(err)
	}
	return task.Content{Kind: task.ImageContent, MIME: "image/png", Size: int64(b.Len()), Base64: base64.StdEncoding.EncodeToString(b.Bytes())}
}

func TestAnImageIsShownWhereThatIsWanted(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		srv.results["backup-2026-11-30-nightly"] = task.Result{Content: []task.Content{drawing(t, 64, 48)}, Raw: []byte(`{}`)}
		s.goTo("backup-2026-11-30-nightly")
		s.press("enter")
		s.shows("image · image/png · 64x48", "can be saved, or shown")
		s.press("I")
		s.shows(`images = "kitty" or`)
		shown, hidden := "", ""
		fail := error(nil)
		s.r.o.ShowImage = func(protocol string, img image.Image, x, y, w, h int) error {
			if b := img.Bounds(); b.Dx() != 64 || x+w > s.r.width || y+h > s.r.height-1 {
				t.Errorf("%v at %d,%d of %dx%d", b, x, y, w, h)
			}
			shown = protocol
			return fail
		}
		s.r.o.HideImage = func(protocol string) { hidden = protocol }
		s.wait(30 * time.Second)
		s.hides("I image")
		s.r.o.Settings.Images = "kitty"
		s.press("I")
		s.shows("Any key leads back")
		s.fitsScreen()
		s.press("x")
		s.shows("Result of", "I image")
		if shown != "kitty" || hidden != "kitty" {
			t.Errorf("shown %q, hidden %q", shown, hidden)
		}
		hidden = ""
		s.press("I")
		s.size(100, 30)
		s.hides("Any key leads back")
		if hidden == "" {
			t.Error("it stands in the wrong place")
		}
		fail = errors.New("no room")
		s.press("I")
		s.shows("The image is not shown: no room")
	})
}

// What is no image, too large, or lies about its size is not decoded.
func TestHostileImages(t *testing.T) {
	good := drawing(t, 8, 8)
	data, _ := base64.StdEncoding.DecodeString(good.Base64)
	huge := bytes.Clone(data)
	copy(huge[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65536 x 65536
	for name, raw := range map[string][]byte{
		"none": nil, "text": []byte("hello"), "cut": data[:40], "huge": huge, "long": append(bytes.Clone(data), make([]byte, 5<<20)...), "wide": nil,
	} {
		c := task.Content{Kind: task.ImageContent, Base64: base64.StdEncoding.EncodeToString(raw)}
		if name == "wide" {
			c = drawing(t, 5000, 1)
		}
		if img, err := render.Image(&c); err == nil {
			t.Errorf("%s: decoded as %v", name, img.Bounds())
		}
	}
	unpadded := good
	unpadded.Base64 = strings.TrimRight(good.Base64, "=")
	for _, c := range []task.Content{good, unpadded} {
		if _, err := render.Image(&c); err != nil {
			t.Error(err)
		}
	}
}
