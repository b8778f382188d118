package model

import "callboard/model/task"

// The wishes of the person: messages that the screen sends to Update.
type (
	// AnswerMsg sends a reply to a prompt. Hold keeps it until the other open
	// questions of its row are answered or held too; then all go together.
	AnswerMsg struct {
		Server string
		Reply  task.Reply
		Hold   bool
	}
	// TakeBackMsg opens a prompt again whose answer is held.
	TakeBackMsg struct{ Prompt task.PromptID }
	// AttendMsg opens a task's question (on-demand: attends it now).
	AttendMsg struct{ Key task.Key }
	// OpenedMsg says that the person consented to a URL prompt: accept is sent.
	OpenedMsg struct{ Prompt task.PromptID }
	// SampleMsg has Options.Sampler write a draft for a sampling request, in
	// place of what is typed. Where the draft changed meanwhile the text waits
	// in Ask.Sample.
	SampleMsg struct{ Prompt task.PromptID }
	// StopSampleMsg ends what SampleMsg began.
	StopSampleMsg struct{ Prompt task.PromptID }
	// TakeSampleMsg puts the text that waits in the place of what is typed.
	TakeSampleMsg struct{ Prompt task.PromptID }
	// CancelMsg cancels a task, or abandons a plain call.
	CancelMsg struct{ Key task.Key }
	// CancelManyMsg cancels those of many tasks that can be cancelled, a bounded
	// number at a time; Bulk says how far it is. nil stands for the marked rows.
	CancelManyMsg struct{ Keys []task.Key }
	// RetryBulkMsg sends those again of the last CancelManyMsg that failed or were
	// stopped.
	RetryBulkMsg struct{}
	// StopBulkMsg stops those that were not sent yet.
	StopBulkMsg struct{}
	// MarkMsg marks rows, or takes their marks away.
	MarkMsg struct {
		Keys []task.Key
		On   bool
	}
	// MarkAllMsg marks all rows that pass the filter; where On is false it takes
	// all marks away, also those of rows that the filter hides.
	MarkAllMsg struct{ On bool }
	// StartMsg sends a tools/call; the new row's key is {Server, Call: Call.ID}.
	StartMsg struct {
		Server string
		Call   task.Call
	}
	// ResultMsg fetches a row's result into its Outcome, unless it is there.
	ResultMsg struct{ Key task.Key }
	// ToolsMsg lists a server's tools, unless they are known and fresh.
	ToolsMsg struct{ Server string }
	// SelectMsg says which row the person looks at: it is polled first.
	SelectMsg struct{ Key task.Key }
	// RefreshMsg asks all links now: dials those that are down, sweeps, polls.
	RefreshMsg struct{}
	// RetryMsg sends the row's failed wish again.
	RetryMsg struct{ Key task.Key }
	// ForceMsg allows one try of what the server did not declare: cancel on
	// that row, or with a zero Key a tasks/list of every link.
	ForceMsg struct{ Key task.Key }
	// RefreshServerMsg is RefreshMsg for one link.
	RefreshServerMsg struct{ Name string }
	// ConnectMsg attaches to a further server.
	ConnectMsg struct{ Target Target }
	// DisconnectMsg lets go of one, as quitting does.
	DisconnectMsg struct{ Name string }
	// SortMsg sorts by a column; the same column again reverses.
	SortMsg struct{ By Column }
	// WatchMsg asks a server for a task that the person names by its id, and
	// keeps its handle. A row appears once the server knows the task.
	WatchMsg struct {
		Server string
		ID     task.ID
	}
	// ForgetMsg takes a row and its handle away. The task is not told: it is not
	// cancelled, and WatchMsg brings it back.
	ForgetMsg struct{ Key task.Key }
	// FilterMsg filters by text, "" for none; see parseFilter and FilterTokens. One
	// that means nothing leaves the filter before it, see Board.FilterError.
	FilterMsg struct{ Text string }
)

func (m *Model) sort(by Column) {
	m.board.sort(by)
	m.rev++
}

func (m *Model) filter(text string) {
	m.board.filterBy(text)
	m.rev++
}

func (m *Model) slice(msg sliceMsg) {
	m.board.slice(msg)
	m.rev++
}
