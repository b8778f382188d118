package term

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"runtime"
	"time"
)

// openPatience is how long OpenURL watches whether the opener fails.
const openPatience = 2 * time.Second

// OpenURL opens a page in the person's browser: https, or http on this machine.
// No shell is involved, and the opener has no part of the terminal. It returns
// when the opener has ended or has run for 2 s, so it belongs into a command.
func OpenURL(ctx context.Context, page string) error {
	if err := Openable(page); err != nil {
		return err
	}
	return open(ctx, opener(), page, openPatience)
}

// Openable returns why a URL is not one that OpenURL opens, nil if it is.
func Openable(page string) error {
	u, err := url.Parse(page)
	if err != nil {
		return errors.New("not a URL that can be read")
	}
	switch {
	case u.Host == "":
		return errors.New("the URL names no host")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	}
	return errors.New("only https is opened, and http on this machine")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// opener returns the system's command for opening a page.
func opener() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

func open(ctx context.Context, words []string, page string, patience time.Duration) error {
	if _, err := exec.LookPath(words[0]); err != nil {
		return fmt.Errorf("no %s on this machine", words[0])
	}
	// Not CommandContext: the browser outlives callboard.
	cmd := exec.Command(words[0], append(words[1:], page)...) //nolint:noctx // see above
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s could not open it (%w)", words[0], err)
		}
		return nil
	case <-time.After(patience):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
