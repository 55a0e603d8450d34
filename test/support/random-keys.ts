import { EMPTY_EDITOR, edit } from '../../src/tui/editor/editor.ts';
import { layOut } from '../../src/tui/editor/layout.ts';
import { settle, takeInput, withFocus } from '../../src/tui/focus/focus.ts';
import {
  FIRST_FOCUS,
  type FocusState,
  type FocusWorld,
  type Intent,
  type Phase,
} from '../../src/tui/focus/focus-state.ts';
import { createInputReader } from '../../src/tui/input/input-reader.ts';
import { createVimKeys } from '../../src/tui/vim/vim-keys.ts';
import { viewOf } from '../tui/editor/support.ts';
import { WORLD } from '../tui/focus/support.ts';
import { seededRandom } from './fuzz.ts';

/** What terminals send, whole and in halves, and what none sends. */
export const RANDOM_BYTES = [
  ...[
    'a',
    'Z',
    '1',
    '2',
    ' ',
    '.',
    '/',
    '@',
    '!',
    '?',
    '\\',
    'y',
    'q',
    'é',
    '漢',
    '👍🏽',
    '👨‍👩‍👧',
    'e\u0301',
    '\u202e',
  ],
  ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)),
  ...['\x7f', '\x1b', '\x1b[', '\x1b[1;', '\x1b]', '\x1bP', '\x1b_', '\x1b[<'],
  ...['A', 'B', 'C', 'D', 'H', 'F', 'Z'].flatMap((letter) => [
    `\x1b[${letter}`,
    `\x1bO${letter}`,
    `\x1b[1;2${letter}`,
    `\x1b[1;5${letter}`,
  ]),
  ...['3', '5', '6'].map((number) => `\x1b[${number}~`),
  ...['b', 'f', 'd', 'y', 'u', 'l', 'c', 'p', 't', '<', '>', '\r', '\x7f', '_'].map((letter) => `\x1b${letter}`),
  ...['\x1b[13;2u', '\x1b[13;5u', '\x1b[99;5u', '\x1b[97;1:3u', '\x1b[57441;2u', '\x1b[27;5;106~'],
  ...['\x1b[200~short\x1b[201~', `\x1b[200~${'line\r\n'.repeat(9)}\x1b[201~`, '\x1b[200~never ends', '\x1b[201~'],
  ...['\x1b[12;40R', '\x1b]11;rgb:0/0/0\x07', '\x1b[I', '\x1b[O', '\x1b[M   '],
];

const PHASES: readonly Phase[] = ['starting', 'idle', 'busy', 'asking', 'compacting', 'lost', 'ended'];
const VIM = createVimKeys(['jj']);
const SIZES = [0, 1, 2, 3, 7, 10, 24, 40, 79, 200];

export interface RandomKeys {
  keys: number;
  /** Answers that came while a question was not yet on the screen for 300 ms, or the keys were not its. */
  strays: Intent[];
  /** States that cannot be. */
  faults: string[];
}

/**
 * Presses random keys and sends random bytes, at many sizes and in all phases, with questions, pickers and menus that
 * come and go. Throws what the code throws.
 */
export function pressRandomKeys({ keys, seed }: { keys: number; seed: number }): RandomKeys {
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const strays: Intent[] = [];
  const faults: string[] = [];
  let state: FocusState = FIRST_FOCUS;
  let world: FocusWorld = { ...WORLD, now: 0, project: 'p', sessionId: 's' };
  const reader = createInputReader({
    escapeMs: 25,
    onEvent(event) {
      const before = state;
      const step = takeInput(state, event, world);
      state = step.state;
      for (const intent of step.intents) {
        const since = world.now - (world.question?.paintedAt ?? Number.POSITIVE_INFINITY);
        if (intent.type === 'answer' && (before.focus !== 'question' || since < 300)) strays.push(intent);
        if (intent.type === 'remember') world = remembering(world, intent.draft);
      }
    },
  });
  for (let at = 0; at < keys; at++) {
    world = { ...world, now: world.now + Math.floor(random() ** 4 * 2000) };
    if (random() < 0.02) [state, world] = otherWorld(state, world, pick);
    const bytes = random() < 0.03 ? Buffer.from([Math.floor(random() * 256)]) : Buffer.from(pick(RANDOM_BYTES));
    const cut = random() < 0.05 ? Math.floor(random() * bytes.length) : bytes.length;
    reader.write(bytes.subarray(0, cut));
    reader.write(bytes.subarray(cut));
    if (state.editor.text.length > 5000) state = { ...state, editor: edit(EMPTY_EDITOR, { type: 'clear' }) };
    if (at % 50 === 0) faults.push(...faultsOf(state, world));
  }
  reader.close();
  return { keys, strays, faults };
}

function remembering(
  world: FocusWorld,
  draft: { text: string; attachments: FocusWorld['history'][number]['attachments'] },
): FocusWorld {
  const history = [...world.history, { ...draft, project: 'p', sessionId: 's' }].slice(-50);
  return { ...world, history };
}

/** The size, the phase, a question, a menu, a picker: one of them changes. */
function otherWorld(
  state: FocusState,
  world: FocusWorld,
  pick: <T>(items: readonly T[]) => T,
): [FocusState, FocusWorld] {
  switch (pick(['size', 'phase', 'question', 'menu', 'focus', 'queue', 'vim'])) {
    case 'size':
      return [state, { ...world, view: viewOf(pick(SIZES)) }];
    case 'phase':
      return [state, { ...world, phase: pick(PHASES) }];
    case 'question': {
      const question = pick([
        null,
        { paintedAt: null, takesText: false },
        { paintedAt: world.now, takesText: pick([true, false]) },
      ]);
      const next = { ...world, question };
      return [settle(state, next), next];
    }
    case 'vim':
      return [state, { ...world, vim: pick([null, VIM]) }];
    case 'menu': {
      const items = [{ label: 'x', insert: '/x ', onEnter: pick(['take', 'run', 'send'] as const) }];
      const to = Math.min(3, state.editor.text.length);
      return [state, { ...world, menu: pick([null, { from: 0, to, items }]) }];
    }
    case 'focus':
      return [
        withFocus(state, pick(['editor', 'picker', 'pager'])),
        { ...world, picker: pick([null, 'Tree', 'ModelPicker']) },
      ];
    default:
      return [state, { ...world, queued: pick([0, 1, 5]) }];
  }
}

function faultsOf({ editor, focus }: FocusState, world: FocusWorld): string[] {
  const { rows, caret } = layOut(editor, world.view);
  const row = rows[caret.row];
  return [
    ...(/[^\P{Cc}\n\t]|\p{Cs}/u.test(editor.text) ? [`a control character in ${JSON.stringify(editor.text)}`] : []),
    ...(row && row.start <= editor.caret && editor.caret <= row.end ? [] : [`the caret is in no row: ${editor.caret}`]),
    ...(focus === 'search' || editor.text === '' || editor.caret <= editor.text.length ? [] : ['the caret is outside']),
  ];
}
