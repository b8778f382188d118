package ui

import (
	"strings"
	"testing"
)

// draw shows boxes as letters, two columns and one line a letter's cell less.
func draw(w, h int, b boxes) string {
	grid := make([][]byte, h)
	for y := range grid {
		grid[y] = []byte(strings.Repeat(".", w))
	}
	put := func(b box, c byte) {
		for y := b.y; y < b.y+b.h; y++ {
			for x := b.x; x < b.x+b.w; x++ {
				if grid[y][x] != '.' {
					c = '!' // two boxes on one cell
				}
				grid[y][x] = c
			}
		}
	}
	put(b.header, 'h')
	put(b.main, 'M')
	put(b.side, 's')
	put(b.footer, 'f')
	var rows []string
	for y := range grid { // every tenth column, every second line and the last
		if y%2 == 0 || y == h-1 {
			var row []byte
			for x := 0; x < w; x += 10 {
				row = append(row, grid[y][x])
			}
			rows = append(rows, string(row))
		}
	}
	return strings.Join(rows, "\n")
}

func TestArrange(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		wish wishes
		foot int // 0 for one line
		want string
	}{
		{"side by side", 100, 12, wishes{side: true}, 0, `
hhhhhhhhhh
MMMMMMssss
MMMMMMssss
MMMMMMssss
MMMMMMssss
MMMMMMssss
ffffffffff`},
		{"one column less: one at a time", 99, 10, wishes{side: true}, 0, `
hhhhhhhhhh
MMMMMMMMMM
MMMMMMMMMM
MMMMMMMMMM
MMMMMMMMMM
ffffffffff`},
		{"the other one has the keys", 80, 10, wishes{side: true, onSide: true}, 0, `
hhhhhhhh
ssssssss
ssssssss
ssssssss
ssssssss
ffffffff`},
		{"narrow and high: stacked", 40, 30, wishes{side: true}, 0, `
hhhh
MMMM
MMMM
MMMM
MMMM
MMMM
MMMM
MMMM
MMMM
ssss
ssss
ssss
ssss
ssss
ssss
ffff`},
		{"alone", 120, 10, wishes{}, 0, `
hhhhhhhhhhhh
MMMMMMMMMMMM
MMMMMMMMMMMM
MMMMMMMMMMMM
MMMMMMMMMMMM
ffffffffffff`},
		{"the side does not grow for ever", 300, 10, wishes{side: true}, 0, `
hhhhhhhhhhhhhhhhhhhhhhhhhhhhhh
MMMMMMMMMMMMMMMMMMMMMsssssssss
MMMMMMMMMMMMMMMMMMMMMsssssssss
MMMMMMMMMMMMMMMMMMMMMsssssssss
MMMMMMMMMMMMMMMMMMMMMsssssssss
ffffffffffffffffffffffffffffff`},
		{"a result that is read", 120, 10, wishes{side: true, onSide: true, zoom: true}, 0, `
hhhhhhhhhhhh
ssssssssssss
ssssssssssss
ssssssssssss
ssssssssssss
ffffffffffff`},
		{"the table has all the room", 120, 10, wishes{side: true, zoom: true}, 0, `
hhhhhhhhhhhh
MMMMMMMMMMMM
MMMMMMMMMMMM
MMMMMMMMMMMM
MMMMMMMMMMMM
ffffffffffff`},
		{"the side as large as was chosen", 120, 10, wishes{side: true, share: 75}, 0, `
hhhhhhhhhhhh
MMMsssssssss
MMMsssssssss
MMMsssssssss
MMMsssssssss
ffffffffffff`},
		{"and no larger than leaves the main one something", 100, 10, wishes{side: true, share: 95}, 0, `
hhhhhhhhhh
MMMsssssss
MMMsssssss
MMMsssssss
MMMsssssss
ffffffffff`},
		{"stacked, as was chosen", 40, 30, wishes{side: true, share: 70}, 0, `
hhhh
MMMM
MMMM
MMMM
MMMM
ssss
ssss
ssss
ssss
ssss
ssss
ssss
ssss
ssss
ssss
ffff`},
		{"a long sentence below", 120, 12, wishes{side: true}, 3, `
hhhhhhhhhhhh
MMMMMMMMssss
MMMMMMMMssss
MMMMMMMMssss
MMMMMMMMssss
ffffffffffff
ffffffffffff`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := draw(c.w, c.h, arrange(c.w, c.h, max(c.foot, 1), c.wish)); got != strings.TrimSpace(c.want) {
				t.Errorf("got\n%s\nwant%s", got, c.want)
			}
		})
	}
}

// Every size is covered without a hole and without two boxes on one cell.
func TestArrangeCoversTheScreen(t *testing.T) {
	for w := 1; w <= 300; w += 7 {
		for h := 1; h <= 100; h += 3 {
			for i, wish := range []wishes{{}, {side: true}, {side: true, onSide: true}, {side: true, onSide: true, zoom: true}, {side: true, share: 1}, {side: true, share: 99}} {
				b := arrange(w, h, 1+i%3, wish)
				if small := w < minWidth || h < minHeight; small != b.tooSmall {
					t.Fatalf("%dx%d: too small %v", w, h, b.tooSmall)
				}
				if b.tooSmall {
					continue
				}
				cells := 0
				for _, part := range []box{b.header, b.main, b.side, b.footer} {
					if part.x < 0 || part.y < 0 || part.x+part.w > w || part.y+part.h > h {
						t.Fatalf("%dx%d: %+v reaches beyond", w, h, part)
					}
					cells += part.w * part.h
				}
				if cells != w*h {
					t.Fatalf("%dx%d: %d cells of %d", w, h, cells, w*h)
				}
			}
		}
	}
}
