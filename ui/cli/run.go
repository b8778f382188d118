package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// call calls a tool.
func (d *desk) call() error {
	call, err := d.prepare()
	if err != nil {
		return err
	}
	if why := d.m.CanStart(d.server); why != "" {
		return exit(exitFailed, "not started: %s", why)
	}
	d.send(model.StartMsg{Server: d.server, Call: call})
	d.patient = true
	key := task.Key{Server: d.server, Call: call.ID}
	if d.a.Wait {
		return d.finish(key)
	}
	// A call that is no task, or none yet, ends with callboard.
	if err := d.through(key, func(r *model.Row) bool { return r.Key.ID != "" }); err != nil {
		return err
	}
	r := d.m.Row(key)
	if r.Key.ID == "" {
		return d.conclude(r)
	}
	if d.a.JSON {
		return d.print(reportDoc{Task: newTaskDoc(r)})
	}
	_, err = fmt.Fprintln(d.env.Out, r.Key.ID.Text().Line())
	return err
}

// prepare makes the call of what the command line says and what the server says
// of the tool.
func (d *desk) prepare() (task.Call, error) {
	data, err := d.data()
	if err != nil {
		return task.Call{}, err
	}
	list, err := d.toolList()
	if err != nil {
		return task.Call{}, err
	}
	i := slices.IndexFunc(list, func(t task.Tool) bool { return t.Name == d.a.Tool })
	if i < 0 {
		return task.Call{}, usage("the server has no tool %q (callboard tools %s lists them)", task.CleanLine(d.a.Tool, 80).Line(), d.a.Servers[0].Word())
	}
	tool := list[i]
	args, problems := compose(tool.Input, d.a.Arguments, data, false)
	if problems != "" {
		return task.Call{}, usage("the arguments do not fit: %s", problems)
	}
	d.strangers(tool)
	call := task.Call{ID: model.NewCallID(), Tool: tool.Name, Args: args, AsTask: tool.Support != task.Forbidden && !d.a.Plain, TTL: d.a.TTL}
	if tool.Support != task.ServerDecides && d.link().About.TaskCalls == task.CanNo {
		call.AsTask = false
	}
	switch {
	case d.a.TTL > 0 && !call.AsTask:
		return call, usage("--ttl is for tasks, and this call is plain")
	case d.a.TTL > 0 && tool.Support == task.ServerDecides:
		return call, usage("--ttl means nothing to this server: in %s it decides alone how long it keeps a task", task.Modern)
	case d.a.Plain && tool.Support == task.ServerDecides:
		return call, usage("--plain means nothing to this server: in %s it decides alone what becomes a task", task.Modern)
	}
	return call, nil
}

// strangers tells of arguments that the tool's schema does not name: a slip more
// often than not, yet the server may know them.
func (d *desk) strangers(tool task.Tool) {
	if tool.Input.JSONOnly != "" {
		return
	}
	for _, p := range d.a.Arguments {
		if !slices.ContainsFunc(tool.Input.Fields, func(f task.Field) bool { return f.Name == p.Name }) {
			d.note("the tool names no argument %s (%s); it is sent all the same", task.CleanLine(p.Name, 80).Line(), fieldNames(tool.Input))
		}
	}
}

// follow waits for the end of a task and prints its result; watch prints what
// happens until then.
func (d *desk) follow() error {
	id := d.a.IDs[0]
	if d.a.Command == Watch {
		d.watch = newWatcher(d.m, d.env.Out, d.a.JSON)
		d.watch.only = d.key(id)
	}
	if err := d.connected(); err != nil {
		return err
	}
	d.patient = true
	if _, err := d.row(id); err != nil {
		return err
	}
	return d.finish(d.key(id))
}

// finish waits for the end of a task or call and prints its result.
func (d *desk) finish(key task.Key) error {
	if r := d.m.Row(key); r != nil && r.Key.ID == "" && d.a.Wait && !d.a.JSON {
		if err := d.through(key, func(r *model.Row) bool { return r.Key.ID != "" }); err != nil {
			return err
		}
		if id := d.m.Row(key).Key.ID; id != "" {
			d.note("task %s", id.Text().Line())
		}
	}
	if err := d.through(key, func(*model.Row) bool { return false }); err != nil {
		return err
	}
	return d.conclude(d.m.Row(key))
}

// through waits until a row has ended, or enough says that it came far enough.
// What it asks meanwhile is answered.
func (d *desk) through(key task.Key, enough func(*model.Row) bool) error {
	for {
		var r *model.Row
		err := d.until(func() bool {
			r = d.m.Row(key)
			return r == nil || !r.Live() || enough(r) || d.asks(r)
		})
		switch {
		case err != nil:
			return err
		case r == nil:
			return exit(exitFailed, "the task was forgotten")
		case !r.Live() || enough(r):
			return nil
		}
		if err := d.meet(r); err != nil {
			return err
		}
	}
}

// conclude prints how a row ended. Its error says what the exit code should be.
func (d *desk) conclude(r *model.Row) error {
	if r.Key.ID != "" && (r.Task.Status == task.Completed || r.Task.Status == task.Failed) {
		d.send(model.ResultMsg{Key: r.Key})
		if err := d.until(func() bool { return r.Outcome != nil && !r.Outcome.Loading }); err != nil {
			return err
		}
	}
	var (
		result *task.Result
		fault  *task.Error
	)
	if o := r.Outcome; o != nil {
		result, fault = o.Result, o.Err
	}
	if result != nil && result.Err != nil {
		fault = result.Err
	}
	if d.watch == nil && fault != nil && fault.Code == needsVisit && r.Key.ID != "" {
		d.within(2*time.Second, r.MustVisit) // the pages come beside the outcome
	}
	if r.MustVisit() && d.watch == nil {
		return d.refused(r)
	}
	end := verdict(r, result, fault)
	switch {
	case d.watch != nil:
	case d.a.JSON:
		doc := reportDoc{Task: newTaskDoc(r)}
		switch {
		case result != nil && result.Err != nil:
			doc.Error = result.Raw
		case result != nil:
			doc.Result = result.Raw
		case end != nil:
			doc.Error = errorDoc(end).Error
		}
		if err := d.print(doc); err != nil {
			return err
		}
	case result != nil && result.Err == nil:
		if _, err := fmt.Fprint(d.env.Out, plain(result)); err != nil {
			return err
		}
	}
	if end != nil {
		return end
	}
	return nil
}

// verdict says how a row ended, nil for well.
func verdict(r *model.Row, result *task.Result, fault *task.Error) *Exit {
	what := "the task"
	if r.Key.ID != "" {
		what += " " + r.Key.ID.Text().Line()
	} else {
		what = "the call"
	}
	mark, why := markWords(r.Mark)
	switch {
	case mark != "" && !r.Task.Status.Terminal():
		return exit(exitFailed, "%s is %s: %s", what, mark, why)
	case r.Task.Status == task.Cancelled:
		return exit(exitFailed, "%s was cancelled%s", what, because(r.Task.Message))
	case fault != nil && result != nil:
		e := failure(what+" failed", fault)
		e.Code = exitFailed
		return e
	case fault != nil && r.Key.ID == "":
		return failure(what, fault)
	case fault != nil:
		return failure(what+" ended ("+r.Task.Status.String()+"), and its result cannot be had", fault)
	case r.Task.Status == task.Failed, result != nil && result.IsError:
		return exit(exitFailed, "%s failed%s", what, because(r.Task.Message))
	}
	return nil
}

func because(message task.Text) string {
	if message.IsZero() {
		return ""
	}
	return ": " + message.Line()
}

// plain is a result as text for a terminal or a pipe.
func plain(result *task.Result) string {
	var b strings.Builder
	for _, c := range result.Content {
		switch c.Kind {
		case task.TextContent:
			line(&b, task.Clean(c.Text).String())
		case task.EmbeddedResource:
			if c.Text != "" {
				line(&b, task.Clean(c.Text).String())
				continue
			}
			line(&b, block("resource", c))
		case task.ImageContent:
			line(&b, block("image", c))
		case task.AudioContent:
			line(&b, block("audio", c))
		case task.ResourceLink:
			line(&b, block("link", c))
		case task.OtherContent:
			line(&b, visible(string(c.Raw)))
		}
	}
	if b.Len() == 0 && result.Structured != nil {
		line(&b, visible(string(result.Structured)))
	}
	return b.String()
}

func line(b *strings.Builder, text string) {
	b.WriteString(strings.TrimRight(text, "\n") + "\n")
}

// block names content that is no text.
func block(kind string, c task.Content) string {
	words := []string{kind, task.CleanLine(c.MIME, 80).Line(), task.CleanLine(c.URI, 1024).Line()}
	if c.Size >= 0 {
		words = append(words, fmt.Sprintf("%d bytes", c.Size))
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	return "[" + strings.Join(words, " ") + "; --json has the whole of it]"
}

// data reads what --data names, nil where it is not given.
func (d *desk) data() (json.RawMessage, error) {
	if d.a.Data == "" {
		return nil, nil
	}
	raw, err := readData(d.a.Data, d.env.In)
	if err != nil {
		return nil, usage("--data cannot be read: %s", cause(err))
	}
	if !json.Valid(raw) {
		return nil, usage("--data holds no JSON")
	}
	return raw, nil
}
