package state

func child(what string) {}
