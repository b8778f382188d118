package mcptest

import "time"

// Revision is the protocol revision that the server offers unless told otherwise.
const Revision = "2025-11-25"

// Capabilities says what `initialize` and `server/discover` declare. What is not declared is answered -32601
// (see [Faults.ServeUndeclared]).
type Capabilities struct {
	Tools            bool
	ToolsListChanged bool
	Logging          bool
	TasksList        bool
	TasksCancel      bool
	TasksCall        bool // tasks.requests.tools.call: without it `task` in a call is ignored
	TasksExtension   bool // 2026-07-28: the extension io.modelcontextprotocol/tasks; without it every call is plain
}

// Everything declares all capabilities; it is the default.
var Everything = Capabilities{
	Tools: true, ToolsListChanged: true, Logging: true, TasksList: true, TasksCancel: true, TasksCall: true, TasksExtension: true,
}

// Route is where a message goes that the server volunteers.
type Route int

// The routes. A prompt of a task waits for its tasks/result, by ByPOST too, since the POST of a call ends with its
// CreateTaskResult; one of a plain call goes by its POST unless that is JSON or the route is ByGET. A status
// notification for which no tasks/result is open goes by GET.
const (
	ByResult Route = iota // on the open tasks/result of the task
	ByGET                 // on the GET stream
	ByPOST                // on the stream that answers the tools/call
)

type config struct {
	eras            Era
	version         string
	name, title     string
	build           string
	instructions    string
	caps            Capabilities
	tools           []Tool
	pageSize        int
	toolPageSize    int
	ttl, maxTTL     time.Duration
	poll            time.Duration
	shared          bool
	stateless       bool
	keep            int
	priming         bool
	retry           time.Duration
	keepAlive       time.Duration
	promptRoute     Route
	statusRoute     Route
	transitions     func(from, to Status) bool
	tokens          []string
	discoverTTL     time.Duration
	toolsTTL        time.Duration
	cacheScope      string
	record          int
	skew            time.Duration
	faults          Faults
	newTaskID       func() string
	maxSessions     int
	maxPendingEvent int
}

func defaults() config {
	return config{
		eras: LegacyEra, discoverTTL: time.Hour, toolsTTL: time.Minute, cacheScope: "public",
		name: "mcptest", title: "Scripted MCP server", build: "1.0.0",
		caps: Everything, pageSize: 50, ttl: 10 * time.Minute, maxTTL: 24 * time.Hour, poll: time.Second,
		keep: 1024, statusRoute: ByGET, transitions: AllTransitions, record: 4096,
		newTaskID: randomID, maxSessions: 1000, maxPendingEvent: 1 << 17,
	}
}

// Option configures a [Server].
type Option func(*config)

// WithVersion makes `initialize` always answer this revision, whatever the client asks for.
func WithVersion(v string) Option { return func(c *config) { c.version = v } }

// WithInfo sets serverInfo.
func WithInfo(name, title, version string) Option {
	return func(c *config) { c.name, c.title, c.build = name, title, version }
}

// WithInstructions sets the instructions that `initialize` and `server/discover` give.
func WithInstructions(text string) Option { return func(c *config) { c.instructions = text } }

// WithCapabilities sets what `initialize` and `server/discover` declare.
func WithCapabilities(caps Capabilities) Option { return func(c *config) { c.caps = caps } }

// WithTools adds tools.
func WithTools(tools ...Tool) Option { return func(c *config) { c.tools = append(c.tools, tools...) } }

// WithPageSize sets how many tasks a page of tasks/list holds (50); zero: all in one page.
func WithPageSize(n int) Option { return func(c *config) { c.pageSize = n } }

// WithToolPageSize sets how many tools a page of tools/list holds; zero, the default: all in one page.
func WithToolPageSize(n int) Option { return func(c *config) { c.toolPageSize = n } }

// WithTTL sets the ttl of tasks that ask for none (10 minutes) and the cap for those that do (24 hours). Either may be
// [Unlimited].
func WithTTL(byDefault, most time.Duration) Option {
	return func(c *config) { c.ttl, c.maxTTL = byDefault, most }
}

// WithPollInterval sets the pollInterval of tasks (1 second); [NoPoll] leaves it out.
func WithPollInterval(d time.Duration) Option { return func(c *config) { c.poll = d } }

// WithSharedTasks shows every task to every session; by default a task belongs to the session that made it.
func WithSharedTasks() Option { return func(c *config) { c.shared = true } }

// WithStateless gives no session ids, answers GET with 405 and shows every task to everybody.
func WithStateless() Option { return func(c *config) { c.stateless, c.shared = true, true } }

// WithEventStore keeps the last n events of each stream for Last-Event-ID (1024). Zero: events carry no ids and
// nothing can be resumed.
func WithEventStore(n int) Option { return func(c *config) { c.keep = n } }

// WithPriming begins every SSE stream with an event that has an id and empty data, and with `retry:` unless retry is
// zero.
func WithPriming(retry time.Duration) Option {
	return func(c *config) { c.priming, c.retry = true, retry }
}

// WithKeepAlive writes a comment on every stream that was silent for d.
func WithKeepAlive(d time.Duration) Option { return func(c *config) { c.keepAlive = d } }

// WithPromptRoute sets where elicitation/create is sent; [ByResult] by default, with plain calls by their POST.
func WithPromptRoute(r Route) Option { return func(c *config) { c.promptRoute = r } }

// WithStatusRoute sets where notifications/tasks/status are sent; [ByGET] by default.
func WithStatusRoute(r Route) Option { return func(c *config) { c.statusRoute = r } }

// WithTransitions says which transitions are notified; a change of the message alone has from equal to to.
func WithTransitions(notify func(from, to Status) bool) Option {
	return func(c *config) { c.transitions = notify }
}

// AllTransitions notifies every transition and change of message.
func AllTransitions(_, _ Status) bool { return true }

// NoTransitions notifies nothing, so that only polling shows what happens.
func NoTransitions(_, _ Status) bool { return false }

// EndingsOnly notifies terminal states alone.
func EndingsOnly(_, to Status) bool { return to.Terminal() }

// WithToken refuses requests without this bearer token by 401; see [Server.SetToken].
func WithToken(token string) Option { return WithTokens(token) }

// WithTokens refuses requests without one of these bearer tokens by 401. A modern task is known to the token that made
// it alone; see [Task.Account].
func WithTokens(tokens ...string) Option { return func(c *config) { c.tokens = tokens } }

// WithCache sets ttlMs and cacheScope of server/discover (an hour) and of each page of tools/list (a minute). scope is
// "public", the default, or "private" (2026-07-28, server/utilities/caching).
func WithCache(discover, tools time.Duration, scope string) Option {
	return func(c *config) { c.discoverTTL, c.toolsTTL, c.cacheScope = discover, tools, scope }
}

// WithRecord sets how many received messages [Server.Requests] keeps (4096); zero: none.
func WithRecord(n int) Option { return func(c *config) { c.record = n } }

// WithSkew sets the server's clock off by d, in tasks and Date headers.
func WithSkew(d time.Duration) Option { return func(c *config) { c.skew = d } }

// WithFaults begins with these faults.
func WithFaults(f Faults) Option { return func(c *config) { c.faults = f } }

// WithTaskIDs makes the ids of tasks; by default they are random.
func WithTaskIDs(next func() string) Option { return func(c *config) { c.newTaskID = next } }
