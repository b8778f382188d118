package ui

// vocabulary explains the words that callboard has for what it knows.
func (s *scene) vocabulary() [][2]string {
	g := &s.t.Glyphs
	return [][2]string{
		{g.Live + " live", "the server is reached, and its own messages arrive"},
		{g.Quiet + " quiet", "the server is reached, but sends nothing by itself: it is polled"},
		{g.Down + " down", "the server is not reached; what is shown may be out of date"},
		{"STATUS " + g.Falling, "the table is sorted by it: " + g.Falling + " the greatest, or most urgent, on top; " + g.Rising + " the least, or first of the alphabet"},
		{"rejoined", "the session is one of an earlier callboard"},
		{"pushed", "the server told of the task by itself"},
		{"polled", "callboard asked for this task"},
		{"listed", "callboard asked for all tasks"},
		{"kept from before", "known before callboard was started, and not heard of since"},
		{"a ? behind a word", "it may be out of date"},
		{"cancelling", "you want it cancelled; until it has ended it may still end otherwise"},
		{"tool error", "the task completed, and its result says that the tool failed"},
		{"must visit", "the call wants an address visited first, and is then sent again"},
		{"held", "your answer waits for those to the other questions of the task"},
		{"(most likely)", "inferred: the question named no task, and this one fits"},
		{"sampling", "the server wants text in the place of a model's; you write it, or a command of yours does"},
		{"floods", "the server asks faster than anybody could read: its questions are taken in slowly"},
		{"withdrawn", "the question can no longer be answered"},
		{"draft kept", "it can no longer be answered, and what you typed can be read"},
		{"no effect seen", "the server took it, and its task has not moved since"},
		{"declined", "you told the server no"},
		{"dismissed", "you told the server that there is no answer"},
		{"expired", "the server forgot the task after its time to live"},
		{"gone", "the server forgot the task before that"},
		{g.Mark + " marked", "you marked the task: " + keyOf(s.k.Task.Cancel) + " and " + keyOf(s.k.Task.Copy) + " act on all marked ones"},
		{"paused", "rows neither move, come nor go, as many as wait would; what they say changes"},
		{"following", "the cursor stays on the task that began last"},
		{"PROD, LIVE, ...", "the server has a guard: its name is typed before anything is written to it"},
		{"push only", "the server tells of the task, but does not let it be read"},
		{"not ours", "the task was started with other credentials; it is not asked for"},
		{"unknown", "the call's reply was never seen: it may have done something"},
		{"the mouse", "a press selects, another opens; the wheel scrolls; shift selects text; --no-mouse leaves it to the terminal"},
	}
}
