package schema

// object copies the keywords of objects; within is the place of what applies
// to the object itself.
func (t *tamer) object(v *value, out map[string]any, within place) {
	required := t.required(v)
	t.members(v, "properties", out, func(string) (place, bool) { return t.fresh(), true })
	if len(required) > 0 {
		out["required"] = required
	}
	t.members(v, "patternProperties", out, func(p string) (place, bool) { return t.fresh(), t.pattern(p) })
	t.members(v, "dependentSchemas", out, func(string) (place, bool) { return within, true })
	for _, k := range [...]string{"additionalProperties", "propertyNames", "unevaluatedProperties"} {
		if m := v.members[k]; m != nil {
			out[k] = t.schema(m, t.fresh())
		}
	}
	needs := map[string]any{}
	if m := v.members["dependentRequired"]; m.is(object) {
		for k, names := range m.members {
			needs[k] = unique(names)
		}
	}
	if m := v.members["dependencies"]; m.is(object) { // before 2019-09 one keyword for both
		schemas, _ := out["dependentSchemas"].(map[string]any)
		for _, k := range m.keys {
			if d := m.members[k]; d.is(array) {
				needs[k] = unique(d)
			} else {
				if schemas == nil {
					schemas = map[string]any{}
				}
				schemas[k] = t.schema(d, within)
				out["dependentSchemas"] = schemas
			}
		}
	}
	if len(needs) > 0 {
		out["dependentRequired"] = needs
	}
}

// required returns what an object must have, the marks of draft 3 on the
// properties themselves included.
func (t *tamer) required(v *value) []any {
	m := v.members["required"]
	if m != nil && m.kind != array && m.kind != boolean {
		t.ill("required")
	}
	list := unique(m)
	properties := v.members["properties"]
	if !properties.is(object) {
		return list
	}
	for _, k := range properties.keys {
		if mark := properties.members[k].get("required"); mark.is(boolean) && mark.yes {
			list = append(list, k)
		}
	}
	return distinct(list)
}

// members rewrites an object of schemas; where gives the place of each, or
// leaves it out.
func (t *tamer) members(v *value, keyword string, out map[string]any, where func(string) (place, bool)) {
	m := v.members[keyword]
	if m == nil {
		return
	}
	if m.kind != object {
		t.ill(keyword)
		return
	}
	schemas := make(map[string]any, len(m.keys))
	for _, k := range m.keys {
		if t.count > maxSubschemas {
			return
		}
		if at, ok := where(k); ok {
			schemas[k] = t.schema(m.members[k], at)
		}
	}
	out[keyword] = schemas
}

// array copies the keywords of arrays.
func (t *tamer) array(v *value, out map[string]any) {
	t.list(v, "prefixItems", "prefixItems", out, place{})
	switch m := v.members["items"]; {
	case m.is(array): // before 2020-12 items was prefixItems
		if len(m.items) > 0 {
			out["prefixItems"] = t.schemas(m.items, place{})
		}
		if more := v.members["additionalItems"]; more != nil {
			out["items"] = t.schema(more, t.fresh())
		}
	case m != nil:
		out["items"] = t.schema(m, t.fresh())
	}
	for _, k := range [...]string{"contains", "unevaluatedItems"} {
		if m := v.members[k]; m != nil {
			out[k] = t.schema(m, t.fresh())
		}
	}
}

// unique returns the strings of an array, each once.
func unique(v *value) []any {
	list := []any{}
	if v.is(array) {
		for _, item := range v.items {
			if item.kind == text {
				list = append(list, item.str)
			}
		}
	}
	return distinct(list)
}

func distinct(list []any) []any {
	had := map[any]bool{}
	kept := list[:0]
	for _, e := range list {
		if !had[e] {
			had[e] = true
			kept = append(kept, e)
		}
	}
	return kept
}
