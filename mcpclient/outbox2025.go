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
	late   func() []byte // makes body when it is sent; nil for none
	// again: it is sent again where that fails. A response is matched by its id,
	// so that a second one does nothing.
	again bool
	tries int
	// sent is told once it was taken, failed once it is given up; both may be nil.
	sent, failed func()
}

// resendBase is the pause before a message is sent again, four times as long with
// each further try; resendTries is how often.
const (
	resendBase  = time.Second
	resendTries = 3
)

// post puts a message into the outbox. Handlers of messages must not wait for
// the network, or the stream that they serve would stand still. It reports false
// where there is no room; failed is then the caller's to call.
func (e *era2025) post(m ownMessage) bool {
	if m.body == nil && m.late == nil {
		return true
	}
	select {
	case e.replies <- m:
		return true
	default:
		e.ep.Note("not sent, the server asks faster than it takes answers: " + m.method)
		return false
	}
}

// sendOwn is the loop of one worker of the outbox.
func (e *era2025) sendOwn() {
	for {
		select {
		case m := <-e.replies:
			e.sendOne(m)
		case <-e.life.Done():
			return
		}
	}
}

func (e *era2025) sendOne(m ownMessage) {
	if m.late != nil {
		if m.body, m.late = m.late(), nil; m.body == nil {
			return
		}
	}
	ctx, cancel := context.WithTimeout(e.life, oneWayPatience)
	defer cancel()
	switch err := e.oneWay(ctx, m.body); {
	case err == nil:
		if m.sent != nil {
			m.sent()
		}
	case e.life.Err() != nil:
	case m.again && m.tries < resendTries:
		pause := resendBase << (2 * m.tries)
		m.tries++
		e.spawn(func() {
			if wait(e.life, pause) && !e.post(m) && m.failed != nil {
				m.failed()
			}
		})
	default:
		e.ep.Note("could not send " + m.method + ": " + e.ep.explain("POST", err).Message.Line())
		if m.failed != nil {
			m.failed()
		}
	}
}

// oneWay sends a message to which no reply belongs.
func (e *era2025) oneWay(ctx context.Context, body []byte) error {
	o := newOrigin()
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
