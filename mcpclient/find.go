package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// version2026 is the revision that era2026 speaks.
const version2026 = "2026-07-28"

// olderVersions are revisions without tasks whose sessions are good for plain
// calls and the log all the same. They differ from 2025-11-25 in what else they
// lack.
var olderVersions = []string{"2025-06-18", "2025-03-26", "2024-11-05"}

// extensionTasks names the tasks extension among capabilities (Versioning,
// "Extension Negotiation").
const extensionTasks = "io.modelcontextprotocol/tasks"

// metaServerInfo is where results name their server.
const metaServerInfo = "io.modelcontextprotocol/serverInfo"

// The errors that only a server of 2026-07-28 or later knows (Basic, "Error
// Codes").
const (
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

func modernCode(code int) bool { return code <= codeHeaderMismatch && code >= codeUnsupportedVersion }

// discovery is what a server of 2026-07-28 says of itself: DiscoverResult. The
// zero value is that of a server that said nothing.
type discovery struct {
	known bool // the server answered with one
	// versions are those of supportedVersions, for words. modern and legacy
	// say that one of ours is among them.
	versions       []string
	modern, legacy bool

	name, serverVersion, instructions task.Text

	tools     task.Can // CanUnknown where nothing is known
	extension bool     // the tasks extension is declared
	core      bool     // tasks are declared the way of 2025-11-25

	// fresh is for how long it holds (ttlMs), 0 for no time at all; public
	// whether it holds for every account (cacheScope).
	fresh  time.Duration
	public bool
	// note is what a person should know of how the server was found.
	note string
}

// maxVersions bounds how many entries of supportedVersions are looked at.
const maxVersions = 1000

// parseDiscovery decodes DiscoverResult. It reports false where the server names
// no version of the protocol, which no server of that generation does.
func parseDiscovery(raw json.RawMessage) (discovery, bool) {
	d := discovery{known: true, tools: task.CanNo}
	seen := 0
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "supportedVersions":
			elements(v, func(e []byte) bool {
				d.supports(text(e))
				seen++
				return seen < maxVersions
			})
			d.versions = versions(v)
		case "serverInfo": // of its drafts
			d.serverInfo(v)
		case "_meta":
			d.serverInfo(member(v, metaServerInfo))
		case "instructions":
			d.instructions = task.CleanMax(text(v), maxProse)
		case "ttlMs":
			d.fresh = millis(v)
		case "cacheScope":
			d.public = text(v) == "public"
		case "capabilities":
			d.core = can(member(v, "tasks")) == task.CanYes
			d.extension = can(member(member(v, "extensions"), extensionTasks)) == task.CanYes
			d.tools = can(member(v, "tools"))
		}
		return true
	})
	return d, len(d.versions) > 0
}

func (d *discovery) supports(version string) {
	switch {
	case version == version2026:
		d.modern = true
	case version == version2025, slices.Contains(olderVersions, version):
		d.legacy = true
	}
}

func (d *discovery) serverInfo(raw json.RawMessage) {
	if !isObject(raw) {
		return
	}
	d.name, d.serverVersion = serverNames(raw)
}

// serverNames decodes Implementation, as far as it is shown.
func serverNames(raw json.RawMessage) (name, version task.Text) {
	if name = task.CleanLine(text(member(raw, "title")), maxName); name.IsZero() {
		name = task.CleanLine(text(member(raw, "name")), maxName)
	}
	return name, task.CleanLine(text(member(raw, "version")), maxName)
}

// verdict is what a probe found out about the generation.
type verdict struct {
	// era is AnyEra where nothing is decided: then err says why.
	era   task.Era
	found discovery
	// err is what came back in place of a discovery, nil for none.
	err *task.Error
}

// decide finds out from the answer to server/discover which generation to speak
// (Streamable HTTP, "Backward Compatibility"; Versioning). err is that of the
// transport, or the JSON-RPC error that came as the reply.
func (ep *Endpoint) decide(raw json.RawMessage, err error) verdict {
	if err == nil {
		return decideFound(raw)
	}
	te := ep.explain("server/discover", err)
	if te.Tried.IsZero() {
		te.Tried = task.Own("server/discover to " + ep.shown)
	}
	var (
		status    *transport.StatusError
		rpc       *jsonrpc.Error
		lost      *transport.LostError
		content   *transport.ContentError
		malformed *transport.MalformedError
	)
	_ = errors.As(err, &status)
	switch {
	case status != nil && undecided(status):
		return verdict{err: te}
	case errors.As(err, &rpc) && modernCode(rpc.Code):
		return decideModern(rpc, te)
	case status != nil && status.Status >= 500:
		if rpc != nil && (rpc.Code == jsonrpc.CodeMethodNotFound || lostWords(rpc.Message)) {
			return verdict{era: task.Legacy, err: te}
		}
		if te.Advice.IsZero() {
			te.Advice = task.Own("--protocol " + version2025 + " attaches without this question, if the server cannot stand it")
		}
		return verdict{err: te}
	case status != nil, rpc != nil, errors.As(err, &content), errors.As(err, &malformed):
		return verdict{era: task.Legacy, err: te}
	case errors.As(err, &lost) && lost.Kind == transport.Other && lost.Err == nil:
		return verdict{era: task.Legacy, err: te} // it answered, if with nothing
	case lost != nil && lost.Kind == transport.Timeout:
		te.Kind = task.Timeout
		return verdict{era: task.Legacy, err: te} // it may not know what to say
	}
	return verdict{err: te}
}

// undecided reports whether a status speaks of who asks and of when, and not of
// what was asked.
func undecided(s *transport.StatusError) bool {
	switch s.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	}
	return false
}

// decideFound is decide for a result. What tells the generations apart where
// both are spoken is where the tasks are: on the other wire they are out of
// reach.
func decideFound(raw json.RawMessage) verdict {
	d, ok := parseDiscovery(raw)
	switch {
	case !ok:
		return verdict{era: task.Legacy, err: fail(task.Protocol, "the reply to server/discover names no version of the protocol")}
	case d.modern && d.extension:
		return verdict{era: task.Modern, found: d}
	case d.modern && !d.core:
		d.note = "the server offers no tasks: plain calls and the log only"
		return verdict{era: task.Modern, found: d}
	case d.modern, d.legacy:
		return verdict{era: task.Legacy, found: d}
	}
	return verdict{found: d, err: versionError(d.versions)}
}

// decideModern is decide for an error that only servers of the later generation
// know. They say what they speak, or that they lack something of this request,
// which must not be taken for the other generation.
func decideModern(rpc *jsonrpc.Error, te *task.Error) verdict {
	var d discovery
	if rpc.Code != codeUnsupportedVersion {
		d.note = "it says nothing of itself: " + te.Message.Line()
		return verdict{era: task.Modern, found: d, err: te}
	}
	list := supportedIn(rpc.Data)
	seen := 0
	elements(list, func(e []byte) bool {
		d.supports(text(e))
		seen++
		return seen < maxVersions
	})
	switch {
	case d.modern: // and yet refused
		d.note = "it says nothing of itself: " + te.Message.Line()
		return verdict{era: task.Modern, found: d, err: te}
	case d.legacy, seen == 0:
		return verdict{era: task.Legacy, err: te}
	}
	return verdict{err: refusedVersion(te, versions(list))}
}

// supportedIn returns the list of versions in the data of an error.
func supportedIn(data json.RawMessage) json.RawMessage {
	if list := member(data, "supported"); list != nil {
		return list
	}
	return member(data, "supportedVersions")
}

// refusedVersion is versionError for a server that refused a request of ours,
// whose own words are worth telling.
func refusedVersion(te *task.Error, supported []string) *task.Error {
	out := versionError(supported)
	out.Tried, out.Status, out.Code, out.Data, out.Err = te.Tried, te.Status, te.Code, te.Data, te.Err
	out.Message = task.CleanMax(out.Message.Line()+" (it says: "+te.Message.Line()+")", maxMessage)
	return out
}

// versions reads a list of protocol versions, for words.
func versions(raw json.RawMessage) []string {
	var vs []string
	elements(raw, func(v []byte) bool {
		if s := task.CleanLine(text(v), 32).Line(); s != "" {
			vs = append(vs, s)
		}
		return len(vs) < 8
	})
	return vs
}

// versionError says that a server speaks other revisions than ours.
func versionError(vs []string) *task.Error {
	e := fail(task.Version, "the server speaks another generation of MCP than callboard")
	if len(vs) > 0 {
		e = fail(task.Version, "the server speaks MCP %s, which callboard does not", task.CleanLine(strings.Join(vs, ", "), 200).Line())
	}
	e.Advice = task.Own(fmt.Sprintf("this callboard speaks %s and %s, and without tasks %s", version2025, version2026, strings.Join(olderVersions, ", ")))
	return e
}

// otherGeneration reports whether an error in reply to a request of one
// generation says that the server is of another.
func otherGeneration(err error) bool {
	var te *task.Error
	return errors.As(err, &te) && te.Kind == task.Version
}

// moreTelling returns the one of two errors that says more of what is wrong: of
// the probe, and of the initialize that followed it.
func moreTelling(probe, initialize *task.Error) *task.Error {
	if probe == nil || telling(initialize) >= telling(probe) {
		return initialize
	}
	return probe
}

// telling ranks errors by how much a person can do with them.
func telling(e *task.Error) int {
	switch e.Kind {
	case task.Unauthorized, task.Denied, task.Version, task.TLS, task.Busy:
		return 4
	case task.RPC, task.SessionLost, task.Limit:
		return 3
	case task.Protocol, task.NotMCP:
		return 2
	case task.HTTP:
		if e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed {
			return 2 // with a hint at the path
		}
		return 1
	case task.Internal, task.Unreachable, task.Timeout, task.Lost, task.Unsupported:
	}
	return 0
}
