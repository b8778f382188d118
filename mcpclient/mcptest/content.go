package mcptest

import "encoding/base64"

// Content is one content block as it goes on the wire; the functions below make the kinds of the specification, and a
// script that wants something else writes the map itself.
type Content map[string]any

// Text is a text block.
func Text(text string) Content { return Content{"type": "text", "text": text} }

// Image is an image block; mime is for example image/png.
func Image(mime string, data []byte) Content { return blob("image", mime, data) }

// Audio is an audio block; mime is for example audio/wav.
func Audio(mime string, data []byte) Content { return blob("audio", mime, data) }

func blob(kind, mime string, data []byte) Content {
	return Content{"type": kind, "mimeType": mime, "data": base64.StdEncoding.EncodeToString(data)}
}

// ResourceLink points at a resource without its text. size is in bytes; zero leaves it out, as empty strings are.
func ResourceLink(uri, name, title, description, mime string, size int) Content {
	c := Content{"type": "resource_link", "uri": uri, "name": name}
	for k, v := range map[string]string{"title": title, "description": description, "mimeType": mime} {
		if v != "" {
			c[k] = v
		}
	}
	if size > 0 {
		c["size"] = size
	}
	return c
}

// TextResource embeds a resource with text.
func TextResource(uri, mime, text string) Content {
	return Content{"type": "resource", "resource": map[string]any{"uri": uri, "mimeType": mime, "text": text}}
}

// BlobResource embeds a binary resource.
func BlobResource(uri, mime string, data []byte) Content {
	return Content{"type": "resource", "resource": map[string]any{
		"uri": uri, "mimeType": mime, "blob": base64.StdEncoding.EncodeToString(data),
	}}
}
