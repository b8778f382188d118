package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSecretNames decides which names of a property are those of a secret.
// After a slash stands the type of the property, string without one.
func TestSecretNames(t *testing.T) {
	secret := []string{
		"password", "Password", "userPassword", "password2", "confirm_password", "dbPasswd", "passphrase", "ssh-passphrase", "pwd", "passcode",
		"secret", "clientSecret", "client_secret", "secretAnswer", "token", "accessToken", "auth-token", "github_token", "refreshToken", "csrfToken",
		"apiKey", "APIKey", "api_key", "api-key", "apikey", "API key", "OPENAI_API_KEY", "privateKey", "private key (PEM)", "awsSecretAccessKey",
		"accessKey", "signingKey", "encryption_key", "credential", "credentials", "pin", "PIN", "pinCode", "cardPin", "pin/integer",
		"otp", "otpCode", "otp/integer", "2fa_code", "one-time code", "cvv", "cvv/integer", "cvc2", "cardNumber", "credit_card_number",
		"card number/number", "ssn", "userSSN", "social security number", "recoveryPhrase", "seed phrase", "jwt", "bearerToken", "Passwort", "mot de passe",
		"contraseña", "密码", "数据库密码", "パスワード", "token/array", "password/any",
	}
	plain := []string{
		"name", "email", "comment", "keyboard", "key", "primaryKey", "primary_key", "publicKey", "public key", "foreignKey",
		"sortKey", "keyName", "monkey", "tokens", "tokens/integer", "maxTokens", "max_tokens/integer", "token/integer", "tokenCount", "tokenType",
		"token_url", "nextPageToken", "page_token", "continuation token", "progressToken", "tokenizer", "secretName", "secret_id", "secretary", "passwordPolicy",
		"password_hint", "passwordLength/integer", "password/boolean", "password/enum", "savePassword/boolean", "secret/enum", "passwordResetEmail", "password file", "passport", "passenger",
		"compass", "pinned", "pinnedMessage", "pin to top", "pinMessage", "spin", "opinion", "pineapple", "shopping", "pin/boolean",
		"hotpot", "option", "ssnake", "card", "cardholder", "discard number", "author", "authority", "bearing", "apiKeyId",
		"credentials_path", "secret/integer", "apikey/number", "keyword", "hockey", "pwdx",
	}
	types := map[string]string{
		"": `{"type":"string"}`, "integer": `{"type":"integer"}`, "number": `{"type":"number"}`, "boolean": `{"type":"boolean"}`,
		"enum": `{"enum":["a","b"]}`, "array": `{"type":"array","items":{"type":"string"}}`, "any": `{}`,
	}
	for _, name := range append(slices.Clone(secret), plain...) {
		key, kind, _ := strings.Cut(name, "/")
		property := types[kind]
		want := slices.Contains(secret, name)
		quoted, _ := json.Marshal(key)
		for how, schema := range map[string]string{
			"name":  fmt.Sprintf(`{"properties":{%s:%s}}`, quoted, property),
			"title": fmt.Sprintf(`{"properties":{"x":%s}}`, strings.Replace(property, "{", fmt.Sprintf(`{"title":%s,`, quoted), 1)),
		} {
			form := Form(json.RawMessage(strings.Replace(schema, ",}", "}", 1)))
			if len(form.Fields) != 1 || form.Fields[0].Secret != want || form.Secret != want {
				t.Errorf("%s as a %s: %+v, want secret %v", name, how, form.Fields, want)
			}
		}
	}
}

// TestSecretSchemas finds secrets by what else the schema says of them.
func TestSecretSchemas(t *testing.T) {
	for _, c := range []struct {
		name, property string
		want           bool
	}{
		{"format", `{"type":"string","format":"password"}`, true},
		{"write only", `{"type":"string","writeOnly":true}`, true},
		{"read only", `{"type":"string","readOnly":true}`, false},
		{"write only by reference", `{"$ref":"#/$defs/w"}`, true},
		{"write only of a number", `{"type":"integer","writeOnly":true}`, false},
		{"nullable", `{"type":["string","null"],"format":"password"}`, true},
		{"within an object", `{"type":"object","properties":{"user":{"type":"string"},"apiKey":{"type":"string"}}}`, true},
		{"within a list", `{"type":"array","items":{"type":"object","properties":{"password":{"type":"string"}}}}`, true},
		{"within alternatives", `{"oneOf":[{"type":"object","properties":{"a":{}}},{"type":"object","properties":{"otp":{"type":"integer"}}}]}`, true},
		{"within what is referred to", `{"$ref":"#/$defs/node"}`, true},
		{"a choice within an object", `{"type":"object","properties":{"token":{"enum":["a","b"]},"password":{"type":"boolean"}}}`, false},
		{"nothing within", `{"type":"object","properties":{"user":{"type":"string"}}}`, false},
	} {
		form := Form(json.RawMessage(`{"properties":{"x":` + c.property + `},"$defs":{"w":{"type":"string","writeOnly":true},
			"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"token":{"type":"string"}}}}}`))
		if got := form.Fields[0].Secret; got != c.want || form.Secret != c.want {
			t.Errorf("%s: secret %v, form %v, want %v", c.name, got, form.Secret, c.want)
		}
	}
	form := Form(json.RawMessage(`{"type":"object","oneOf":[{"properties":{"password":{"type":"string"}}},{"properties":{"b":{}}}]}`))
	if form.JSONOnly == "" || !form.Secret {
		t.Errorf("a form that is JSON only: %+v", form)
	}
}

// TestQuestionWarns holds that a question for a secret is called what it is,
// and that the arguments of a tool are not.
func TestQuestionWarns(t *testing.T) {
	const forbidden = "The protocol forbids a server to ask for passwords, keys or tokens by a form: give none unless you trust this server."
	const text = `{"properties":{"answer":{"type":"string"}}}`
	for _, c := range []struct{ message, schema, want string }{
		{"Deploy?", text, ""},
		{"Deploy?", `{"properties":{"password":{"type":"string"}}}`, `"password" seems to ask for a secret. ` + forbidden},
		{"Your password, please", `{"properties":{"user":{"type":"string"},"password":{"type":"string"},"apiKey":{"type":"string"}}}`,
			`"password", "apiKey" seem to ask for secrets. ` + forbidden},
		{"Deploy?", `{"properties":{"otp1":{},"otp2":{},"otp3":{},"otp4":{},"otp5":{},"otp6":{}}}`,
			`"otp1", "otp2", "otp3", "otp4", "otp5" and others seem to ask for secrets. ` + forbidden},
		{"Deploy?", `{"oneOf":[{"properties":{"password":{"type":"string"}}}],"type":"object"}`, `"password" seems to ask for a secret. ` + forbidden},
		{"Deploy?", `{"oneOf":[{"properties":{"password":{"type":"string"}}},{"properties":{"a":{}}}],"type":"object"}`, `The schema seems to ask for a secret. ` + forbidden},
		{"Please enter your GitHub password to go on.", text, "The question seems to ask for a secret. " + forbidden},
		{"What's your API key?", text, "The question seems to ask for a secret. " + forbidden},
		{"Please paste the access_token here", text, "The question seems to ask for a secret. " + forbidden},
		{"Please enter your password", `{"properties":{"ok":{"type":"boolean"}}}`, ""},
		{"Please enter your password", `{"type":"object","properties":{}}`, ""},
		{"The password was changed. Deploy?", text, ""},
		{"How many tokens may it use? Please enter a number", text, ""},
		{"Enter the name of the primary key", text, ""},
	} {
		form := Question(c.message, json.RawMessage(c.schema))
		got := ""
		for _, w := range form.Warnings {
			got += w.String()
		}
		if got != c.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.message, c.schema, got, c.want)
		}
		if plain := Form(json.RawMessage(c.schema)); len(plain.Warnings) != 0 {
			t.Errorf("%s warns without a question: %v", c.schema, plain.Warnings)
		}
	}
}
