package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"callboard/model/task"
)

// maxSought bounds how many parts of a schema are looked into for secrets.
const maxSought = 4000

// Question is Form for the requestedSchema of elicitation/create with its
// message. It warns of what a server must not ask for by a form: passwords,
// keys, tokens (client/elicitation, "Security Considerations").
func Question(message string, raw json.RawMessage) task.Form {
	form := Form(raw)
	const forbidden = "The protocol forbids a server to ask for passwords, keys or tokens by a form: give none unless you trust this server."
	var names []string
	free := form.JSONOnly != ""
	for i := range form.Fields {
		f := &form.Fields[i]
		if f.Secret {
			names = append(names, name(f.Name))
		}
		free = free || f.Kind == task.StringField || f.Kind == task.JSONField
	}
	const shown = 5
	more := ""
	if len(names) > shown {
		names, more = names[:shown], " and others"
	}
	warning := ""
	switch {
	case len(names) == 1:
		warning = names[0] + " seems to ask for a secret. "
	case len(names) > 0:
		warning = strings.Join(names, ", ") + more + " seem to ask for secrets. "
	case form.Secret:
		warning = "The schema seems to ask for a secret. "
	case free && asksForSecret(message):
		warning = "The question seems to ask for a secret. "
	default:
		return form
	}
	form.Warnings = slices.Insert(form.Warnings, 0, task.Own(warning+forbidden)) // before all that is less grave
	return form
}

// markSecrets sets Secret of the fields that seem to ask for one, and reports
// whether any part of the schema does.
func (s *source) markSecrets(fields []task.Field) bool {
	found := false
	properties := s.flatten(s.root, 0).members["properties"]
	for i := range fields {
		f := &fields[i]
		v := properties.get(f.Name)
		f.Secret = isSecret(f.Name, s.flatten(v, 0), f.Kind) || f.Kind == task.JSONField && s.seek(v)
		found = found || f.Secret
	}
	return found || s.seek(s.root)
}

// isSecret reports whether one property asks for a secret: by its name, title
// or format, or since it may be written and never read.
func isSecret(key string, flat flat, kind task.FieldKind) bool {
	m := flat.members
	switch kind {
	case task.BooleanField, task.ChoiceField, task.ChoicesField:
		return false
	case task.NumberField, task.IntegerField:
		return numberSecret(split(key)) || numberSecret(split(m["title"].text()))
	case task.StringField:
		if m["format"].text() == "password" || m["writeOnly"].is(boolean) && m["writeOnly"].yes {
			return true
		}
	case task.JSONField:
	}
	return namesSecret(split(key)) || namesSecret(split(m["title"].text()))
}

// seek reports whether a part of v, at any depth, asks for a secret.
func (s *source) seek(v *value) bool {
	if s.sought == nil {
		s.sought = map[*value]bool{}
	}
	var look func(v *value, depth int) bool
	look = func(v *value, depth int) bool {
		if !v.is(object) || depth > maxDepth {
			return false
		}
		if found, seen := s.sought[v]; seen || len(s.sought) >= maxSought {
			return found
		}
		s.sought[v] = false // should v come again while it is looked into
		found := s.within(v, func(part *value) bool { return look(part, depth+1) })
		s.sought[v] = found
		return found
	}
	return look(v, 0)
}

// within reports whether one of the parts of v asks for a secret, or look says
// that there is one in it.
func (s *source) within(v *value, look func(*value) bool) bool {
	if ref := v.get("$ref"); ref.is(text) && look(s.resolve(ref.str)) {
		return true
	}
	for _, k := range [...]string{"properties", "patternProperties", "dependentSchemas"} {
		list := v.get(k)
		if !list.is(object) {
			continue
		}
		for _, key := range list.keys {
			part := list.members[key]
			if k == "properties" && s.nestedSecret(key, part) || look(part) {
				return true
			}
		}
	}
	for _, k := range [...]string{"items", "additionalProperties", "contains", "if", "then", "else", "unevaluatedProperties"} {
		if look(v.get(k)) {
			return true
		}
	}
	for _, k := range [...]string{"allOf", "anyOf", "oneOf", "prefixItems", "items"} {
		if list := v.get(k); list.is(array) && slices.ContainsFunc(list.items, look) {
			return true
		}
	}
	return false
}

// nestedSecret reports whether a nested property asks for a secret, judged as
// the field that it would be.
func (s *source) nestedSecret(key string, v *value) bool {
	var f task.Field
	flat := s.flatten(v, 0)
	quiet := source{root: s.root} // its warnings are given where it is a field
	quiet.kind(&f, flat)
	return isSecret(key, flat, f.Kind)
}

// secretPhrases are what secrets are called, one word or several.
var secretPhrases = phrases(
	"password", "passwords", "passwd", "pwd", "passphrase", "passphrases", "passcode", "secret", "secrets", "token", "credential", "credentials", "creds",
	"pin", "otp", "totp", "cvv", "cvc", "ssn", "jwt", "mnemonic", "apikey", "apikeys", "apitoken", "accesskey", "accesstoken", "authtoken", "privatekey",
	"secretkey", "clientsecret", "cardnumber", "creditcard",
	"api key", "api keys", "access key", "access keys", "secret key", "private key", "private keys", "signing key", "encryption key", "auth key", "ssh key",
	"master key", "service account key", "api tokens", "access tokens", "auth tokens", "bearer",
	"card number", "credit card", "card no", "security code", "social security number", "social security",
	"one time code", "verification code", "recovery code", "recovery codes", "backup codes", "recovery phrase", "seed phrase", "2 fa", "mfa code",
	"passwort", "kennwort", "mot de passe", "contraseña", "contrasena", "senha", "пароль",
)

// secretNumbers are those of them that are numbers.
var secretNumbers = phrases("pin", "otp", "totp", "cvv", "cvc", "ssn", "passcode", "card number", "cardnumber", "security code", "one time code", "verification code")

// about are the words which, after the name of a secret, make it the name of
// something else: a token's type, a password's policy.
var about = set("type", "types", "count", "counts", "limit", "limits", "length", "size", "name", "names", "id", "ids", "url", "uri", "endpoint",
	"expiry", "expires", "expiration", "ttl", "hint", "policy", "rules", "strength", "file", "path", "dir", "location", "manager", "provider", "store",
	"format", "algorithm", "budget", "usage", "cost", "price", "position", "index", "version", "rotation", "reset", "required", "enabled", "age", "label",
	"prefix", "comment", "message", "env", "ref", "reference", "santa")

// places are the words before "token" that make it a place in a list or a
// piece of text.
var places = set("page", "next", "previous", "prev", "continuation", "cursor", "start", "stop", "end", "pagination", "progress", "sync", "resume",
	"max", "min", "cancel", "cancellation", "per", "first", "last", "pad", "mask", "special", "design")

// unspaced are the names of secrets in writing that has no spaces.
var unspaced = [...]string{"密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호"}

func phrases(list ...string) [][]string {
	out := make([][]string, len(list))
	for i, p := range list {
		out[i] = strings.Fields(p)
	}
	return out
}

func set(list ...string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, w := range list {
		out[w] = true
	}
	return out
}

// namesSecret reports whether a name, in words, is that of a secret.
func namesSecret(words []string) bool { return secretAt(words, secretPhrases) >= 0 }

// numberSecret is namesSecret for a number.
func numberSecret(words []string) bool { return secretAt(words, secretNumbers) >= 0 }

// secretAt returns where in words the name of a secret begins, -1 for nowhere.
func secretAt(words []string, names [][]string) int {
	for i, word := range words {
		for _, u := range unspaced {
			if strings.Contains(word, u) {
				return i
			}
		}
		for _, p := range names {
			if !begins(words[i:], p) {
				continue
			}
			after := ""
			if i+len(p) < len(words) {
				after = words[i+len(p)]
			}
			switch {
			case about[after]:
			case p[0] == "token" && i > 0 && places[words[i-1]]:
			case p[0] == "pin" && after != "" && after != "code" && after != "number" && !digits(after):
			default:
				return i
			}
		}
	}
	return -1
}

func begins(words, with []string) bool {
	return len(words) >= len(with) && slices.Equal(words[:len(with)], with)
}

// asking are the words with which a question asks for something.
var asking = set("enter", "provide", "type", "input", "supply", "give", "paste", "need", "needs", "share", "send", "confirm", "tell", "what", "whats",
	"your", "please", "reply", "requires", "require")

// asksForSecret reports whether a message asks for a secret: it has one's name
// within a few words after one that asks.
func asksForSecret(message string) bool {
	const near = 8
	words := split(message)
	if len(words) > 2000 {
		words = words[:2000]
	}
	for i, w := range words {
		if asking[w] && secretAt(words[i+1:min(i+1+near, len(words))], secretPhrases) >= 0 {
			return true
		}
	}
	return false
}

// split returns the words of a name or a text in lower case, however they are
// put together: apiKey, APIKey, api_key, api-key, "API key".
func split(s string) []string {
	const most = 20 << 10
	if len(s) > most {
		s = s[:most]
	}
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	all := []rune(strings.ReplaceAll(strings.ReplaceAll(s, "'", ""), "’", ""))
	for i, r := range all {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			flush()
			continue
		}
		if n := len(word); n > 0 {
			last := word[n-1]
			follows := i+1 < len(all) && unicode.IsLower(all[i+1])
			switch {
			case unicode.IsLower(last) && unicode.IsUpper(r),
				unicode.IsUpper(last) && unicode.IsUpper(r) && follows,
				unicode.IsDigit(last) != unicode.IsDigit(r):
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return out
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
