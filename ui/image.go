package ui

import (
	"callboard/model/task"
	"callboard/ui/render"

	tea "github.com/charmbracelet/bubbletea"
)

// imageOverlay stands where an image is shown, until a key is pressed.
type imageOverlay struct {
	protocol string
	name     string
	x, y     int // where it is, in cells
	w, h     int
}

// imageMsg says that an image is shown, or why it is not.
type imageMsg struct {
	of  *imageOverlay
	err error
}

// drawsImages reports whether images are drawn in this terminal.
func (r *Root) drawsImages() bool {
	p := r.o.Settings.Images
	return (p == "kitty" || p == "sixel") && r.o.ShowImage != nil
}

// showImage shows the first image of the result.
func (r *Root) showImage(result *task.Result) tea.Cmd {
	var images []*task.Content
	if result != nil {
		images = render.Images(result)
	}
	switch {
	case len(images) == 0:
		r.say("There is no image here.")
		return nil
	case !r.drawsImages():
		r.say(`Images are not drawn here: images = "kitty" or "sixel" in the configuration turns it on, where your terminal can. ` + keyOf(r.k.Task.Save) + " saves it.")
		return nil
	}
	c := images[0]
	o := &imageOverlay{protocol: r.o.Settings.Images, name: render.ContentWords(c, " "+r.t.Glyphs.Dot+" "), x: 2, y: 2, w: r.width - 4, h: r.height - 4}
	r.over = o
	show := r.o.ShowImage
	return func() tea.Msg {
		img, err := render.Image(c)
		if err == nil {
			err = show(o.protocol, img, o.x, o.y, o.w, o.h)
		}
		return imageMsg{o, err}
	}
}

// imageShown closes the overlay of an image that is not shown; where that was left
// meanwhile, the image goes.
func (r *Root) imageShown(msg imageMsg) tea.Cmd {
	switch {
	case r.over != msg.of:
		return msg.of.hide(r)
	case msg.err != nil:
		r.over = nil
		r.fail("The image is not shown: " + task.CleanMax(msg.err.Error(), 400).Line() + ". " + keyOf(r.k.Task.Save) + " saves it.")
	}
	return nil
}

// hide takes the image away, and has the screen drawn anew.
func (o *imageOverlay) hide(r *Root) tea.Cmd {
	hide := r.o.HideImage
	return func() tea.Msg {
		if hide != nil {
			hide(o.protocol)
		}
		return tea.ClearScreen()
	}
}

func (o *imageOverlay) typing() bool { return false }

func (o *imageOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	if _, ok := msg.(tea.KeyMsg); ok {
		r.over = nil
		return o.hide(r)
	}
	return nil
}

func (o *imageOverlay) draw(r *Root, s *scene, screen []string) {
	w, h := r.width, len(screen)-1
	s.over(screen, s.frame(nil, w, h, s.cut(o.name, w-6), "", true), 0, 1)
}

func (o *imageOverlay) foot(_ *Root, s *scene) string { return " Any key leads back." }
