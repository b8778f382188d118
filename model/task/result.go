package task

import "encoding/json"

// ContentKind is the type of a content block (server/tools, "Tool Result").
type ContentKind uint8

// The types of content blocks. OtherContent is one that the protocol does not
// know; it is shown as its JSON.
const (
	OtherContent ContentKind = iota
	TextContent
	ImageContent
	AudioContent
	ResourceLink
	EmbeddedResource
)

// Content is one block of a result. Strings are raw as the server sent them:
// they are cleaned when shown, and saved as they are.
type Content struct {
	Kind ContentKind
	// Text is the text of TextContent, or of an embedded text resource.
	Text string
	// Base64 is the data of images, audio and embedded binary resources.
	Base64 string
	// Size is the number of bytes: of the text, of the decoded data, or what
	// a resource link says; -1 where it is not known.
	Size                     int64
	MIME, URI                string
	Name, Title, Description string
	Audience                 []string // annotations.audience
	Raw                      json.RawMessage
}

// Result is how a call or task ended.
type Result struct {
	Content    []Content
	Structured json.RawMessage // structuredContent, nil where absent
	IsError    bool            // isError: the tool itself failed
	// Err is the JSON-RPC error that stands in the place of a result, nil for
	// a real result. Its Kind is RPC.
	Err *Error
	// Raw is the whole result object or error object as it came.
	Raw json.RawMessage
}
