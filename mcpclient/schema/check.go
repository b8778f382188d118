package schema

import (
	"encoding/json"
	"errors"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"callboard/model/task"
)

// Limits of one check.
const (
	maxContent  = 4 << 20
	maxProblems = 100
	// maxSteps bounds the work that depends on the content too, such as
	// references that double at each level of it.
	maxSteps = 1_000_000
)

// checker is the Check of one form. The schema is compiled at the first call,
// for most forms of a list of tools are never opened.
type checker struct {
	doc    map[string]any // the tamed schema until it is compiled
	fields []task.Field
	known  map[string]*task.Field
	once   sync.Once
	schema *jsonschema.Schema // nil: types are checked only

	mu    sync.Mutex // guards steps
	steps int
}

func newChecker(s *source, fields []task.Field) *checker {
	c := &checker{doc: s.tame(), fields: fields, known: make(map[string]*task.Field, len(fields))}
	for i := range fields {
		c.known[fields[i].Name] = &fields[i]
	}
	return c
}

// objectOnly is the Check of a form without a schema that can be read.
func objectOnly(content json.RawMessage) []task.Problem {
	_, problems := parseContent(content)
	return problems
}

// parseContent reads a content, or says why it is none.
func parseContent(content json.RawMessage) (*value, []task.Problem) {
	whole := func(words string) (*value, []task.Problem) {
		return nil, []task.Problem{{Text: task.Own(words)}}
	}
	if len(content) > maxContent {
		return whole("The content is larger than 4 MiB.")
	}
	v, err := parse(content)
	switch {
	case errors.Is(err, errDeep):
		return whole("The content is nested too deeply.")
	case err != nil:
		return whole("The content is not JSON yet.")
	case v.kind != object:
		return whole("The content must be a JSON object.")
	}
	return v, nil
}

// check is a task.Form's Check.
func (c *checker) check(content json.RawMessage) []task.Problem {
	v, problems := parseContent(content)
	if problems != nil {
		return problems
	}
	w := &wording{known: c.known}
	for _, key := range v.twice {
		w.at(key, "is given twice")
	}
	for _, key := range v.keys {
		if !v.members[key].sane() {
			w.at(key, "holds too long a number")
		}
		if v.members[key].repeats() {
			w.at(key, "holds one name twice")
		}
	}
	if len(w.problems) > 0 {
		return w.sorted(c.fields)
	}
	c.once.Do(c.compile)
	if c.schema != nil {
		failure, done := c.validate(v)
		if done {
			w.tree(failure)
			return w.sorted(c.fields)
		}
	}
	c.basic(v, w)
	return w.sorted(c.fields)
}

// compile compiles the tamed schema. Should that fail all the same, types are
// checked only: an answer must not be held up by a fault in a schema.
func (c *checker) compile() {
	doc := c.doc
	c.doc = nil
	if doc == nil {
		return
	}
	defer func() { _ = recover() }()
	const url = "urn:callboard:schema"
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	for _, f := range formats() {
		compiler.RegisterFormat(f)
	}
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(func(p string) (jsonschema.Regexp, error) { return compilePattern(p) })
	compiler.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "urn:callboard:steps",
		Compile: func(_ *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
			return &counter{c, weight(obj)}, nil
		},
	})
	compiler.AssertVocabs()
	if compiler.AddResource(url, doc) != nil {
		return
	}
	if schema, err := compiler.Compile(url); err == nil {
		c.schema = schema
	}
}

// noLoader refuses every document: the validator's own default opens files.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is fetched") }

// counter is a keyword that every subschema has: it counts the visits.
type counter struct {
	c      *checker
	weight int
}

// errSteps is what a validation panics with that takes too long; the
// validator has no other way out.
var errSteps = errors.New("too many steps")

// Validate ends a validation that has used up its steps.
func (n *counter) Validate(*jsonschema.ValidatorContext, any) {
	if n.c.steps += n.weight; n.c.steps > maxSteps {
		panic(errSteps)
	}
}

// weight is what one visit of a subschema costs.
func weight(obj map[string]any) int {
	n := 1 + len(obj)
	for _, k := range [...]string{"allOf", "anyOf", "oneOf", "enum", "required"} {
		if list, ok := obj[k].([]any); ok {
			n += len(list)
		}
	}
	return n
}

// validate runs the validator. It reports false where that came to no end.
func (c *checker) validate(v *value) (failure *jsonschema.ValidationError, done bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps = 0
	defer func() {
		if recover() != nil {
			failure, done = nil, false
		}
	}()
	err := c.schema.Validate(v.plain())
	errors.As(err, &failure)
	return failure, true
}

// basic checks what can be checked without the validator: what is required,
// and the types of the fields.
func (c *checker) basic(v *value, w *wording) {
	for i := range c.fields {
		f := &c.fields[i]
		m := v.members[f.Name]
		switch {
		case m == nil:
			if f.Required {
				w.at(f.Name, w.required(nil, f.Name))
			}
			continue
		case m.kind == null && f.Nullable:
			continue
		case f.Kind == task.StringField:
			if m.kind != text {
				w.at(f.Name, "must be text")
			}
			continue
		case f.Kind == task.JSONField:
			continue
		case m.kind == text && f.Kind != task.ChoiceField:
			// Encode reads what people type, which text in JSON is not.
			w.at(f.Name, "must be "+kindWords[f.Kind])
			continue
		}
		if _, err := f.Encode(string(m.raw)); err != nil {
			w.at(f.Name, err.Error())
		}
	}
}

var kindWords = map[task.FieldKind]string{
	task.NumberField: "a number", task.IntegerField: "a whole number", task.BooleanField: "yes or no",
	task.ChoicesField: "a list of its choices",
}
