;; Asks the server what an eglot user asks, and prints the answers as one JSON object.  -*- lexical-binding: t -*-
;; Run by test_emacs.py: VAULTSEEK_PYTHON, VAULTSEEK_SERVE, VAULTSEEK_ROOT and VAULTSEEK_NOTE say what to start, and where.

(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(require 'eglot)
(require 'markdown-mode) ; else eglot asks for plain text instead of Markdown
(require 'json)

(setq eglot-connect-timeout 60
      eglot-sync-connect 60
      vc-handled-backends nil
      jsonrpc-default-request-timeout 60)
(define-derived-mode note-mode text-mode "Note")
(add-to-list 'auto-mode-alist '("\\.md\\'" . note-mode))
(add-to-list 'eglot-server-programs
             `(note-mode . (,(getenv "VAULTSEEK_PYTHON") "-c" ,(getenv "VAULTSEEK_SERVE"))))

(defun place (needle)
  "The position of NEEDLE, as eglot sends it."
  (goto-char (point-min))
  (search-forward needle)
  (backward-char 1)
  (eglot--TextDocumentPositionParams))

;; Else the folder of the note would be the project: there is no version control here.
(setq project-find-functions (list (lambda (_) (cons 'transient (file-name-as-directory (getenv "VAULTSEEK_ROOT"))))))

(find-file (getenv "VAULTSEEK_NOTE"))
(apply #'eglot--connect (eglot--guess-contact))
(eglot--maybe-activate-editing-mode)
(let* ((server (eglot-current-server))
       (answers
        (list :hover (jsonrpc-request server :textDocument/hover (place "[[watering]]"))
              :symbols (jsonrpc-request server :workspace/symbol '(:query "orch"))
              :definition (jsonrpc-request server :textDocument/definition (place "[[watering]]"))
              :search (jsonrpc-request server :vaultseek/search '(:query "fern"))
              :unsaved (progn
                         (goto-char (point-max))
                         (insert "\n\U0001F600 zebra\n")
                         (eglot--signal-textDocument/didChange)
                         (jsonrpc-request server :vaultseek/search '(:query "zebra"))))))
  (princ (json-serialize answers :false-object :json-false))
  (set-buffer-modified-p nil)
  (eglot-shutdown server nil 20))
