// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/schedconf/schedconf/diag"
)

var (
	errNotOpen  = errors.New("the document is not open")
	errOutdated = errors.New("there is a newer version of the document")
)

// document is a version of an open file. It never changes: an edit makes another one.
type document struct {
	uri     protocol.DocumentUri
	path    string
	version protocol.Integer
	text    *text

	// findings are made when somebody asks for the first time.
	once     sync.Once
	checked  atomic.Bool
	findings diag.List
	err      error

	// told is true once the editor has the findings; publisher.sending guards it.
	told bool
}

// documents are the open files.
type documents struct {
	lock sync.Mutex
	open map[protocol.DocumentUri]*document
}

func (d *documents) get(uri protocol.DocumentUri) (*document, bool) {
	d.lock.Lock()
	defer d.lock.Unlock()
	doc, ok := d.open[uri]
	return doc, ok
}

func (d *documents) put(doc *document) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.open[doc.uri] = doc
}

// renew has a version judged again, unless there is a newer one.
func (d *documents) renew(doc *document) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.open[doc.uri] == doc {
		d.open[doc.uri] = &document{uri: doc.uri, path: doc.path, version: doc.version, text: doc.text}
	}
}

// close reports whether the file was open.
func (d *documents) close(uri protocol.DocumentUri) bool {
	d.lock.Lock()
	defer d.lock.Unlock()
	_, ok := d.open[uri]
	delete(d.open, uri)
	return ok
}

func (d *documents) all() []*document {
	d.lock.Lock()
	defer d.lock.Unlock()
	var all []*document
	for _, doc := range d.open {
		all = append(all, doc)
	}
	return all
}

// read is the Open of a tool: the newest text of an open file.
func (d *documents) read(path string) ([]byte, bool) {
	d.lock.Lock()
	defer d.lock.Unlock()
	for _, doc := range d.open {
		if doc.path == path {
			return []byte(doc.text.string), true
		}
	}
	return nil, false
}

// change makes the edits of a notification, which count one after the other. A version that is not newer is
// refused: its edits are about a text that is gone.
func (d *documents) change(params *protocol.DidChangeTextDocumentParams) error {
	doc, ok := d.get(params.TextDocument.URI)
	if !ok {
		return fmt.Errorf("%s is not open, so that its edits mean nothing: open it first", params.TextDocument.URI)
	}
	if params.TextDocument.Version <= doc.version {
		return fmt.Errorf("%s has version %d, so that the edits to version %d are out of order and were not made: open it again", doc.uri, doc.version, params.TextDocument.Version)
	}
	t := doc.text
	for _, change := range params.ContentChanges {
		switch change := change.(type) {
		case protocol.TextDocumentContentChangeEvent:
			t = t.edited(*change.Range, change.Text)
		case protocol.TextDocumentContentChangeEventWhole:
			t = newText(change.Text, t.encoding)
		}
	}
	d.put(&document{uri: doc.uri, path: doc.path, version: params.TextDocument.Version, text: t})
	return nil
}

// pathOf is the file of a URI. A text that has none, such as one that was never saved, keeps its URI as a
// name.
func pathOf(uri protocol.DocumentUri) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/…
	}
	return filepath.FromSlash(path)
}

func uriOf(path string) protocol.DocumentUri {
	if strings.Contains(path, "://") || strings.HasPrefix(path, "untitled:") {
		return path
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String()
}
