package mcptest

import (
	"net/http"
	"time"
)

// GETMode is how the server answers a GET for its stream.
type GETMode int

// The ways to answer GET.
const (
	GETOpen   GETMode = iota // a stream
	GET405                   // it has none
	GET409                   // always refused as a second one
	GETSilent                // a stream on which nothing ever comes
)

// ReplyMode is the shape of replies to POST.
type ReplyMode int

// The shapes. ReplyAuto is JSON unless something precedes the reply or the reply has to be waited for in tasks/result.
const (
	ReplyAuto  ReplyMode = iota
	ReplyJSON            // never SSE
	ReplySSE             // always SSE
	ReplyTurns           // JSON and SSE by turns
)

// LossMode is what becomes of requests that name a session the server does not know.
type LossMode int

// The forms in which servers report a lost session.
const (
	Loss404   LossMode = iota // 404 with a JSON-RPC error
	Loss400                   // 400 and the text "No valid session ID provided"
	LossEmpty                 // 200: an empty list, and no task is known
)

// DeleteMode is how the server answers DELETE of a session.
type DeleteMode int

// The answers to DELETE.
const (
	DeleteOK      DeleteMode = iota // 200, and the session ends
	Delete405                       // refused
	Delete404HTML                   // 404 with an HTML page
	DeleteIgnored                   // 200, and the session goes on
)

// ListenMode is what becomes of subscriptions/listen.
type ListenMode int

// The ways to serve it.
const (
	ListenTasks   ListenMode = iota
	ListenNoTasks            // acknowledged without taskIds: no task is pushed
	ListenOwnID              // with a subscription id of the server's own, not that of the request
	ListenEnds               // acknowledged, and ended at once in good order
	ListenRefused            // unknown method
)

// ListenEnd is how a subscriptions/listen is told that the server ends it. The specification asks for both:
// basic/patterns/cancellation for the notification, basic/patterns/subscriptions for the result.
type ListenEnd int

// The ways to tell.
const (
	EndBoth      ListenEnd = iota
	EndResult              // the result alone
	EndCancelled           // notifications/cancelled alone
)

// Faults is how the server misbehaves. The zero value is a server without fault. [WithFaults] begins with some,
// [Server.Fault] switches them while it runs; what is already under way keeps the ones it began with.
type Faults struct {
	GET       GETMode
	StealGET  bool // a second GET of a session takes the stream over; without it 409
	Replies   ReplyMode
	Loss      LossMode // of the legacy era, as all of this block but Replies
	Delete    DeleteMode
	UnknownID bool // an unknown Last-Event-ID gets 200 and silence; without it 400

	LateHeaders  bool // tasks/result sends no response header until the task has ended
	RefuseResult bool // tasks/result of a live task is -32603 "no result stored" at once
	ErrorStatus  int  // HTTP status of JSON-RPC errors; zero: 200, in the modern era what the specification says

	CutBytes    func() int    // bytes after which the next SSE connection breaks; zero or less: it does not. Never called twice at once
	CutEvents   int           // events after which an SSE connection breaks; zero: it does not
	MuteResumed bool          // a POST's stream that is resumed gives what there is, and nothing that comes
	StreamLife  time.Duration // time after which an SSE connection is closed on purpose; zero: it is not
	Noise       bool          // unrelated notifications and a ping stand before each reply on SSE

	CursorLoop      bool // the cursor of tasks/list repeats for ever
	CursorRestarts  bool // a bad cursor starts again at the first page; without it -32602
	EmptyLastPage   bool // a full last page is followed by an empty one
	RandomOrder     bool // each page of tasks/list is shuffled
	ServeUndeclared bool // what the capabilities do not declare is served all the same

	Duplicate     bool   // every notification comes twice
	EarlyStatus   bool   // a status notification comes before the CreateTaskResult
	Leak          bool   // status notifications go to sessions that may not get the task
	Born          Status // status in CreateTaskResult; empty: as it is
	FlipTerminal  bool   // a cancelled task still completes, and an ended one can be cancelled
	DropCancelled bool   // a cancelled task is deleted at once
	ErrorDone     bool   // a result with isError leaves its task completed
	FrozenTime    bool   // lastUpdatedAt never moves
	WholeSeconds  bool   // timestamps without fractions
	BumpOnPoll    bool   // tasks/get moves lastUpdatedAt

	Listen           ListenMode    // what becomes of subscriptions/listen
	ListenEnd        ListenEnd     // how a listen is told that the server ends it
	PushWithoutInput bool          // pushed input_required tasks lack their inputRequests
	EffectLag        time.Duration // tasks/update and tasks/cancel are acknowledged this long before they take effect
	AckDelay         time.Duration // they are acknowledged this long after they took effect
	CancelLoses      bool          // tasks/cancel of a modern task comes too late, always
	WholeUpdates     bool          // tasks/update that leaves an open question out is refused by -32602
	AckLate          bool          // tasks/update of an ended task is acknowledged; without it -32602
	Reask            int           // so many answers to a question are ignored: its key stays, or comes again
	ReuseKeys        bool          // the keys of inputRequests are not made unique within a task
	NoState          bool          // input_required results carry no requestState
	EmptyRounds      int           // so many input_required results with a requestState alone precede each modern call
	// ResultType gives the resultType of a modern result from the method and the one that is right; empty leaves it out.
	ResultType func(method, right string) string

	// The mixed servers: half of one era, half of the other.
	BlockInDiscover       bool // server/discover declares the legacy `tasks` block, no extension; modern calls are all plain
	ExtensionInInitialize bool // `initialize` lists the extension beside or instead of `tasks`
	ModernPush            bool // legacy sessions are pushed notifications/tasks in the shape of the extension

	AskWorking    bool            // a task stays working while it asks (legacy era: a modern one shows no question then)
	NoRelatedTask bool            // prompts do not name their task
	PromptsOnce   bool            // a prompt is handed out to the first tasks/result alone
	AskPatience   time.Duration   // an unanswered prompt is given up after this; zero: never
	AskSilently   bool            // giving up is not told by notifications/cancelled
	RequestIDs    func(n int) any // id of the n-th request (from 0) to a session; nil: n+1
	Hostile       bool            // every string holds escape sequences and bidi controls, task ids made from now on included
	Mangle        func(Outgoing)  // changes any message on its way out; see WrongTypes, UnknownFields, Deep, Huge
	Header        http.Header     // added to every response
}

// Outgoing is a decoded message on its way out, for [Faults.Mangle] to change.
type Outgoing struct {
	Method  string         // of a reply: the method of its request
	Message map[string]any // the whole JSON-RPC message
}

// body is what the message carries: result, params, or nil.
func (o Outgoing) body() map[string]any {
	for _, k := range []string{"result", "params"} {
		if m, ok := o.Message[k].(map[string]any); ok {
			return m
		}
	}
	return nil
}

// Interception stands in for, delays or loses the answer to matching HTTP requests; see [Server.Intercept].
type Interception struct {
	Method string // JSON-RPC method, or "GET" and "DELETE"; empty: all
	Times  int    // how often it applies; zero: once; negative: until [Server.ClearInterceptions]

	Delay     time.Duration // waits first; alone: the request then goes on as usual
	Hang      bool          // never answers
	Drop      bool          // breaks the connection after reading the request, which is not acted on
	DropReply bool          // acts on the request, then breaks the connection before replying
	Status    int           // answers with this HTTP status
	Header    http.Header   // with these headers
	Body      string        // and this body
	Err       *Error        // answers with this JSON-RPC error (HTTP 200 unless Status says otherwise)
}

// HTTPError intercepts with a status; retryAfter sets Retry-After in whole seconds unless it is zero.
func HTTPError(method string, times, status int, retryAfter time.Duration) Interception {
	h := http.Header{"Content-Type": {"text/plain"}}
	if retryAfter > 0 {
		h.Set("Retry-After", itoa(int((retryAfter+time.Second-1)/time.Second)))
	}
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="mcptest"`)
	}
	return Interception{Method: method, Times: times, Status: status, Header: h, Body: http.StatusText(status) + "\n"}
}

// HTMLPage intercepts with an HTML page, as a proxy or a wrong URL would.
func HTMLPage(method string, times, status int) Interception {
	return Interception{
		Method: method, Times: times, Status: status,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:   "<!doctype html><html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>\n",
	}
}
