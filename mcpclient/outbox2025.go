package mcpclient

import (
	"context"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

const (
	// maxOutbox bounds the responses and notifications of ours that wait to be
	// sent; a server that asks for more than that goes without.
	maxOutbox      = 256
	outboxWorkers  = 4
	oneWayPatience = 10 * time.Second
)

// ownMessage is a notification, or a response that no person gave.
type ownMessage struct {
	method string // for words
	body   []byte
}

// post puts a message into the outbox. Handlers of messages must not wait for
// the network, or the stream that they serve would stand still.
func (e *era2025) post(m ownMessage) {
	if m.body == nil {
		return
	}
	select {
	case e.replies <- m:
	default:
		e.ep.Note("not sent, the server asks faster than it takes answers: " + m.method)
	}
}

// sendOwn is the loop of one worker of the outbox.
func (e *era2025) sendOwn() {
	for {
		select {
		case m := <-e.replies:
			ctx, cancel := context.WithTimeout(e.life, oneWayPatience)
			if err := e.oneWay(ctx, m.body); err != nil && e.life.Err() == nil {
				e.ep.Note("could not send " + m.method + ": " + e.ep.explain("POST", err).Message.Line())
			}
			cancel()
		case <-e.life.Done():
			return
		}
	}
}

// oneWay sends a message to which no reply belongs.
func (e *era2025) oneWay(ctx context.Context, body []byte) error {
	o := &origin{}
	return e.tr.Post(ctx, transport.Call{
		Body:   body,
		OneWay: true,
		Handle: func(m *jsonrpc.Message) bool { return e.take(m, o, "") },
		Head:   func(h transport.Head) { o.heads.Add(1); e.skew.sample(h.Date, h.Sent, h.Received) },
	})
}

// refuse answers a request of the server with an error.
func (e *era2025) refuse(id jsonrpc.ID, method string, code int, words string) {
	body, err := jsonrpc.Refusal(id, &jsonrpc.Error{Code: code, Message: words})
	if err != nil {
		e.ep.Note("could not answer: " + task.CleanLine(err.Error(), 200).Line())
		return
	}
	e.post(ownMessage{method: "the refusal of " + task.CleanLine(method, 100).Line(), body: body})
}
