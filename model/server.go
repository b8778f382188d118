package model

import (
	"context"

	"callboard/model/task"
)

// Endpoint is one server that the person attached to. It outlives the
// sessions made to it. mcpclient.Endpoint is one, a test's script another.
type Endpoint interface {
	// Dial begins a session, or rejoins the one that resume names. It returns
	// when the server has answered; errors are *task.Error. ctx bounds the
	// dialling, not the session.
	Dial(ctx context.Context, resume task.Resume) (Server, error)
	// Frames returns the newest lines of the log whose Seq is above after, at most
	// limit of them, oldest first. FramesBefore returns the newest whose Seq is below
	// before: limit of them, or fewer, none only where there is none. Seq grows by
	// one from line to line. Both may be called from View, and in commands.
	Frames(after uint64, limit int) []task.Frame
	FramesBefore(before uint64, limit int) []task.Frame
	// Note adds a line about the link to the log.
	Note(line string)
}

// Server is one session with a server. All methods may be called at the same
// time from several goroutines; errors are *task.Error, or errors.ErrUnsupported
// wrapped in one.
type Server interface {
	// About returns what is known of the server now; a joined session learns.
	About() task.About
	// Next blocks until something happened, then returns it: the first batch
	// at once, further ones not more often than once in 33 ms. After the
	// session ended it returns what is left, then the error that ended it.
	Next(ctx context.Context) (task.Batch, error)
	// Page reads one page of tasks/list.
	Page(ctx context.Context, from task.Cursor) (task.Page, error)
	// Get is tasks/get. A task that the server does not know is an error of
	// kind RPC with code -32602 or -32603.
	Get(ctx context.Context, id task.ID) (task.Task, error)
	// Result is tasks/result of a task that has ended. A JSON-RPC error that
	// stands for the result is Result.Err, not an error.
	Result(ctx context.Context, id task.ID) (task.Result, error)
	// Attend holds tasks/result open for these tasks, the first ones first,
	// and for no others, so that their prompts reach us. It returns at once.
	Attend(ids []task.ID)
	// Answer sends replies to prompts, those of one task together where the
	// era lets it. An error of kind Lost means that nobody knows whether they
	// arrived. Receipt.Waits says that they are held until others follow.
	Answer(ctx context.Context, replies ...task.Reply) (task.Receipt, error)
	// Cancel is tasks/cancel; it returns the task as the server then has it,
	// or the zero Task where it took the wish and no more.
	Cancel(ctx context.Context, id task.ID) (task.Task, error)
	// Tools is tools/list, all pages.
	Tools(ctx context.Context) ([]task.Tool, error)
	// Start sends a tools/call and returns when it is on its way. What comes
	// of it arrives by Next as Started or Returned, under call.ID. ctx bounds
	// the sending, not the call.
	Start(ctx context.Context, call task.Call) error
	// Abandon cancels a plain call by notifications/cancelled.
	Abandon(ctx context.Context, id task.CallID) error
	// Resume returns what a later Dial needs to rejoin this session.
	Resume() task.Resume
	// Close ends the session's goroutines and waits for them. With keep the
	// server is not told (no DELETE), so that the session can be rejoined.
	Close(ctx context.Context, keep bool) error
}

// Memory is what outlives the program, of one server and one account on it.
// model/state has one on disk. Its methods may be called by many goroutines.
type Memory interface {
	// Recall reads what is kept. Its error says in words for a person what
	// could not be read; what is returned beside it can be used all the same.
	Recall(ctx context.Context) (task.Kept, error)
	// Keep takes in changes, in their order, beside those of other processes.
	// It returns at once; they are written within a second, a KeepSent before
	// Flush returns.
	Keep(changes ...task.Keep)
	// Flush returns when all that was kept is written, with why it could not
	// be, in words for a person.
	Flush(ctx context.Context) error
	// News blocks until another process changed what is kept, or something
	// could not be written, and returns as Recall does.
	News(ctx context.Context) (task.Kept, error)
	// Close writes what is left and gives up what other processes wait for.
	Close(ctx context.Context) error
}

// Audit is the trail of what happened and who did what, of all servers.
// model/state has one on disk. Its methods may be called by many goroutines.
type Audit interface {
	// Add takes in entries and returns at once; they are written within a
	// second. Where they come faster than they can be written, some are left
	// out, and an entry says so.
	Add(entries ...task.Entry)
	// News blocks until something could not be written, and says why, in words
	// for a person, once for each kind of trouble.
	News(ctx context.Context) error
}
