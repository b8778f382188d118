package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// tools are those that a person can start.
func (d *show) tools() []Tool {
	staff := func(t Tool, sc script) Tool {
		t.Run = func(ctx context.Context, c *Call) Outcome { return sc(ctx, c, d.chance()) }
		return t
	}
	return []Tool{
		staff(Tool{
			Name: "deploy_service", Title: "Deploy a service", TaskSupport: Required, Annotations: json.RawMessage(`{"destructiveHint":true}`),
			Description: "Rolls a version out in steps. Production asks for approval first.",
			Immediate:   "The rollout is queued.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{
				"service":{"type":"string","title":"Service","enum":["checkout","search","billing","gateway"]},
				"version":{"type":"string","title":"Version","description":"For example 2.14.1","pattern":"^[0-9]+\\.[0-9]+\\.[0-9]+$"},
				"environment":{"type":"string","title":"Environment","oneOf":[{"const":"staging","title":"Staging"},{"const":"production","title":"Production (asks)"}],"default":"staging"},
				"replicas":{"type":"integer","title":"Replicas","minimum":1,"maximum":24,"default":3},
				"canary":{"type":"boolean","title":"Canary first","default":true}},
				"required":["service","version"]}`),
		}, deployService),
		staff(Tool{
			Name: "backup_database", Title: "Back up a database", TaskSupport: Required, Description: "Dumps, compresses, uploads and verifies.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{
				"database":{"type":"string","title":"Database","enum":["orders","customers","audit"],"default":"orders"},
				"keepDays":{"type":"integer","title":"Days to keep","minimum":1,"maximum":365,"default":30}},"required":["database"]}`),
		}, backupDatabase),
		staff(Tool{
			Name: "research_topic", Title: "Research a topic", TaskSupport: Optional, Description: "Reads, compares and writes a report. Asks what is meant where the topic is ambiguous.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{
				"topic":{"type":"string","title":"Topic","minLength":1,"maxLength":120},
				"ambiguous":{"type":"boolean","title":"Ambiguous","description":"Asks a question half-way","default":false}},"required":["topic"]}`),
		}, researchTopic),
		staff(Tool{Name: "rebuild_index", Title: "Rebuild the product index", TaskSupport: Optional, Description: "Twelve shards, one after the other, with progress."}, rebuildIndex),
		staff(Tool{Name: "ask_everything", Title: "Try every kind of field", TaskSupport: Optional, Description: "Asks one question that has a field of each kind, and says what was answered."},
			func(_ context.Context, c *Call, r *rand.Rand) Outcome {
				return settleQuestion(c, r, "Every field", askEverything, "Understood")
			}),
		staff(Tool{Name: "connect_calendar", Title: "Connect the calendar", TaskSupport: Required, Description: "Asks to open a page, then waits until that is done."}, connectCalendar),
		staff(Tool{
			Name: "render_report", Title: "Render a report", TaskSupport: Optional, Description: "Ends with the kind of content that is chosen.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{
				"kind":{"type":"string","title":"Kind","enum":["text","long text","structured","image","audio","link","embedded"],"default":"text"}},"required":["kind"]}`),
		}, renderReport),
		staff(Tool{
			Name: "import_records", Title: "Import records", TaskSupport: Optional, Description: "Takes nested input: a source, and the mapping of its fields.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{
				"source":{"type":"object","title":"Source","properties":{
					"bucket":{"type":"string"},"prefix":{"type":"string"},
					"credentials":{"type":"object","properties":{"profile":{"type":"string","default":"default"}}}},"required":["bucket"]},
				"mapping":{"type":"array","title":"Mapping","minItems":1,"items":{"type":"object","properties":{
					"from":{"type":"string"},"to":{"type":"string"},"kind":{"type":"string","enum":["text","number","date"]}},"required":["from","to"]}},
				"dryRun":{"type":"boolean","title":"Dry run","default":true}},
				"required":["source","mapping"]}`),
		}, importRecords),
		staff(Tool{
			Name: "fail_on_purpose", Title: "Fail on purpose", TaskSupport: Optional, Description: "Fails in the way that is chosen.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{
				"how":{"type":"string","title":"How","oneOf":[{"const":"error","title":"JSON-RPC error"},{"const":"isError","title":"Result with isError"},
					{"const":"panic","title":"Panic in the tool"},{"const":"never","title":"Never ends"}],"default":"error"}},"required":["how"]}`),
		}, failOnPurpose),
		staff(Tool{
			Name: "check_health", Title: "Check the health", TaskSupport: Forbidden, Annotations: json.RawMessage(`{"readOnlyHint":true}`), Description: "A plain call with progress; answers in a few seconds.",
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"healthy":{"type":"boolean"},"hosts":{"type":"array","items":{"type":"object"}}},"required":["healthy","hosts"]}`),
		}, checkHealth),
		staff(Tool{Name: "page_somebody", Title: "Page somebody", TaskSupport: Forbidden, Description: "A plain call that asks whom, and how urgent it is."},
			func(_ context.Context, c *Call, r *rand.Rand) Outcome {
				return settleQuestion(c, r, "Page", askSeverity, "Paged")
			}),
		staff(Tool{Name: "run_survey", Title: "Run a survey", TaskSupport: Optional, Description: "Asks a question that may wait, and polls for its answer."}, runSurvey),
		staff(Tool{Name: "write_summary", Title: "Write the hand-over", TaskSupport: Optional, Description: "Asks for a text as from a model (sampling), which only clients that take such requests are asked."}, writeSummary),
		staff(Tool{Name: "read_vault", Title: "Read the vault", TaskSupport: Forbidden, Description: "Refuses until a page was visited (error -32042); works on the next call."}, d.vault()),
	}
}

func deployService(ctx context.Context, c *Call, r *rand.Rand) Outcome {
	var a struct {
		Service, Version, Environment string
		Replicas                      int
	}
	if c.Bind(&a) != nil || a.Service == "" || a.Version == "" {
		return Refused(CodeInvalidParams, "service and version are needed", nil)
	}
	what := fmt.Sprintf("Deploy %s %s", a.Service, a.Version)
	if !steps(c, r, what, "building", "testing") {
		return stopped()
	}
	if a.Environment == "production" {
		return approveDeploy(0)(ctx, c, r)
	}
	if !steps(c, r, what, "canary", "rolling out", "watching errors") {
		return stopped()
	}
	return Outcome{
		Content:    []Content{Text(what + " is live in staging.")},
		Structured: map[string]any{"service": a.Service, "version": a.Version, "replicas": max(a.Replicas, 1)},
		Message:    what + ": live",
	}
}

func backupDatabase(_ context.Context, c *Call, r *rand.Rand) Outcome {
	a := struct{ Database string }{"orders"}
	if c.Bind(&a) != nil {
		return Refused(CodeInvalidParams, "database is needed", nil)
	}
	if !steps(c, r, "Backup of "+a.Database, "locking", "dumping", "compressing", "uploading", "verifying") {
		return stopped()
	}
	return backupReport(r, a.Database)
}

func researchTopic(_ context.Context, c *Call, r *rand.Rand) Outcome {
	var a struct {
		Topic     string
		Ambiguous bool
	}
	if c.Bind(&a) != nil || a.Topic == "" {
		return Refused(CodeInvalidParams, "topic is needed", nil)
	}
	if !steps(c, r, "Research", "reading", "comparing") {
		return stopped()
	}
	if a.Ambiguous {
		reply, err := c.Elicit(Elicitation{
			Message: fmt.Sprintf("%q may mean several things. Which is it?", a.Topic),
			Schema: json.RawMessage(`{"type":"object","properties":{"meaning":{"type":"string","title":"Meaning","enum":["the technology","the company","the place"]}},
				"required":["meaning"]}`),
		})
		if err != nil {
			return unanswered(err)
		}
		var m struct{ Meaning string }
		if reply.Accepted() && reply.Bind(&m) == nil {
			a.Topic += ", " + m.Meaning
		}
	}
	if !steps(c, r, "Research", "writing it up") {
		return stopped()
	}
	return Outcome{Content: []Content{Text(essay(a.Topic))}, Message: "Research finished"}
}

func renderReport(_ context.Context, c *Call, r *rand.Rand) Outcome {
	var a struct{ Kind string }
	_ = c.Bind(&a) // the default is as good as a kind nobody knows
	if !steps(c, r, "Report", "collecting", "rendering") {
		return stopped()
	}
	o := Outcome{Message: "Report rendered"}
	switch a.Kind {
	case "long text":
		o.Content = []Content{Text(essay("the last quarter"))}
	case "structured":
		o.Content = []Content{Text("See the structured content.")}
		o.Structured = map[string]any{"quarter": "Q3", "regions": []map[string]any{{"name": "eu", "uptime": 99.98}, {"name": "us", "uptime": 99.91}}, "final": true, "note": nil}
	case "image":
		o.Content = []Content{Image("image/png", chart(r))}
	case "audio":
		o.Content = []Content{Audio("audio/wav", tone(440))}
	case "link":
		o.Content = []Content{ResourceLink("https://reports.example.com/q3", "q3", "Report Q3", "Uptime by region", "application/pdf", 120_000)}
	case "embedded":
		o.Content = []Content{TextResource("file:///reports/q3.md", "text/markdown", "# Q3\n\n- eu 99.98\n- us 99.91\n"), BlobResource("file:///reports/q3.bin", "application/octet-stream", []byte{1, 2, 3})}
	default:
		o.Content = []Content{Text("Everything was fine in Q3.")}
	}
	return o
}

func importRecords(_ context.Context, c *Call, r *rand.Rand) Outcome {
	var a struct {
		Source  struct{ Bucket string }
		Mapping []struct{ From, To, Kind string }
		DryRun  *bool
	}
	if c.Bind(&a) != nil || a.Source.Bucket == "" || len(a.Mapping) == 0 {
		return Refused(CodeInvalidParams, "source.bucket and at least one mapping are needed", map[string]any{"arguments": c.Args})
	}
	if !steps(c, r, "Import from "+a.Source.Bucket, "listing", "reading", "mapping") {
		return stopped()
	}
	dry := a.DryRun == nil || *a.DryRun
	return Outcome{
		Content:    []Content{Text(fmt.Sprintf("%d fields mapped, 4,096 records read.", len(a.Mapping)))},
		Structured: map[string]any{"records": 4096, "fields": len(a.Mapping), "written": !dry}, Message: "4,096 records read",
	}
}

func failOnPurpose(_ context.Context, c *Call, r *rand.Rand) Outcome {
	var a struct{ How string }
	_ = c.Bind(&a) // an unknown way fails by the default
	if !steps(c, r, "Failing", "gathering courage") {
		return stopped()
	}
	switch a.How {
	case "isError":
		return ToolError("This went wrong, as asked: the report says so in a tool result.")
	case "panic":
		panic("as asked")
	case "never":
		c.Status("Failing: never ends, cancel it")
		c.Sleep(handTTLMost)
		return stopped()
	default:
		return Refused(-32013, "This went wrong, as asked", map[string]any{"asked": a.How, "hint": "nothing to repair"})
	}
}

func checkHealth(_ context.Context, c *Call, r *rand.Rand) Outcome {
	hosts := []map[string]any{}
	names := []string{"web-1", "web-2", "db-1", "cache-2"}
	for i, h := range names {
		c.Progress(float64(i), float64(len(names)), h)
		c.Log("info", "health", h+" answers")
		if !pause(c, r, 500*time.Millisecond, 1500*time.Millisecond) {
			return stopped()
		}
		hosts = append(hosts, map[string]any{"host": h, "ms": 1 + r.IntN(40), "ok": true})
	}
	raw, _ := json.Marshal(map[string]any{"healthy": true, "hosts": hosts}) // plain values: this cannot fail
	return Outcome{Content: []Content{Text(string(raw))}, Structured: map[string]any{"healthy": true, "hosts": hosts}}
}

// vault refuses once, until its page counts as visited a few seconds later.
func (d *show) vault() script {
	var open atomic.Bool
	return func(_ context.Context, c *Call, r *rand.Rand) Outcome {
		if open.Load() {
			return Answered("The vault holds 3 secrets, which stay there.")
		}
		e := Elicitation{ID: fmt.Sprintf("vault-%08x", r.Uint32()), URL: "https://vault.example.com/unlock", Message: "Unlock the vault in the browser, then call again."}
		if d.s.begin() {
			go func() {
				defer d.s.work.Done()
				t := time.NewTimer(8 * time.Second)
				defer t.Stop()
				select {
				case <-t.C:
					open.Store(true)
					d.s.CompleteElicitation("", e.ID)
				case <-d.s.ctx.Done():
				}
			}()
		}
		return URLRequired("The vault is locked", e)
	}
}
