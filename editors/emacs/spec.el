;;; spec.el --- a session with eglot, started by run.sh -*- lexical-binding: t -*-

(require 'package)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(require 'eglot)

(define-derived-mode codemode-script-mode prog-mode "Codemode")
(add-to-list 'auto-mode-alist '("\\.exec\\.[jt]s\\'" . codemode-script-mode))
(add-to-list 'eglot-server-programs
             `((codemode-script-mode :language-id "codemode") . (,(getenv "CODEMODE_LS") "lsp")))
(setq eglot-sync-connect 120
      eglot-confirm-server-initiated-edits nil)

(defvar passed 0)
(defvar failed 0)

(defun check (name ok &optional got)
  "Count NAME as passed when OK; else stop, showing GOT."
  (if ok
      (progn (setq passed (1+ passed)) (princ (format "ok   %s\n" name)))
    (setq failed (1+ failed))
    (princ (format "FAIL %s: got %S\n" name got))
    (error "The rest would fail because of it")))

(defmacro wait-for (name form)
  "Check NAME: FORM becomes true. Nothing here measures time."
  `(let ((n 0) value)
     (while (and (not (setq value ,form)) (< n 1200))
       (accept-process-output nil 0.1)
       (setq n (1+ n)))
     (check ,name value)))

;; eglot asks with `completing-read', which reads the terminal: a person answers here.
(defvar prompts nil)
(defvar answers '(("MCP server" . "Start") ("mcp__box__add" . "Allow once")))
(advice-add 'completing-read :override
            (lambda (prompt collection &rest _)
              (push prompt prompts)
              (let ((answer (cdr (seq-find (lambda (a) (string-match-p (regexp-quote (car a)) prompt)) answers))))
                (car (all-completions (or answer "Deny") collection)))))

(condition-case err
    (progn
      (find-file "broken.exec.ts")
      (apply #'eglot (eglot--guess-contact))
      (let ((server (eglot-current-server)))
        (check "connected" server)
        (wait-for "TRUST-1: the workspace's server is asked about"
                  (seq-find (lambda (p) (string-match-p "MCP server" p)) prompts))
        (wait-for "DIAG-1: a wrong argument is marked"
                  (progn (flymake-start)
                         (seq-find (lambda (d) (string-match-p "string" (flymake-diagnostic-text d))) (flymake-diagnostics))))
        (find-file "add.exec.ts")
        (eglot--maybe-activate-editing-mode)
        (goto-char (point-min))
        (search-forward "tools.")
        (wait-for "COMP-1: tools are offered"
                  (let ((c (eglot-completion-at-point)))
                    (and c (member "mcp__box__add"
                                   (mapcar #'string-trim (all-completions "" (nth 2 c)))))))
        (forward-char 3)
        (wait-for "HOV-1: hover"
                  (string-match-p "mcp__box__add" (format "%S" (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams)))))
        (let ((result (jsonrpc-request server :workspace/executeCommand
                                       (list :command "codemode.run"
                                             :arguments (vector (eglot--path-to-uri (buffer-file-name))))
                                       :timeout 120)))
          (check "RUN: a plain client is asked, and the script runs"
                 (and (equal (plist-get result :status) "completed")
                      (string-match-p "42" (format "%S" (plist-get result :value))))
                 result)
          (check "PERM-7: the prompt says tool and arguments"
                 (seq-find (lambda (p) (and (string-match-p "mcp__box__add" p) (string-match-p "20" p))) prompts)
                 prompts))
        (eglot-shutdown server nil 120)
        (check "a clean stop" (not (jsonrpc-running-p server)))))
  (error (princ (format "%s\n" (error-message-string err)))
         (when (zerop failed) (setq failed 1))))
(dolist (b (buffer-list)) (with-current-buffer b (set-buffer-modified-p nil)))
(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (zerop failed) 0 1))
