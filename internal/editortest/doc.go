// Package editortest is a fake editor: it speaks LSP to any server over pipes,
// as a person's editor would, and is driven by a Go test or by a
// scenario in text.
//
// # Profiles
//
// A Profile has the capabilities and the habits of a real client: vscode,
// neovim, eglot, lsp4ij, helix, zed, and plain, which can do nothing that is
// optional. They differ in position encodings, in pulling or being sent
// diagnostics, in having codemode/permission or not, in what they can show, and in
// what a closed prompt is on the wire: null (vscode, neovim, eglot, zed), an error
// (lsp4ij), or silence (plain); helix has no prompts at all.
//
// # Scenarios
//
// A scenario is a testscript (txtar) with these commands besides those of
// testscript itself. Files are named relative to the scenario's folder. A
// command that shows something writes to stdout, so `stdout`, `cmp stdout` and
// `! stdout` look at it. Every wait ends with a failure after a minute.
//
//	editor start PROFILE [COMMAND ARG...]
//		Starts the server as a child process (default: codemode-ls lsp), opens the
//		scenario's folder, and says initialize and initialized.
//	editor stop
//		shutdown and exit; shows "exit CODE".
//	editor kill
//		Hangs up without a word; waits for the server's end; shows "exit CODE".
//	open FILE, close FILE, save FILE
//	edit FILE OLD NEW
//		Replaces the first OLD by NEW, as an incremental change; \n, \t and \" are
//		read in both. Files on disk stay as they are.
//	complete PLACE
//		Shows one item a line: label, label details, and "!" when it is deprecated.
//		A PLACE is FILE:LINE:COLUMN, both from 1 and the column in characters, or
//		two words: FILE and a text of it with "|" where the cursor is.
//	accept PLACE LABEL
//		Takes a completion item; the text is edited as the editor would (snippets as
//		they are written).
//	hover PLACE, signature PLACE, definition PLACE, references PLACE
//	lens FILE
//		Shows one lens a line: LINE TITLE [COMMAND].
//	command NAME [JSON | @FILE]... [&NAME]
//		workspace/executeCommand; @FILE is that file's URI; shows the answer. With &NAME
//		it does not wait: "result NAME" shows that of a run.
//	diagnostics FILE [REGEXP]
//		Shows one a line: LINE:COLUMN SEVERITY CODE MESSAGE, in order. With REGEXP it
//		waits until one matches, with "!" until none does.
//	run FILE [&NAME] [FIELD=JSON...]
//		codemode/exec of an open document. Shows the status on the first line and the
//		result's text below; the value goes to stderr as JSON. With &NAME it does not
//		wait. FIELDs go into the request as they are.
//	result NAME
//		Waits for a run in the background and shows it like run.
//	cancel NAME
//		$/cancelRequest for a run in the background.
//	prompt REGEXP
//		Waits for a prompt (window/showMessageRequest or codemode/permission) whose
//		text or params match, and shows it.
//	answer WORDS
//		Answers the oldest open prompt: the title of a button in any case for a plain
//		prompt; "allow [once|run|session|workspace|user]", "deny [stop] [REASON]" for
//		codemode/permission; "dismiss" closes it as the profile's editor does.
//	answers WORDS
//		Answers every prompt like that from now on; "answers by hand" ends it.
//	withdrawn
//		Waits until the server has withdrawn an open prompt.
//	settings FILE
//		The value of the `codemode` section; a running server is notified.
//	call METHOD [FILE], notify METHOD [FILE]
//		Any message, with the JSON of FILE as params; call shows the answer, and
//		"! call" the error on stderr.
//	wait-notification METHOD [REGEXP]
//		Waits for a notification, or a request that the editor answers by itself,
//		and shows its params. Each is shown once.
//	documents
//		Shows what the server has asked to open (window/showDocument), one a line.
//	text FILE
//		Shows the text of an open document.
package editortest
