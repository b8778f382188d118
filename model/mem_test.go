package model

import (
	"runtime"
	"testing"
	"unsafe"
)

// TestRowMemory holds a row with its places in maps, trees and queues under
// about 1 KB, so that 10,000 tasks fit into a small part of 40 MiB.
func TestRowMemory(t *testing.T) {
	const n = 20_000
	var before, after runtime.MemStats
	for range 2 { // what the tests before left, pools among it, is gone after two
		runtime.GC()
	}
	runtime.ReadMemStats(&before)
	m, _ := full(n)
	runtime.GC()
	runtime.ReadMemStats(&after)
	per := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n
	t.Logf("%d bytes a row (the struct %d)", per, unsafe.Sizeof(Row{}))
	if size := unsafe.Sizeof(Row{}); size > 480 || per > 768 { // 480 is a size that memory is given out in: one byte more takes 512
		t.Errorf("%d bytes a row, the struct %d", per, size)
	}
	m.Shutdown()
}
