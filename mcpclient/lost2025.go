package mcpclient

import (
	"errors"
	"net/http"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// lost is manners.lost. The outcome of a tool may speak of sessions of its own,
// so that its words count for nothing.
func (e *era2025) lost(r *request, err error) *task.Error {
	var rpc *jsonrpc.Error
	said := err != nil && errors.As(err, &rpc) && error(rpc) == err //nolint:errorlint // what is wrapped came with an HTTP status
	if r.first || r.after != "" || said && (r.outcome || !sessionLost(err, true)) || !said && !e.lostBy(err) {
		return nil
	}
	return e.gone(r.method, err)
}

// lostBy reports whether an error of the transport says that the session is
// gone. Without a session id there is none to lose by a 404.
func (e *era2025) lostBy(err error) bool {
	var status *transport.StatusError
	if errors.As(err, &status) && status.Status == http.StatusNotFound && e.resume().Session == "" {
		return false
	}
	return sessionLost(err, false)
}

// gone ends the session because the server no longer knows it.
func (e *era2025) gone(what string, err error) *task.Error {
	out := &task.Error{
		Kind:    task.SessionLost,
		Message: task.Own("the server no longer knows our session"),
		Tried:   task.Own(what + " to " + e.ep.shown),
		Advice:  task.Own("it may have been restarted; a new session sees the tasks that are not bound to the old one"),
		Err:     err,
	}
	var status *transport.StatusError
	if errors.As(err, &status) {
		out.Status = status.Status
	}
	e.ep.Note("the session is lost: " + task.CleanLine(err.Error(), 300).Line())
	e.lose(out)
	return out
}

// giveUp tells the server that a reply is no longer waited for. It does not
// wait for that to arrive.
func (e *era2025) giveUp(r request, why string) {
	if r.first || e.ep.cfg.ReadOnly || r.told != nil && r.told.Swap(true) {
		return // read-only sends no such notification
	}
	e.post(ownMessage{method: "notifications/cancelled", body: cancelled(r.id, why)})
}

func cancelled(id jsonrpc.ID, why string) []byte {
	body, err := jsonrpc.Notification("notifications/cancelled", map[string]any{"requestId": id, "reason": why})
	if err != nil {
		return nil // an id of ours and a string always encode
	}
	return body
}
