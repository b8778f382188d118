package model

import (
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// some returns rows of many kinds, by name.
func some(now time.Time) map[string]*Row {
	row := func(name string, s task.Status, age, ttl time.Duration, edit func(*Row)) *Row {
		r := &Row{
			Key: task.Key{Server: "ops", ID: task.ID(name)}, Began: At(now.Add(-age)), Since: At(now.Add(-age)), How: task.Listed,
			Task: task.Task{ID: task.ID(name), Status: s, TTL: ttl, Message: task.Own("Reading the disk")},
		}
		if edit != nil {
			edit(r)
		}
		return r
	}
	return map[string]*Row{
		"w": row("w", task.Working, time.Minute, time.Hour, func(r *Row) {
			r.Tool = task.Own("deploy_service")
			r.Progress = &task.Progress{Done: 3, Total: 4}
		}),
		"a": row("a", task.InputRequired, 10*time.Minute, 11*time.Minute, func(r *Row) {
			r.Key.Server = "dev-eu"
			r.Task.Message = task.Own("Approve: which size? 5\" or 7\"")
			r.Progress = &task.Progress{Done: 1}
		}),
		"c": row("c", task.Completed, time.Hour, task.NoTTL, func(r *Row) { r.Tool = task.Own("Archive"); r.Task.ToolError = true }),
		"f": row("f", task.Failed, 26*time.Hour, 27*time.Hour, func(r *Row) { r.Later = task.Completed; r.Marked = true }),
		"x": row("x", task.Working, time.Hour, time.Minute, func(r *Row) { r.Mark = Expired }),
		"p": row("urn:uuid:9e0d44bd8f29", task.Working, 0, 0, func(r *Row) {
			r.Plain = true
			r.Call = &task.Call{}
			r.Tool = task.Own("importCustomers")
		}),
		"n": row("n", task.Cancelled, time.Hour, time.Hour, func(r *Row) { r.Mark = NotOurs }),
	}
}

func TestFilterLanguage(t *testing.T) {
	now := onGrid(time.Now())
	rows := some(now)
	for text, want := range map[string]string{
		"":     "acfnpwx",
		"  ":   "acfnpwx",
		"disk": "cfnpwx", "DISK reading": "cfnpwx", `"reading the"`: "cfnpwx", `"the reading"`: "", "!disk": "a", `!"the disk"`: "a",
		"status:working": "pw", "status:work": "pw", "status:": "acfnpwx", "!status:": "acfnpwx", "!status:working": "acfnx", "status:failed,c": "cfp",
		"status:asking": "a", "status:input_required": "a", "status:input-r": "a", "status:expired": "x", "status:tool-error": "c", `status:"not ours"`: "n",
		"status:calling": "p", "STATUS:Working": "pw", "status:completed": "c",
		"tool:DEPLOY": "w", "tool:deploy,arch": "cw", "server:dev": "a", "server:ops,dev": "acfnpwx", "id:uuid": "p", "id:f": "fp", "message:approve": "a",
		`message:"the disk"`: "cfnpwx", "message:size?": "a", "tool:": "acfnpwx",
		"age>5m": "acfnx", "age>=1h": "cfnx", "age>1h": "f", "age<1h": "apw", "age<=1h": "acnpwx", "age>1d": "f", "age>1d3h": "", "age>": "acfnpwx", "!age>5m": "pw",
		"ttl<2m": "an", "ttl<0s": "", "ttl<=0s": "n", "ttl>1m": "cfw", "ttl>=1m": "acfw", "ttl>100d": "c", "!ttl<2m": "cfpwx",
		"progress>50": "w", "progress>75": "", "progress>=75%": "w", "progress<80": "w", "progress<=10": "",
		"is:asking": "a", "is:live": "apw", "is:ended": "cfnx", "is:marked": "f", "is:mine": "p", "is:toolerror": "c", "is:tool-error": "c", "is:call": "p",
		"is:late": "f", "is:wish": "", "is:asking,marked": "af", "!is:live": "cfnx", "is:": "acfnpwx",
		"/^deploy/": "w", "/DEPLOY/": "", "/(?i)DEPLOY/": "w", "/which\\s/": "a", "/which\\Ssize/": "", "/the disk$/": "cfnpwx", "/dep": "w", "!/disk|size/": "",
		"/^(work|call)ing$/": "pw", "/": "", "//": "acfnpwx", "/the di/ status:f": "cf", "/^9e": "",
		"urn:uuid": "p", "uuid:9e": "p", "approve: which": "a", "5\"": "a",
		"dpsrv": "w", "depserv": "w", "dps": "w", "imcu": "p", "icust": "p", "arch": "c", "ahv": "", "deu": "a", "wrkng": "pw", "dly": "", "eploy_ice": "", "dsv": "", "bad": "",
		"disk status:failed age>1d": "f", "disk status:failed age<1d": "c", "!disk !status:asking": "", "!working !disk": "a",
		`tool:"importc`: "p", `"status:failed"`: "", "a>b": "",
	} {
		f, err := parseFilter(text)
		if err != nil {
			t.Errorf("%s: %s", text, err.line())
			continue
		}
		got := ""
		for _, name := range []string{"a", "c", "f", "n", "p", "w", "x"} {
			if f.passes(rows[name], now) {
				got += name
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	for text, want := range map[string]string{
		"age>x":                      "age> takes a time such as 90s, 5m, 1h30m or 2d, not x (at character 1)",
		"über age>5":                 "age> takes a time such as 90s, 5m, 1h30m or 2d, not 5 (at character 6)",
		"ttl<-1m":                    "(at character 1)",
		"ttl<200000d":                "(at character 1)",
		"ttl>NaNd":                   "(at character 1)",
		"age:5m":                     "age is compared: age>5m (at character 1)",
		"disk progress>a%":           "progress> takes a percentage such as 50, not a% (at character 6)",
		"a /(/ b":                    "missing closing ): `(?i)(` (at character 3)",
		"status:failed,zz":           "no status begins with zz: working, asking",
		"is:odd":                     "is: knows no odd: asking, live",
		"stat:failed":                "there is no stat:, but status:; in quotes it is text (at character 1)",
		"staus:failed":               "there is no staus:, but status:",
		"sevrer:x":                   "there is no sevrer:, but server:",
		"a !":                        `"!" inverts the word right behind it (at character 3)`,
		strings.Repeat("long ", 300): "the filter is longer than 1000 bytes (at character 1)",
	} {
		if _, err := parseFilter(text); err == nil || !strings.Contains(err.line(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzFilter reads any text and asks a few rows.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"disk", `!"a b`, "/a(b/ status:failed,", "age>1d5h !ttl<=3m", "progress>5%", "is:live,a", `tool:"x,y",z`, "é:ü !", "/\\/ x/"} {
		f.Add(s)
	}
	now := onGrid(time.Now())
	rows := some(now)
	f.Fuzz(func(t *testing.T, text string) {
		x, err := parseFilter(text)
		if err != nil {
			if n := len([]rune(text)); err.at < 1 || err.at > max(n, 1) || err.line() == "" {
				t.Fatalf("%q: %+v", text, err)
			}
			return
		}
		inverted := &filter{}
		if len(x.terms) == 1 {
			inverted.terms = []term{{not: !x.terms[0].not, test: x.terms[0].test}}
		}
		for _, r := range rows {
			pass := x.passes(r, now)
			if len(x.terms) == 1 && inverted.passes(r, now) == pass {
				t.Fatalf("%q passes also when it is inverted", text)
			}
			if at := x.next(r, now); at != 0 && at <= now.UnixNano() {
				t.Fatalf("%q changes in the past", text)
			}
		}
		m := &Model{board: newBoard(nil, nil)}
		if from, found := CompleteFilter(text, len(text)/2, m); from < 0 || from > len([]rune(text)) || len(found) > candidatesMost {
			t.Fatalf("%q: %d, %q", text, from, found)
		}
	})
}
