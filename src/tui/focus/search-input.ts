import { draftOf, edit, promptOf } from '../editor/editor.ts';
import type { FocusState, FocusStep, FocusWorld, HistorySearch } from './focus-state.ts';
import { nextScope, searchHistory } from './history-search.ts';

/** A typed text, or a key with its action in the search. */
type SearchInput = { type: 'text'; text: string } | { type: 'key'; key: string; action: string | null };

/**
 * The search through history: typing narrows it, Ctrl+R finds the next, Ctrl+S takes the next scope. Enter, Tab and Escape
 * keep what was found, and Enter sends it; Ctrl+C brings back what was there before.
 */
export function takeSearchInput(state: FocusState, input: SearchInput, world: FocusWorld): FocusStep {
  const { search } = state;
  if (!search) return { state: { ...state, focus: 'editor' }, intents: [] };
  if (input.type === 'text') return narrowed(state, { ...search, query: search.query + input.text, index: 0 }, world);
  switch (input.action) {
    case 'historySearch:next':
      return narrowed(state, { ...search, index: search.index + 1 }, world);
    case 'historySearch:scope':
      return narrowed(state, { ...search, scope: nextScope(search.scope), index: 0 }, world);
    case 'historySearch:cancel': {
      const editor = edit(state.editor, { type: 'set', ...search.before });
      return { state: { ...state, editor, focus: 'editor', search: null }, intents: [] };
    }
    case 'historySearch:accept':
      return { state: kept(state), intents: [] };
    case 'historySearch:execute':
      return sent(kept(state));
    default:
      return byKey(state, search, input.key, world);
  }
}

function byKey(state: FocusState, search: HistorySearch, key: string, world: FocusWorld): FocusStep {
  if (key === 'up' || key === 'ctrl+p') return narrowed(state, { ...search, index: search.index + 1 }, world);
  if (key === 'down' || key === 'ctrl+n')
    return narrowed(state, { ...search, index: Math.max(0, search.index - 1) }, world);
  if (key === 'ctrl+u') return narrowed(state, { ...search, query: '', index: 0 }, world);
  if (key !== 'backspace' && key !== 'ctrl+h') return { state, intents: [] };
  const query = Array.from(search.query).slice(0, -1).join('');
  return narrowed(state, { ...search, query, index: 0 }, world);
}

/** Shows the match in the editor; without one, the editor keeps what it shows. */
function narrowed(state: FocusState, search: HistorySearch, world: FocusWorld): FocusStep {
  const found = search.query === '' ? [] : searchHistory(search, world);
  const index = Math.min(search.index, Math.max(0, found.length - 1));
  const match = found[index];
  const shown = match ?? (search.query === '' ? search.before : null);
  const editor = shown
    ? edit(state.editor, { type: 'set', text: shown.text, attachments: shown.attachments })
    : state.editor;
  return { state: { ...state, editor, search: { ...search, index } }, intents: [] };
}

function kept(state: FocusState): FocusState {
  return { ...state, focus: 'editor', search: null, past: null };
}

function sent(state: FocusState): FocusStep {
  const { text, images } = promptOf(state.editor);
  if (text.trim() === '' && images.length === 0) return { state, intents: [] };
  const { editor } = state;
  return {
    state: { ...state, editor: edit(editor, { type: 'clear' }) },
    intents: [
      { type: 'remember', draft: draftOf(editor) },
      { type: 'submit', text, images, priority: 'next' },
    ],
  };
}
