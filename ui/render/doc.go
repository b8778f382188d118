// Package render turns what servers send into lines of cells: text wrapped,
// JSON pretty printed, results and errors as documents that scroll.
//
// A Document lays out what is in sight and nothing else: it keeps its place as
// an offset into the raw text and finds rows from there, forwards and
// backwards. So a key press on a result of 16 MiB costs no more than on one of
// a page.
package render
