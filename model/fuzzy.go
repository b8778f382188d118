package model

import (
	"strings"
	"unicode/utf8"
)

// A word is looked for fuzzily that has so many letters: fewer are found
// everywhere.
const (
	fuzzyLeast = 3
	fuzzyMost  = 32
	// fuzzyText is how much of a text is looked at.
	fuzzyText = 64
)

// fuzzily reports whether the letters of needle, which is ASCII in lower case, are
// in text in their order and close together: the first one begins a word, a jump to
// the beginning of a word costs one, each other letter that is skipped one, and the
// whole no more than needle has letters, less one.
func fuzzily(text, needle string) bool {
	text = text[:min(len(text), fuzzyText)]
	if !inOrder(text, needle) {
		return false
	}
	const no = 1 << 20
	var cost [fuzzyText]int // of needle as far as it was looked at, ending there
	for j := range len(text) {
		cost[j] = no
		if lower(text[j]) == needle[0] && begins(text, j) {
			cost[j] = 0
		}
	}
	for i := 1; i < len(needle); i++ {
		skip, jump := no, no // the best before the letter in front, with what lies between
		last := cost[0]
		cost[0] = no
		for j := 1; j < len(text); j++ {
			here := no
			if lower(text[j]) == needle[i] {
				here = min(last, skip)
				if begins(text, j) {
					here = min(here, jump)
				}
			}
			skip, jump = min(skip, last)+1, min(jump, last+1)
			last, cost[j] = cost[j], here
		}
	}
	for _, c := range cost[:len(text)] {
		if c < len(needle) {
			return true
		}
	}
	return false
}

// inOrder reports whether text holds the letters of needle in their order.
func inOrder(text, needle string) bool {
	i := 0
	for j := range len(text) {
		if lower(text[j]) == needle[i] {
			if i++; i == len(needle) {
				return true
			}
		}
	}
	return false
}

// begins reports whether a word begins at j: behind what is no letter or digit, or
// with a capital behind a small letter.
func begins(text string, j int) bool {
	if j == 0 {
		return true
	}
	was, is := text[j-1], text[j]
	return !letter(was) || was >= 'a' && was <= 'z' && is >= 'A' && is <= 'Z'
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// contains reports whether text holds needle, which is in lower case, whatever
// the case of text.
func contains(text, needle string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), needle)
		}
	}
	for i := 0; i+len(needle) <= len(text); i++ {
		if matchesAt(text[i:], needle) {
			return true
		}
	}
	return false
}

// matchesAt reports whether text, which is ASCII, begins with needle.
func matchesAt(text, needle string) bool {
	for i := range len(needle) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != needle[i] {
			return false
		}
	}
	return true
}
