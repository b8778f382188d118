package mcptest

import "encoding/json"

// The questions of the demo: between them, each kind of field that a form may have.
var (
	// A yes or no, and an optional text.
	askApproval = Elicitation{
		Message: "Approve the rollout to production?",
		Schema: json.RawMessage(`{"type":"object","properties":{
			"approve":{"type":"boolean","title":"Approve","description":"The rollout begins at once","default":false},
			"comment":{"type":"string","title":"Comment","description":"Kept with the release","maxLength":200}},
			"required":["approve"]}`),
	}
	// Texts with a pattern, a format and lengths.
	askTicket = Elicitation{
		Message: "The incident is over. Under which ticket may it be closed, and who is told?",
		Schema: json.RawMessage(`{"type":"object","properties":{
			"ticket":{"type":"string","title":"Ticket","description":"For example OPS-1234","pattern":"^OPS-[0-9]{4}$"},
			"mail":{"type":"string","title":"Tell","description":"Who gets the summary","format":"email"},
			"summary":{"type":"string","title":"Summary","minLength":10,"maxLength":280}},
			"required":["ticket","mail","summary"]}`),
	}
	// A number and an integer with bounds and defaults.
	askScale = Elicitation{
		Message: "The queue grows by 400 jobs a minute. How far may the workers scale?",
		Schema: json.RawMessage(`{"type":"object","properties":{
			"workers":{"type":"integer","title":"Workers","description":"12 run now","minimum":1,"maximum":64,"default":16},
			"budget":{"type":"number","title":"Budget","description":"EUR an hour","minimum":0.5,"maximum":99.5}},
			"required":["workers","budget"]}`),
	}
	// One of several, with titles.
	askRegion = Elicitation{
		Message: "eu-central is slow. Which region takes over?",
		Schema: json.RawMessage(`{"type":"object","properties":{
			"region":{"type":"string","title":"Region","oneOf":[
				{"const":"eu-west","title":"Ireland (12 ms further)"},{"const":"eu-north","title":"Stockholm (18 ms further)"},
				{"const":"us-east","title":"Virginia (90 ms further)"}],"default":"eu-north"},
			"drain":{"type":"boolean","title":"Drain first","default":true}},
			"required":["region"]}`),
	}
	// One of several without titles, and one with the names of older servers.
	askSeverity = Elicitation{
		Message: "A new alert: disk latency on cache-2. How bad is it, and who takes it?",
		Schema: json.RawMessage(`{"type":"object","properties":{
			"severity":{"type":"string","title":"Severity","enum":["low","medium","high","critical"]},
			"team":{"type":"string","title":"Team","enum":["db","net","app"],"enumNames":["Databases","Network","Applications"]}},
			"required":["severity","team"]}`),
	}
	// Several of several, with and without titles, bounded.
	askChannels = Elicitation{
		Message: "Where is the maintenance of Saturday announced?",
		Schema: json.RawMessage(`{"type":"object","properties":{
			"channels":{"type":"array","title":"Channels","minItems":1,"maxItems":3,"items":{"anyOf":[
				{"const":"status","title":"Status page"},{"const":"mail","title":"Mail to customers"},
				{"const":"chat","title":"Team chat"},{"const":"app","title":"Banner in the app"}]},"default":["status"]},
			"languages":{"type":"array","title":"Languages","items":{"type":"string","enum":["en","de","fr","ja"]}}},
			"required":["channels"]}`),
	}
	// Dates and a link, all optional, with defaults.
	askWindow = Elicitation{
		Message: "When may the message broker restart? All of this may be left out: then it restarts tonight.",
		Schema: json.RawMessage(`{"type":"object","properties":{
			"day":{"type":"string","title":"Day","format":"date"},
			"notBefore":{"type":"string","title":"Not before","format":"date-time"},
			"runbook":{"type":"string","title":"Runbook","format":"uri","default":"https://wiki.example.com/runbooks/broker"},
			"attempts":{"type":"integer","title":"Attempts","minimum":1,"maximum":5,"default":2},
			"quiet":{"type":"boolean","title":"Without paging anybody"}}}`),
	}
	// Every kind at once.
	askEverything = Elicitation{
		Message: "One of each, to try the form:",
		Schema: json.RawMessage(`{"type":"object","properties":{
			"name":{"type":"string","title":"Name","description":"Letters only, two at least","minLength":2,"maxLength":40,"pattern":"^\\p{L}[\\p{L} ]*$"},
			"email":{"type":"string","title":"E-mail","format":"email","default":"ops@example.com"},
			"homepage":{"type":"string","title":"Home page","format":"uri"},
			"day":{"type":"string","title":"Day","format":"date"},
			"moment":{"type":"string","title":"Moment","format":"date-time"},
			"count":{"type":"integer","title":"Count","minimum":0,"maximum":10,"default":3},
			"ratio":{"type":"number","title":"Ratio","minimum":0,"maximum":1},
			"sure":{"type":"boolean","title":"Sure"},
			"size":{"type":"string","title":"Size","enum":["S","M","L"]},
			"colour":{"type":"string","title":"Colour","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"},{"const":"b","title":"Blue"}],"default":"g"},
			"days":{"type":"array","title":"Days","items":{"type":"string","enum":["Mon","Tue","Wed","Thu","Fri"]},"minItems":1,"maxItems":3},
			"extras":{"type":"array","title":"Extras","items":{"anyOf":[{"const":"m","title":"Monitoring"},{"const":"b","title":"Backup"}]},"default":["b"]}},
			"required":["name","count","sure","size","days"]}`),
	}
)
