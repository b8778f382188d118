package mcpclient

import (
	"context"

	"callboard/model/task"
)

// era is what differs between generations of the protocol, and the only place
// where they differ: a session passes on to it what it does not do itself.
// Methods are those of Session; an era reports what happens to the feed that it
// was made with, and ends the feed when the session is over.
type era interface {
	about() task.About
	page(ctx context.Context, from task.Cursor) (task.Page, error)
	get(ctx context.Context, id task.ID) (task.Task, error)
	result(ctx context.Context, id task.ID) (task.Result, error)
	attend(ids []task.ID)
	answer(ctx context.Context, replies []task.Reply) (task.Receipt, error)
	cancel(ctx context.Context, id task.ID) (task.Task, error)
	tools(ctx context.Context) ([]task.Tool, error)
	start(ctx context.Context, call task.Call) error
	abandon(ctx context.Context, id task.CallID) error
	resume() task.Resume
	// close ends all goroutines and waits for them; keep says that the server
	// is not to be told.
	close(ctx context.Context, keep bool)
}
