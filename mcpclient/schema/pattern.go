package schema

import (
	"math/big"
	"regexp"
	"strings"
)

// compilePattern compiles a pattern of ECMA-262 with Go's regexp, which runs
// in time linear to the text whatever the pattern is. What Go writes otherwise
// (\uXXXX, \u{X}, \cX, \/ and the like) is translated; what it cannot do, such
// as looking ahead, is an error.
func compilePattern(p string) (*regexp.Regexp, error) {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '\\' || i+1 == len(p) {
			b.WriteByte(p[i])
			continue
		}
		i++
		switch rest := p[i+1:]; {
		case p[i] == 'u' && strings.HasPrefix(rest, "{") && strings.IndexByte(rest, '}') > 0:
			b.WriteString(`\x`) // \x{...} is Go's way
		case p[i] == 'u' && len(rest) >= 4 && hex(rest[:4]):
			b.WriteString(`\x{` + rest[:4] + `}`)
			i += 4
		case p[i] == 'c' && len(rest) >= 1 && letter(rest[0]):
			b.WriteString(`\x{` + string("0123456789abcdef"[rest[0]>>4&1]) + string("0123456789abcdef"[rest[0]&15]) + `}`)
			i++
		default:
			b.WriteByte('\\')
			b.WriteByte(p[i])
		}
	}
	return regexp.Compile(b.String())
}

func hex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// positive reports whether a sane number of JSON is above zero.
func positive(number string) bool {
	r, ok := new(big.Rat).SetString(number)
	return ok && r.Sign() > 0
}
