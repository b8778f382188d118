package task

import (
	"fmt"
	"strings"
	"testing"
)

func TestStatusWords(t *testing.T) {
	for s := Working; s <= Cancelled; s++ {
		if ParseStatus(s.String()) != s {
			t.Errorf("%v does not come back", s)
		}
		if want := s >= Completed; s.Terminal() != want {
			t.Errorf("%v.Terminal() = %v", s, !want)
		}
	}
	if s := ParseStatus("paused"); s != Unknown || s.Terminal() {
		t.Error("a word of tomorrow must count as live")
	}
}

func TestSecretNeverFormats(t *testing.T) {
	r := Resume{Session: "s3cret", LastEvent: "e7"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(format, r); strings.Contains(got, "s3cret") || strings.Contains(got, "e7") {
			t.Errorf("%s shows the secret: %s", format, got)
		}
	}
}
