package term

import (
	"fmt"
	"time"

	"github.com/atotto/clipboard"
)

// tool is the clipboard of Windows.
type tool struct{ name string }

// nativeTool returns it.
func nativeTool(func(string) string) (*tool, error) { return &tool{"the clipboard of Windows"}, nil }

// take hands text to it. Another program may hold it open for ever.
func (c *tool) take(text string, patience time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- clipboard.WriteAll(text) }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return fmt.Errorf("%s did not take it within %s", c.name, patience)
	}
}
