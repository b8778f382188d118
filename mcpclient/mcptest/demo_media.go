package mcptest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
)

// chart is a small PNG of bars.
func chart(r *rand.Rand) []byte {
	const w, h, bar = 240, 80, 6
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.RGBA{18, 18, 24, 255}, color.RGBA{90, 200, 140, 255}, color.RGBA{230, 120, 90, 255}})
	for x := 0; x < w; x += bar {
		height := h/4 + r.IntN(h/2)
		c := uint8(1)
		if height > h*5/8 {
			c = 2
		}
		for dx := range bar - 1 {
			for y := h - height; y < h; y++ {
				img.SetColorIndex(x+dx, y, c)
			}
		}
	}
	var b bytes.Buffer
	if png.Encode(&b, img) != nil {
		return nil // a bytes.Buffer takes everything
	}
	return b.Bytes()
}

// tone is a third of a second of a sine as WAV, 8 bit, 8 kHz, mono.
func tone(hertz float64) []byte {
	const rate, n = 8000, 2667
	var b bytes.Buffer
	b.WriteString("RIFF")
	head := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // a bytes.Buffer takes everything
	head(uint32(36 + n))
	b.WriteString("WAVEfmt ")
	head(uint32(16))
	head([]uint16{1, 1})
	head([]uint32{rate, rate})
	head([]uint16{1, 8})
	b.WriteString("data")
	head(uint32(n))
	for i := range n {
		b.WriteByte(byte(128 + 100*math.Sin(2*math.Pi*hertz*float64(i)/rate)))
	}
	return b.Bytes()
}
