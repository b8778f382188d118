package config

import (
	"fmt"
	"os"
	"slices"
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

// Watch has Stamp look at the files of another reading of c, too: one that went
// wrong, and holds not.
func (c *Config) Watch(other *Config) {
	for _, name := range other.files {
		if !slices.Contains(c.files, name) {
			c.files = append(c.files, name)
		}
	}
}
