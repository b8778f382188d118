package background

import (
	"encoding/json"
	"os/exec"
	"slices"
	"testing"

	"github.com/charmbracelet/lipgloss"
)

// The start-up query is stopped by the order of initialisation alone. What
// that order rests on is held here.
func TestInitialisedBeforeBubbleTea(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkg struct {
		ImportPath string
		Imports    []string
	}
	if err := json.Unmarshal(out, &pkg); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(pkg.Imports, []string{"github.com/charmbracelet/lipgloss"}) {
		t.Errorf("imports %v: with more than lipgloss its init would come later", pkg.Imports)
	}
	if pkg.ImportPath >= "github.com/charmbracelet/bubbletea" {
		t.Errorf("the path %s does not sort before Bubble Tea's", pkg.ImportPath)
	}
}

func TestBackgroundIsSet(t *testing.T) {
	// Without a terminal lipgloss answers true as well; what fails here is an
	// init that sets the other value.
	if !lipgloss.HasDarkBackground() {
		t.Error("the background is not the one that init sets")
	}
}
