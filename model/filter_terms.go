package model

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/model/task"
)

// statusNames are the words for a status, those of the table and those of the
// protocol.
var statusNames = [...]string{
	"working", "asking", "completed", "failed", "cancelled", "cancelling", "calling", "expired", "gone", "unknown",
	"tool error", "must visit", "not ours", "input_required",
}

// wordSet is a set of statusNames, a bit for each.
type wordSet uint16

var wordBit = func() map[string]wordSet {
	bits := map[string]wordSet{}
	for i, n := range statusNames {
		bits[n] = 1 << i
	}
	return bits
}()

var (
	protocolBits = [...]wordSet{
		task.Unknown: wordBit["unknown"], task.Working: wordBit["working"], task.InputRequired: wordBit["input_required"],
		task.Completed: wordBit["completed"], task.Failed: wordBit["failed"], task.Cancelled: wordBit["cancelled"],
	}
	callingBit, toolErrorBit = wordBit["calling"], wordBit["tool error"]
	failedBit                = wordBit["failed"]
	notOursBit, mustVisitBit = wordBit["not ours"], wordBit["must visit"]
	expiredBit, goneBit      = wordBit["expired"], wordBit["gone"]
	unknownBit               = wordBit["unknown"]
	cancellingBit, askingBit = wordBit["cancelling"], wordBit["asking"]
)

// words returns the words that stand for r's status: that of the table, and that
// of the protocol while it holds.
func (r *Row) words() wordSet {
	status := protocolBits[task.Unknown]
	if int(r.Task.Status) < len(protocolBits) {
		status = protocolBits[r.Task.Status]
	}
	switch {
	case r.Mark == NotOurs:
		return notOursBit
	case r.MustVisit():
		return status | mustVisitBit | askingBit
	case r.ToolFailed():
		return status | toolErrorBit | failedBit // the header counts both as one, and so do servers of 2025-11-25
	case r.Task.Status.Terminal():
		return status
	case r.Mark == Expired:
		return expiredBit
	case r.Mark == Gone:
		return goneBit
	case r.Mark == UnknownOutcome:
		return unknownBit
	case r.Cancelling():
		return status | cancellingBit
	case r.Asking():
		return status | askingBit
	case r.Plain:
		return status | callingBit
	}
	return status
}

// statusTest asks for one of some words.
type statusTest struct{ words wordSet }

func (t statusTest) passes(r *Row, _ time.Time) bool { return r.words()&t.words != 0 }

// newStatusTest reads the beginnings of status words, with - or _ for a space.
func newStatusTest(value string) (test, string) {
	var t statusTest
	for v := range strings.SplitSeq(value, ",") {
		if v = plainWord(v); v == "" {
			continue
		}
		was := t.words
		for i, n := range statusNames {
			if strings.HasPrefix(plainWord(n), v) {
				t.words |= 1 << i
			}
		}
		if t.words == was && !anyHas(statusNames[:], v) {
			return nil, fmt.Sprintf("no status begins with %s: %s", v, strings.Join(statusNames[:], ", "))
		}
	}
	if t.words == 0 {
		return nil, ""
	}
	return t, ""
}

func anyHas(names []string, v string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(plainWord(n), v) })
}

// plainWord makes words that differ in their spaces alike.
func plainWord(s string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// kinds are what is: asks for.
var kinds = []struct {
	name, help string
	is         func(*Row) bool
}{
	{"asking", "waits for a person", (*Row).Asking},
	{"live", "may still change", (*Row).Live},
	{"ended", "does not change any more", func(r *Row) bool { return !r.Live() }},
	{"marked", "is marked", func(r *Row) bool { return r.Marked }},
	{"mine", "was started here, or is kept for you", func(r *Row) bool { return r.Call != nil || r.Sent != nil || r.ours() }},
	{"toolerror", "completed, but its tool says that it failed", (*Row).ToolFailed},
	{"call", "is a plain call and no task", func(r *Row) bool { return r.Plain }},
	{"late", "was reported otherwise after its end", func(r *Row) bool { return r.Later != task.Unknown }},
	{"wish", "has a wish of yours that failed, or of which nobody knows", func(r *Row) bool {
		return r.Wish != nil && (r.Wish.State == WishFailed || r.Wish.State == WishUnknown || r.Wish.State == NoEffect)
	}},
}

// kindTest asks for one of some kinds.
type kindTest []func(*Row) bool

func (t kindTest) passes(r *Row, _ time.Time) bool {
	for _, is := range t {
		if is(r) {
			return true
		}
	}
	return false
}

func newKindTest(value string) (test, string) {
	var t kindTest
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.ReplaceAll(plainWord(v), "-", ""); v == "" {
			continue
		}
		n := len(t)
		var names []string
		for _, k := range kinds {
			names = append(names, k.name)
			if strings.HasPrefix(k.name, v) {
				t = append(t, k.is)
			}
		}
		if len(t) == n {
			return nil, fmt.Sprintf("is: knows no %s: %s", v, strings.Join(names, ", "))
		}
	}
	if t == nil {
		return nil, ""
	}
	return t, ""
}

// fieldTest asks for a text in one field, or for one of some.
type fieldTest struct {
	field   string
	needles []string // in lower case
}

func (t *fieldTest) passes(r *Row, _ time.Time) bool {
	var text string
	switch t.field {
	case "tool":
		text = r.Tool.String()
	case "server":
		text = r.Key.Server
	case "id":
		text = string(r.Key.ID)
	case "message":
		text = r.Task.Message.String()
	}
	for _, n := range t.needles {
		if contains(text, n) {
			return true
		}
	}
	return false
}

func newFieldTest(field, value string) test {
	parts := []string{value} // ids and messages may hold a comma
	if field == "tool" || field == "server" {
		parts = strings.Split(value, ",")
	}
	t := &fieldTest{field: field}
	for _, p := range parts {
		if p != "" {
			t.needles = append(t.needles, strings.ToLower(p))
		}
	}
	if t.needles == nil {
		return nil
	}
	return t
}

// textTest asks for a text anywhere, and where it is nowhere and fuzzy, for its
// letters in the names.
type textTest struct {
	needle string  // in lower case
	words  wordSet // the status words that hold it
	fuzzy  bool
	ids    bool // fuzzily also in ids: one of hexadecimal digits would be in all
}

func newTextTest(text string, fuzzy bool) *textTest {
	t := &textTest{needle: strings.ToLower(text)}
	t.fuzzy = fuzzy && len(t.needle) >= fuzzyLeast && len(t.needle) <= fuzzyMost && ascii(t.needle)
	t.ids = t.fuzzy && strings.Trim(t.needle, "0123456789abcdef-") != "" && strings.ContainsAny(t.needle, "ghijklmnopqrstuvwxyz")
	for i, n := range statusNames {
		if strings.Contains(n, t.needle) || strings.Contains(plainWord(n), t.needle) || t.fuzzy && fuzzily(n, t.needle) {
			t.words |= 1 << i
		}
	}
	return t
}

func (t *textTest) passes(r *Row, _ time.Time) bool {
	id, tool := string(r.Key.ID), r.Tool.String()
	switch {
	case t.words != 0 && r.words()&t.words != 0, contains(tool, t.needle), contains(id, t.needle),
		contains(r.Key.Server, t.needle), contains(r.Task.Message.String(), t.needle):
		return true
	case !t.fuzzy:
		return false
	}
	return fuzzily(tool, t.needle) || fuzzily(r.Key.Server, t.needle) || t.ids && fuzzily(id, t.needle)
}

// regexTest asks for a regular expression in any field.
type regexTest struct {
	re    *regexp.Regexp
	words wordSet
}

func (t *regexTest) passes(r *Row, _ time.Time) bool {
	return t.words != 0 && r.words()&t.words != 0 || t.re.MatchString(string(r.Key.ID)) || t.re.MatchString(r.Tool.String()) ||
		t.re.MatchString(r.Key.Server) || t.re.MatchString(r.Task.Message.String())
}

// measureExample is a value of each name that is compared.
var measureExample = map[string]string{"age": "5m", "ttl": "1m", "progress": "50"}

// cutMeasure cuts age>5m into its parts.
func cutMeasure(body string) (name, op, value string, ok bool) {
	i := strings.IndexAny(body, "<>")
	if i < 0 {
		return "", "", "", false
	}
	name = strings.ToLower(body[:i])
	if measureExample[name] == "" {
		return "", "", "", false
	}
	op, value = body[i:i+1], body[i+1:]
	if rest, found := strings.CutPrefix(value, "="); found {
		op, value = op+"=", rest
	}
	return name, op, value, true
}

func newMeasure(name, op, value string) (test, string) {
	if value == "" {
		return nil, ""
	}
	if name == "progress" {
		n, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
		if err != nil || n != n {
			return nil, fmt.Sprintf("%s%s takes a percentage such as 50, not %s", name, op, value)
		}
		return progressTest{op, n}, ""
	}
	d, ok := parseSpan(value)
	if !ok {
		return nil, fmt.Sprintf("%s%s takes a time such as 90s, 5m, 1h30m or 2d, not %s", name, op, value)
	}
	if name == "age" {
		return ageTest{op, d}, ""
	}
	return ttlTest{op, d}, ""
}

// parseSpan reads a duration as Go writes it, which may begin with days.
func parseSpan(s string) (time.Duration, bool) {
	var days time.Duration
	if n, rest, ok := strings.Cut(s, "d"); ok {
		f, err := strconv.ParseFloat(n, 64)
		if err != nil || !(f >= 0 && f <= 36500) {
			return 0, false
		}
		if days = time.Duration(f * 24 * float64(time.Hour)); rest == "" {
			return days, true
		}
		s = rest
	}
	d, err := time.ParseDuration(s)
	return days + d, err == nil && d >= 0 && d < 100*365*24*time.Hour
}

// progressTest compares how many percent are done. Where the table shows none it
// lets no row through.
type progressTest struct {
	op   string
	than float64
}

func (t progressTest) passes(r *Row, _ time.Time) bool {
	if r.Progress == nil || !r.Live() || !(r.Progress.Total > 0) {
		return false
	}
	switch n := 100 * min(max(r.Progress.Done/r.Progress.Total, 0), 1); t.op {
	case "<":
		return n < t.than
	case "<=":
		return n <= t.than
	case ">":
		return n > t.than
	default:
		return n >= t.than
	}
}

// ageTest compares how long ago a row began.
type ageTest struct {
	op   string
	than time.Duration
}

func (t ageTest) passes(r *Row, now time.Time) bool {
	return r.Began != 0 && after(t.op, now, r.Began.Time().Add(t.than))
}

func (t ageTest) next(r *Row, now time.Time) int64 {
	if r.Began == 0 {
		return 0
	}
	return crossing(t.op, r.Began.Time().Add(t.than), now)
}

// ttlTest compares how much is left of a row's time to live, as the table shows
// it: one that is kept without limit has more than any.
type ttlTest struct {
	op   string
	than time.Duration
}

// turned is how the moment at which so much is left compares with now.
var turned = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (t ttlTest) passes(r *Row, now time.Time) bool {
	end, ok := r.Expiry()
	switch {
	case r.Mark == Gone || r.Mark == Expired:
		return false
	case !ok:
		return !r.Plain && r.Task.TTL == task.NoTTL && t.op[0] == '>'
	}
	return after(turned[t.op], now, end.Add(-t.than))
}

func (t ttlTest) next(r *Row, now time.Time) int64 {
	end, ok := r.Expiry()
	if !ok {
		return 0
	}
	return crossing(turned[t.op], end.Add(-t.than), now)
}

// after compares now with a moment.
func after(op string, now, moment time.Time) bool {
	switch c := now.Compare(moment); op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	default:
		return c >= 0
	}
}

// crossing returns the step of the clock with which the answer of after changes
// behind now, 0 for never.
func crossing(op string, moment, now time.Time) int64 {
	step := onGrid(moment)
	if op == ">" || op == "<=" || step.Before(moment) {
		step = step.Add(timeStep)
	}
	if !step.After(now) || step.Sub(now) > farOff {
		return 0
	}
	return step.UnixNano()
}
