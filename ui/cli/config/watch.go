package config

import (
	"fmt"
	"os"
	"strings"
)

// Stamp tells versions of the configuration's files apart, without reading them:
// it is another one when one of them is another, comes or goes.
func (c *Config) Stamp() string {
	var b strings.Builder
	for _, name := range c.files {
		info, err := os.Stat(name)
		if err != nil {
			fmt.Fprintf(&b, "%s -\n", name)
			continue
		}
		fmt.Fprintf(&b, "%s %d %d %o\n", name, info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	return b.String()
}
