package task

import "encoding/json"

// Sampling is what sampling/createMessage asks for: that somebody writes what
// an assistant would say next (client/sampling).
type Sampling struct {
	System   Text // systemPrompt
	Messages []SamplingMessage
	// Hints are the names of modelPreferences.hints, best first. Cost, Speed
	// and Intelligence are its priorities from 0 to 1, -1 where not given.
	Hints                     []Text
	Cost, Speed, Intelligence float64
	MaxTokens                 int64  // -1 where not given, which is against the protocol
	Temperature               string // as the request writes it, "" for none
	Stop                      []Text // stopSequences
	Context                   Text   // includeContext, zero for none
	// Raw is the whole params object as it came, at most 8 MiB.
	Raw json.RawMessage
}

// SamplingMessage is one message of the conversation so far. Its content is without
// Base64, which stands in Raw.
type SamplingMessage struct {
	Role    Text // "user" or "assistant"
	Content []Content
}

// The fields of the form that answers a SamplingMode prompt: what is said, and
// the name of the model that said it. Reply.Content has them as its members.
const (
	SampledText  = "text"
	SampledModel = "model"
)
