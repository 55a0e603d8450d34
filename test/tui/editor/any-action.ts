import fc from 'fast-check';
import type { EditorAction } from '../../../src/tui/editor/editor.ts';
import { viewOf } from './support.ts';

export const CHARACTERS = ['a', 'Z', '9', ' ', '\n', '.', '_', '\t', '漢', 'ü', '👍', '👨‍👩‍👧', '🇩🇪', 'क्षि', 'e\u0301'];

/** Every action there is, with texts that are hard. */
export const anyAction: fc.Arbitrary<EditorAction> = fc.oneof(
  fc.record({
    type: fc.constant('type' as const),
    text: fc.string({ unit: fc.constantFrom(...CHARACTERS, '\u200d', '\u0301', '\x1b', '\ud83d'), maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('paste' as const),
    text: fc.constantFrom('', 'short', 'x\n'.repeat(5), 'y'.repeat(900), '\u{10f001}'),
  }),
  fc.constant<EditorAction>({ type: 'attach', image: { mediaType: 'image/png', data: '' } }),
  fc.record({
    type: fc.constant('move' as const),
    to: fc.constantFrom('left', 'right', 'word-left', 'word-right', 'line-start', 'line-end', 'text-start', 'text-end'),
    extends: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('move-row' as const),
    by: fc.constantFrom(-1, 1),
    view: fc.constantFrom(viewOf(1), viewOf(7), viewOf(40)),
    extends: fc.boolean(),
  }),
  fc.record({ type: fc.constant('delete' as const), to: fc.constantFrom('left', 'right') }),
  fc.record({
    type: fc.constant('kill' as const),
    to: fc.constantFrom('word-left', 'word-right', 'blank-left', 'line-start', 'line-end'),
  }),
  fc.record({ type: fc.constant('case' as const), to: fc.constantFrom('upper', 'lower', 'capital') }),
  fc.constantFrom<EditorAction>(
    { type: 'yank' },
    { type: 'yank-older' },
    { type: 'undo' },
    { type: 'redo' },
    { type: 'unfold' },
  ),
  fc.record({
    type: fc.constant('replace' as const),
    from: fc.nat(30),
    to: fc.nat(30),
    text: fc.constantFrom('', 'new', '👍'),
  }),
  fc.record({ type: fc.constant('set' as const), text: fc.constantFrom('', 'other\ntext', '\u{10f001}') }),
  fc.constant<EditorAction>({ type: 'clear' }),
) as fc.Arbitrary<EditorAction>;
