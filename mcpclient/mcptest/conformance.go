package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Conformance is a server of both eras with the tools that the official conformance suite calls in its server
// scenarios named tasks-*. Its legacy half sends prompts on GET, since the official client asks for no tasks/result
// before the task has ended.
func Conformance(opts ...Option) *Server {
	own := []Option{
		WithEra(LegacyEra | ModernEra), WithInfo("callboard-conformance", "Conformance server", "1.0.0"),
		WithPromptRoute(ByGET), WithPollInterval(200 * time.Millisecond), WithTools(conformanceTools()...),
	}
	return New(append(own, opts...)...)
}

func conformanceTools() []Tool {
	return []Tool{
		{Name: "greet", Description: "Greets, at once.", InputSchema: object(`"name":{"type":"string"}`), Run: greet},
		{
			Name: "slow_compute", Description: "Computes for some seconds.", TaskSupport: Optional, Run: slowCompute,
			InputSchema: object(`"seconds":{"type":"number","minimum":0},"label":{"type":"string"}`),
		},
		{Name: "failing_job", Description: "Ends with a tool error.", TaskSupport: Required, Run: func(_ context.Context, c *Call) Outcome {
			c.Sleep(time.Second)
			return ToolError("the job failed")
		}},
		{Name: "protocol_error_job", Description: "Ends with a JSON-RPC error.", TaskSupport: Required, Run: func(context.Context, *Call) Outcome {
			return Refused(CodeInternal, "the job broke down", nil)
		}},
		{
			Name: "confirm_delete", Description: "Asks before it deletes.", TaskSupport: Required, Run: confirmDelete,
			InputSchema: object(`"filename":{"type":"string"}`),
		},
		{Name: "multi_input", Description: "Asks two questions at once.", TaskSupport: Required, Run: multiInput},
		{
			Name: "test_tool_with_task", Description: "Asks for a name, and then works as a task.", TaskSupport: Required,
			Before: askName, Run: func(_ context.Context, c *Call) Outcome { return Answered(fmt.Sprintf("Hello, %v!", c.Data)) },
		},
	}
}

// object is an input schema of these properties.
func object(properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `}}`)
}

func greet(_ context.Context, c *Call) Outcome {
	var a struct{ Name string }
	if c.Bind(&a) != nil || a.Name == "" {
		a.Name = "World"
	}
	return Answered("Hello, " + a.Name + "!")
}

func slowCompute(_ context.Context, c *Call) Outcome {
	var a struct {
		Seconds float64
		Label   string
	}
	if c.Bind(&a) != nil || a.Seconds < 0 || a.Seconds > 3600 {
		return ToolError("seconds must be a number from 0 to 3600")
	}
	if a.Seconds > 0 && !c.Sleep(time.Duration(a.Seconds*float64(time.Second))) {
		return stopped()
	}
	return Answered(fmt.Sprintf("%s: computed for %g s", a.Label, a.Seconds))
}

// letKnow gives the client the time to learn of the task before it is asked on behalf of it: the official client
// answers a prompt of a task that it does not know yet by cancelling it.
func letKnow(c *Call) {
	if c.TaskID() != "" {
		c.Sleep(200 * time.Millisecond)
	}
}

// askConfirm and askYourName are the questions of the suite's tools.
func askConfirm(message string) Elicitation {
	return Elicitation{Message: message, Schema: json.RawMessage(`{"type":"object","properties":{"confirm":{"type":"boolean","title":"Confirm"}},"required":["confirm"]}`)}
}

func askYourName(message string) Elicitation {
	return Elicitation{Message: message, Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","title":"Name"}},"required":["name"]}`)}
}

func confirmDelete(_ context.Context, c *Call) Outcome {
	var a struct{ Filename string }
	if err := c.Bind(&a); err != nil {
		return ToolError(err.Error())
	}
	letKnow(c)
	reply, err := c.Elicit(askConfirm("Delete " + a.Filename + "?"))
	if err != nil {
		return unanswered(err)
	}
	var yes struct{ Confirm bool }
	if !reply.Accepted() || reply.Bind(&yes) != nil || !yes.Confirm {
		return Answered("Kept " + a.Filename)
	}
	return Answered("Deleted " + a.Filename)
}

func multiInput(_ context.Context, c *Call) Outcome {
	letKnow(c)
	replies, err := c.ElicitAll(
		Question{Key: "name", Elicitation: askYourName("What is your name?")},
		Question{Key: "confirm", Elicitation: askConfirm("Go on?")},
	)
	if err != nil {
		return unanswered(err)
	}
	return Answered(fmt.Sprintf("name: %s %s, confirm: %s %s", replies[0].Action, replies[0].Content, replies[1].Action, replies[1].Content))
}

func askName(_ context.Context, c *Call) *Outcome {
	letKnow(c)
	replies, err := c.ElicitAll(Question{Key: "user_name", Elicitation: askYourName("Who is to be greeted?")})
	if err != nil {
		o := unanswered(err)
		return &o
	}
	var a struct{ Name string }
	if !replies[0].Accepted() || replies[0].Bind(&a) != nil {
		o := Answered("Nobody was greeted.")
		return &o
	}
	c.Data = a.Name
	return nil
}
