package mcptest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"
)

// surveyTime is how long the survey of the demo runs.
const surveyTime = 15 * time.Minute

var askSurvey = Elicitation{
	Message: "How was the last shift? Take your time: the answer is collected later.",
	Schema: json.RawMessage(`{"type":"object","properties":{
		"load":{"type":"string","title":"Load","enum":["quiet","fair","too much"]},
		"pages":{"type":"integer","title":"Pages that woke somebody","minimum":0,"maximum":99,"default":0},
		"note":{"type":"string","title":"Note","maxLength":500}},
		"required":["load"]}`),
}

// runSurvey asks by way of a task of the client's, and polls for the answer.
func runSurvey(ctx context.Context, c *Call, _ *rand.Rand) Outcome {
	reply, err := c.ElicitAsTask(ctx, askSurvey, AsTask{TTL: surveyTime, Limit: surveyTime})
	switch {
	case err != nil:
		return unanswered(err)
	case !reply.Accepted():
		return Outcome{Content: []Content{Text("Survey: left alone, the answer was " + reply.Action + ".")}, Message: "Survey: left alone"}
	}
	return Outcome{Content: []Content{Text("Collected:\n" + string(reply.Content))}, Message: "Survey: collected"}
}
