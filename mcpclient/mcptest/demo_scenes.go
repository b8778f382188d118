package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// workScenes are the tasks that need nobody: one for each way to end. The first three open the show.
func workScenes() []scene {
	return []scene{
		{title: "Rebuild the product index", play: rebuildIndex},
		{title: "Research: queue back-pressure", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Research", "reading the incident log", "asking the archive", "comparing designs", "writing it up") {
				return stopped()
			}
			return Outcome{Content: []Content{Text(essay("queue back-pressure"))}, Message: "Research finished: 5 sections"}
		}},
		{title: "Backup of customers", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Backup of customers", "locking", "dumping", "compressing", "uploading", "verifying") {
				return stopped()
			}
			return backupReport(r, "customers")
		}},
		{title: "Draw the error budget", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Error budget", "collecting samples", "drawing") {
				return stopped()
			}
			return Outcome{Content: []Content{Text("Error budget of the last 28 days."), Image("image/png", chart(r))}, Message: "Chart drawn"}
		}},
		{title: "Record the shift hand-over", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Hand-over", "collecting notes", "speaking them") {
				return stopped()
			}
			return Outcome{Content: []Content{Audio("audio/wav", tone(440+r.Float64()*220)), Text("Hand-over notes of the early shift.")}, Message: "Recorded"}
		}},
		{title: "Publish the postmortem", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Postmortem", "rendering", "publishing") {
				return stopped()
			}
			return Outcome{Message: "Published", Content: []Content{
				Text("The postmortem is published."),
				ResourceLink("https://wiki.example.com/postmortems/2025-118", "postmortem-2025-118", "Postmortem 2025-118", "Checkout was slow for 41 minutes", "text/html", 18_432),
			}}
		}},
		{title: "Audit the firewall rules", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Firewall audit", "exporting", "comparing", "rating") {
				return stopped()
			}
			return Outcome{Message: "2 rules need a look", Content: []Content{
				Text("Two rules are wider than their ticket says."),
				TextResource("file:///audit/firewall.csv", "text/csv", "rule,from,to,port\nfw-12,0.0.0.0/0,db-1,5432\nfw-31,10.0.0.0/8,cache-2,6379\n"),
				BlobResource("file:///audit/firewall.bin", "application/octet-stream", []byte{0, 1, 2, 3, 254, 255}),
			}}
		}},
		{title: "Renew the certificates", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Certificates", "asking the authority", "proving the domain") {
				return stopped()
			}
			return Refused(-32011, "The authority refused: rate limit reached", map[string]any{"domain": "shop.example.com", "retryAfterSeconds": 3600})
		}},
		{title: "Reconcile the payments", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Reconcile", "loading the statement", "matching") {
				return stopped()
			}
			o := ToolError("17 payments have no invoice; the largest is 1,204.50 EUR.")
			o.Message = "Reconcile: 17 payments have no invoice"
			return o
		}},
		{title: "Migrate the sessions table", play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Migration", "copying rows", "catching up") {
				return stopped()
			}
			c.s.SetStatus(c.TaskID(), Cancelled, "Cancelled by the late shift: window is over")
			return stopped()
		}},
		{title: "Compact the event log", ttl: stallTTL, play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			if !steps(c, r, "Compaction", "taking the lock") {
				return stopped()
			}
			c.Status("Compaction: waiting for a lock that nobody gives back")
			c.Sleep(24 * time.Hour)
			return stopped()
		}},
	}
}

// askScenes are the tasks that need a person: one for each kind of question.
func askScenes() []scene {
	asking := func(title string, e Elicitation, done string) scene {
		return scene{title: title, ttl: questionTTL, play: func(_ context.Context, c *Call, r *rand.Rand) Outcome {
			c.Status(title + ": preparing")
			if !pause(c, r, time.Second, 2*time.Second) {
				return stopped()
			}
			return settleQuestion(c, r, title, e, done)
		}}
	}
	return []scene{
		{title: "Deploy search 5.2.0 to production", ttl: questionTTL, play: approveDeploy(2 * time.Second)},
		asking("Close the incident", askTicket, "Incident closed"),
		asking("Scale the workers", askScale, "Workers scaled"),
		asking("Choose the failover region", askRegion, "Failover prepared"),
		asking("Route the alert", askSeverity, "Alert routed"),
		asking("Announce the maintenance", askChannels, "Announced"),
		asking("Schedule the restart", askWindow, "Restart scheduled"),
		{title: "Connect the calendar", ttl: questionTTL, play: connectCalendar},
	}
}

// settleQuestion asks, and ends by what was answered.
func settleQuestion(c *Call, r *rand.Rand, title string, e Elicitation, done string) Outcome {
	reply, err := c.Elicit(e)
	switch {
	case err != nil:
		return unanswered(err)
	case !reply.Accepted():
		return Outcome{Content: []Content{Text(title + ": left alone, the answer was " + reply.Action + ".")}, Message: title + ": left alone"}
	}
	if !steps(c, r, title, "acting on the answer", "checking") {
		return stopped()
	}
	o := Outcome{Content: []Content{Text(done + ", as answered:\n" + string(reply.Content))}, Message: done}
	var answer map[string]any
	if json.Unmarshal(reply.Content, &answer) == nil && answer != nil {
		o.Structured = map[string]any{"answer": answer}
	}
	return o
}

// approveDeploy is a deploy that asks for leave after a while.
func approveDeploy(after time.Duration) script {
	return func(_ context.Context, c *Call, r *rand.Rand) Outcome {
		if after > 0 && !c.Sleep(after) {
			return stopped()
		}
		reply, err := c.Elicit(askApproval)
		if err != nil {
			return unanswered(err)
		}
		var a struct {
			Approve bool
			Comment string
		}
		if !reply.Accepted() || reply.Bind(&a) != nil || !a.Approve {
			return Outcome{Content: []Content{Text("The rollout was not approved; nothing was changed.")}, Message: "Not approved, nothing changed"}
		}
		if !steps(c, r, "Rollout", "canary 5%", "25%", "50%", "100%", "watching errors") {
			return stopped()
		}
		text := "Rolled out to 12 of 12 machines."
		if a.Comment != "" {
			text += "\nComment: " + a.Comment
		}
		return Outcome{Content: []Content{Text(text)}, Structured: map[string]any{"machines": 12, "rolledBack": false, "comment": a.Comment}, Message: "Rolled out to 12 machines"}
	}
}

func rebuildIndex(_ context.Context, c *Call, r *rand.Rand) Outcome {
	shards := 12
	for i := range shards {
		c.Status(fmt.Sprintf("Index rebuild: shard %d of %d", i+1, shards))
		c.Progress(float64(i), float64(shards), fmt.Sprintf("shard %d", i+1))
		c.Log("info", "indexer", map[string]any{"shard": i + 1, "documents": 10_000 + r.IntN(5000)})
		if !pause(c, r, time.Second, 4*time.Second) {
			return stopped()
		}
	}
	c.Progress(float64(shards), float64(shards), "")
	return Outcome{
		Content:    []Content{Text("All shards rebuilt.")},
		Structured: map[string]any{"shards": shards, "documents": 148_211, "slowest": map[string]any{"shard": 7, "seconds": 3.9}, "warnings": []string{}},
		Message:    "All 12 shards rebuilt",
	}
}

// connectCalendar asks a person to visit a page, and is told elsewhere that they did.
func connectCalendar(_ context.Context, c *Call, r *rand.Rand) Outcome {
	if !c.Sleep(2 * time.Second) {
		return stopped()
	}
	code := fmt.Sprintf("%04X-%04X", r.IntN(1<<16), r.IntN(1<<16))
	e := Elicitation{ID: "signin-" + strings.ToLower(code), URL: "https://login.example.com/device?user_code=" + code, Message: "Sign in to connect the on-call calendar. The page shows the code " + code + "."}
	reply, err := c.Elicit(e)
	if err != nil {
		return unanswered(err)
	}
	if !reply.Accepted() {
		return Outcome{Content: []Content{Text("The calendar was not connected.")}, Message: "Not connected"}
	}
	c.Status("Calendar: waiting for the sign-in page")
	if !pause(c, r, 5*time.Second, 8*time.Second) {
		return stopped()
	}
	c.ElicitationDone(e.ID)
	if !steps(c, r, "Calendar", "reading shifts") {
		return stopped()
	}
	return Outcome{Content: []Content{Text("The calendar is connected: 3 people are on call this week.")}, Message: "Calendar connected"}
}

func backupReport(r *rand.Rand, name string) Outcome {
	size := 20 + r.IntN(60)
	return Outcome{
		Content: []Content{
			Text(fmt.Sprintf("Backup of %s: %d GB, verified.", name, size)),
			ResourceLink("https://backup.example.com/"+name+"/latest", name+"-backup", "Backup of "+name, "", "application/zstd", size<<30),
		},
		Structured: map[string]any{"database": name, "gigabytes": size, "verified": true, "tables": []map[string]any{{"name": "main", "rows": 1_204_113}, {"name": "audit", "rows": 88_120}}},
		Message:    fmt.Sprintf("Backup of %s: %d GB, verified", name, size),
	}
}

// essay is a long text, so that there is something to scroll.
func essay(topic string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Report: %s\n\n", topic)
	for i, head := range []string{"What was asked", "What is known", "What was measured", "What it would cost", "What to do"} {
		fmt.Fprintf(&b, "## %d. %s\n\n", i+1, head)
		for p := range 3 {
			fmt.Fprintf(&b, "Paragraph %d on %s. The numbers of the last quarter show the same picture in every region: load comes in waves, and whoever "+
				"buffers them without a bound only moves the outage to a later hour. A bound with an honest refusal is kinder to everybody who waits.\n\n", p+1, topic)
		}
	}
	b.WriteString("A line that is wider than any terminal: " + strings.Repeat("0123456789 ", 30) + "\n")
	return b.String()
}
