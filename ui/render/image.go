package render

import (
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // images of these kinds are shown
	_ "image/jpeg"
	_ "image/png"
	"io"
	"strings"

	"callboard/model/task"
)

// What an image may be that is shown: bytes as they came, and pixels of a side.
const (
	maxImageBytes = 4 << 20
	maxImageSide  = 4096
)

func imageData(c *task.Content) io.Reader {
	return base64.NewDecoder(base64.RawStdEncoding, strings.NewReader(strings.TrimRight(c.Base64, "=")))
}

// measured says how large an image is, "" where its head does not tell.
func measured(c *task.Content) string {
	cfg, _, err := image.DecodeConfig(io.LimitReader(imageData(c), 256<<10))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%dx%d", cfg.Width, cfg.Height)
}

// Images returns the images of a result.
func Images(r *task.Result) []*task.Content {
	var out []*task.Content
	for i := range r.Content {
		if c := &r.Content[i]; c.Kind == task.ImageContent && c.Base64 != "" {
			out = append(out, c)
		}
	}
	return out
}

// Image decodes an image, within bounds. It is meant for a command.
func Image(c *task.Content) (img image.Image, err error) {
	if len(c.Base64)/4*3 > maxImageBytes {
		return nil, fmt.Errorf("it is larger than %s", Size(maxImageBytes))
	}
	cfg, _, err := image.DecodeConfig(imageData(c))
	if err != nil {
		return nil, errors.New("it is no PNG, JPEG or GIF that callboard can read")
	}
	if cfg.Width < 1 || cfg.Height < 1 || cfg.Width > maxImageSide || cfg.Height > maxImageSide {
		return nil, fmt.Errorf("%dx%d pixels are more than %dx%d", cfg.Width, cfg.Height, maxImageSide, maxImageSide)
	}
	defer func() {
		if recover() != nil { // a decoder met what it was not made for
			img, err = nil, errors.New("it is damaged")
		}
	}()
	if img, _, err = image.Decode(imageData(c)); err != nil {
		return nil, errors.New("it is damaged")
	}
	return img, nil
}
