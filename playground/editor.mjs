// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// An editor of one file. Colours are those of the page.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--key)' },
  { tag: [tags.string, tags.content], color: 'var(--text)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.typeName, tags.labelName, tags.meta], color: 'var(--accent)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--paper)', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--line)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selection)' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--border)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: 'min(36rem, 90vw)' },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--error)' },
});

// editor puts one into parent. changed is called with each edit, refused with the length of a text that is
// longer than limit.
export function editor(parent, label, limit, changed, refused) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(), lintGutter(), history(), drawSelection(), highlightActiveLine(), yaml(), syntaxHighlighting(colours), look,
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off' }),
        EditorState.changeFilter.of(change => {
          const length = change.newDoc.length;
          if (length <= limit || length <= change.startState.doc.length) return true;
          queueMicrotask(() => refused(length));
          return false;
        }),
        EditorView.domEventHandlers({
          // A long text does not get as far as a change.
          paste(event) {
            const length = event.clipboardData?.getData('text/plain').length ?? 0;
            if (length <= limit) return false;
            event.preventDefault();
            refused(length);
            return true;
          },
        }),
        EditorView.updateListener.of(update => { if (update.docChanged) changed(); }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(text) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }); },
    focus: () => view.focus(),
    // mark shows findings as they are in the JSON of validate: line from 1, column in bytes from 1.
    mark(findings) {
      const { doc } = view.state;
      view.dispatch(setDiagnostics(view.state, findings.map(f => {
        const from = place(doc, f);
        const word = /^[^\s,:}\]#]+/.exec(doc.lineAt(from).text.slice(from - doc.lineAt(from).from));
        return { from, to: from + (word?.[0].length ?? 0), severity: f.severity, source: f.rule, message: `${f.severity}: ${f.message}` + (f.hint ? `\nhint: ${f.hint}` : '') };
      })));
    },
    jump(finding) {
      const at = place(view.state.doc, finding);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
  };
}

const encoder = new TextEncoder(), decoder = new TextDecoder();

function place(doc, { line, column }) {
  if (!line) return 0;
  const found = doc.line(Math.min(line, doc.lines));
  const before = decoder.decode(encoder.encode(found.text).subarray(0, Math.max(0, (column || 1) - 1)));
  return Math.min(found.to, found.from + before.length);
}
