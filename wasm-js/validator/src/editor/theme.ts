// The editor's look. All colours are the page's: they change with light and dark by themselves.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const layout = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--paper)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-gutters': { color: 'var(--soft)', backgroundColor: 'var(--paper)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.5rem 0 0.25rem', minWidth: '2.25rem' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--tint)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selection)', outline: '1px solid var(--edge)' },
  '.cm-placeholder': { color: 'var(--soft)' },
})

const marks = EditorView.theme({
  '.cm-rule': { borderRadius: '3px', outline: '2px solid var(--rule)', backgroundColor: 'var(--rule-tint)' },
  '.cm-rule-line': { backgroundColor: 'var(--rule-tint)' },
  '.cm-rule-allow': { '--rule': 'var(--allow)', '--rule-tint': 'var(--allow-tint)' },
  '.cm-rule-deny': { '--rule': 'var(--deny)', '--rule-tint': 'var(--deny-tint)' },
  '.cm-rule-near': { '--rule': 'var(--review)', '--rule-tint': 'transparent' },
  '.cm-rule.cm-rule-near': { outlineStyle: 'dashed' },
  '.cm-lintRange': { backgroundImage: 'none !important', paddingBottom: '0', textDecoration: 'underline 2px' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--deny)', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--review)', textUnderlineOffset: '3px' },
  '.cm-lintRange-info': { textDecoration: 'underline dotted var(--note) 2px', textUnderlineOffset: '3px' },
  '.cm-lintRange-active': { backgroundColor: 'var(--tint)' },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--deny)' },
  '.cm-gutter-lint': { width: '1.1rem' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0.25em 0.1rem 0' },
  '.cm-lint-marker': { width: '0.75em', height: '0.75em', cursor: 'default' },
  '.cm-lint-marker-error': { content: 'none', borderRadius: '50%', backgroundColor: 'var(--deny)' },
  '.cm-lint-marker-warning': {
    content: 'none',
    backgroundColor: 'var(--review)',
    clipPath: 'polygon(50% 0, 100% 100%, 0 100%)',
  },
  '.cm-lint-marker-info': { content: 'none', backgroundColor: 'var(--note)', transform: 'scale(0.7)' },
})

const floating = EditorView.theme({
  '.cm-tooltip': {
    maxWidth: 'min(34rem, 88vw)',
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--edge)',
    borderRadius: '6px',
    boxShadow: '0 4px 16px var(--shadow)',
    fontFamily: 'var(--sans)',
    fontSize: '0.875rem',
    overflow: 'hidden',
  },
  '.cm-tooltip code, .cm-completionInfo code': { fontFamily: 'var(--mono)', fontSize: '0.92em' },
  '.cm-description': { padding: '0.5rem 0.75rem', lineHeight: '1.45' },
  '.cm-description p': { margin: '0' },
  '.cm-description p + p': { marginTop: '0.25rem', color: 'var(--soft)' },
  '.cm-diagnostic': { padding: '0.5rem 0.75rem', borderLeft: '4px solid var(--note)', lineHeight: '1.45' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--deny)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--review)' },
  '.cm-diagnostic .help': { display: 'block', color: 'var(--soft)' },
  '.cm-diagnosticAction': {
    margin: '0.35rem 0 0',
    padding: '0.15rem 0.6rem',
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
    borderRadius: '4px',
    fontSize: '0.8125rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14rem' },
  '.cm-tooltip-autocomplete ul li': { padding: '0.2rem 0.5rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--on-accent)', backgroundColor: 'var(--accent)' },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.8' },
  '.cm-completionInfo': { padding: '0.5rem 0.75rem', lineHeight: '1.45' },
})

const panels = EditorView.theme({
  '.cm-panels': { color: 'var(--ink)', backgroundColor: 'var(--tint)', fontFamily: 'var(--sans)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--edge)' },
  '.cm-panel.cm-search': { padding: '0.5rem 2rem 0.5rem 0.75rem', fontSize: '0.8125rem' },
  '.cm-panel.cm-search label': { fontSize: 'inherit' },
  '.cm-textfield': {
    color: 'inherit',
    backgroundColor: 'var(--paper)',
    border: '1px solid var(--edge)',
    borderRadius: '4px',
    fontSize: 'inherit',
  },
  '.cm-button': {
    color: 'inherit',
    backgroundImage: 'none',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--edge)',
    borderRadius: '4px',
    fontSize: 'inherit',
  },
  '.cm-panel.cm-search [name=close]': { color: 'inherit', fontSize: '1.25rem', width: '1.75rem', cursor: 'pointer' },
  '.cm-searchMatch': { backgroundColor: 'var(--review-tint)', outline: '1px solid var(--review)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--selection)' },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--syntax-key)' },
  { tag: tags.string, color: 'var(--syntax-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--syntax-word)' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--soft)' },
])

export const theme = [layout, marks, floating, panels, syntaxHighlighting(colours)]
