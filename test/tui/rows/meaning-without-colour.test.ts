import { describe, expect, test } from 'vitest';
import { paletteOf, THEMES } from '../../../src/tui/look/themes.ts';
import { ListPicker } from '../../../src/tui/pickers/list-picker.ts';
import { changeRows } from '../../../src/tui/questions/change-rows.ts';
import { blockToRows, brokenRows } from '../../../src/tui/rows/blocks/block-to-rows.ts';
import { diffRows } from '../../../src/tui/rows/blocks/diff-rows.ts';
import { statusRows } from '../../../src/tui/rows/live/status-row.ts';
import { NO_COLOURS, type Palette, type Row, textOfRow } from '../../../src/tui/rows/row.ts';
import { createWidths } from '../../../src/tui/rows/widths.ts';
import type { Block } from '../../../src/view/blocks.ts';
import { createViewTracker } from '../../../src/view/tracker.ts';

const contextOf = (palette: Palette) => ({
  ...{ width: 79, palette, cwd: '/project', colours: () => null },
  widths: createWidths({ byGraphemes: false, ambiguousWide: false }),
});
const plain = contextOf(NO_COLOURS);
const coloured = contextOf(paletteOf(THEMES.dark ?? null, 'all'));

const common = { id: 'b', uuids: [] };
const call = {
  id: 'c',
  name: 'Bash',
  subject: 'x',
  input: { command: 'x' },
  agent: null,
  progress: {},
  startedAt: 0,
} as never;
const todo = { id: 't', text: 'same', active: 'same', owner: null };

const ofCall = (outcome: 'done' | 'failed' | 'denied' | 'unknown'): Block => ({
  ...{ ...common, kind: 'call', call, outcome, text: 'same', data: null, patch: null, denial: null, ms: null },
});
const ofTodo = (status: 'pending' | 'in_progress' | 'completed'): Block => ({
  ...{ ...common, kind: 'todos', changed: [{ ...todo, status }], all: [], isComplete: false },
});
const ofTask = (status: 'completed' | 'failed' | 'stopped'): Block => ({
  ...{ ...common, kind: 'task', taskId: 't', status, summary: 'same', outputFile: null },
});
const ofNotice = (level: 'info' | 'warning' | 'error'): Block => ({
  ...{ ...common, kind: 'notice', notice: { level, from: '', text: 'same' } },
});
const ofOutput = (stdout: string, stderr: string): Block => ({
  ...{ ...common, kind: 'command-output', command: null, stdout, stderr },
});
const ofResult = (isError: boolean): Block => ({
  ...{ ...common, kind: 'result', isError, subtype: '', code: null, errors: [], text: 'same', isNewText: true },
  ...{ ms: 0, tokens: { in: 0, out: 0 }, costUsd: 0, denials: 0 },
});
const ofBranch = (error: string | null): Block => ({
  ...{ ...common, kind: 'branch', why: 'files', from: null, files: [], error },
});

/** States of one thing that say the same words; a person must tell them apart. */
const STATES: Record<string, Block[]> = {
  call: (['done', 'failed', 'denied', 'unknown'] as const).map(ofCall),
  todos: (['pending', 'in_progress', 'completed'] as const).map(ofTodo),
  task: (['completed', 'failed', 'stopped'] as const).map(ofTask),
  notice: (['info', 'warning', 'error'] as const).map(ofNotice),
  'command-output': [ofOutput('same', ''), ofOutput('', 'same')],
  result: [ofResult(false), ofResult(true)],
  branch: [ofBranch(null), ofBranch('files restored: none')],
};

/** Blocks that have one state only. */
const SINGLE: Record<string, Block> = {
  prompt: { ...common, kind: 'prompt', text: 'same', attachments: 0, origin: null },
  thought: { ...common, kind: 'thought', text: 'same', ms: null, tokens: null, broken: null },
  compaction: { ...common, kind: 'compaction', trigger: null, tokensBefore: null, tokensAfter: null, summary: '' },
  denial: { ...common, kind: 'denial', tool: 'Bash', agentId: null, reason: 'same' },
};

/** Answers are rendered piece by piece; what is wrong with one stands in a row of its own. */
type Kind = Exclude<Block['kind'], 'answer'>;
const KINDS = [...Object.keys(STATES), ...Object.keys(SINGLE)] as Kind[];

const texts = (rows: readonly Row[]) => rows.map((row) => textOfRow(row).trim()).join('\n');

describe('[TUI-83] no meaning by colour alone', () => {
  test.each(Object.entries(STATES))('every state of a block has words or a mark of its own: %s', (_kind, states) => {
    const seen = states.map((block) => texts(blockToRows(block as never, plain)));
    expect(new Set(seen).size, seen.join(' | ')).toBe(states.length);
  });

  test.each(KINDS)('colours add nothing to the text, and NO_COLOR leaves no sequence: %s', (kind) => {
    const blocks = STATES[kind] ?? (SINGLE[kind] ? [SINGLE[kind]] : []);
    expect(blocks).not.toEqual([]);
    for (const block of blocks) {
      const rows = blockToRows(block as never, plain);
      expect(rows.join('')).not.toContain('\x1b');
      expect(texts(blockToRows(block as never, coloured))).toBe(texts(rows));
    }
  });

  test('the tables have every kind of block', () => {
    // The compiler refuses a kind that is missing here.
    const all: Record<Kind, true> = {
      ...{ prompt: true, thought: true, call: true, 'command-output': true, todos: true, task: true, compaction: true },
      ...{ denial: true, notice: true, branch: true, result: true },
    };
    expect(Object.keys(all).sort()).toEqual([...KINDS].sort());
  });

  test('rows of changes have signs, text that does not count says so', () => {
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-same', '+same', ' same'] };
    const rows = diffRows([hunk], { context: plain, most: 9 });
    expect(new Set(rows.map((row) => textOfRow(row).replace(/^\s*\d+/, ''))).size).toBe(3);
    const lines = (['+', '-', ' '] as const).map((sign) => ({ sign, number: 1, text: 'same', words: null }));
    expect(new Set(lines.map((line) => texts(changeRows([line] as never, plain, { isWhole: false }).rows))).size).toBe(
      3,
    );
    for (const broken of ['interrupted', 'replaced', 'lost'] as const)
      expect(texts(brokenRows(broken, plain))).toMatch(/^✗ /);
  });

  test('modes have words, and what is highlighted has a mark', () => {
    const { view } = createViewTracker();
    const modes = ['default', 'plan', 'acceptEdits', 'bypassPermissions', 'dontAsk'].map((mode) =>
      texts(statusRows({ ...view, info: { ...view.info, mode } }, { own: [], hint: 'x' }, plain)),
    );
    expect(new Set(modes).size).toBe(modes.length);
    const picker = new ListPicker<string>(
      {
        ...{ hint: '', empty: '', screen: () => plain, title: () => 't', choose: () => {} },
        spans: () => [{ text: 'same' }],
        words: () => 'same',
      },
      ['a', 'b'],
    );
    const [, first = '', second = ''] = picker.rows({ columns: 80, rows: 9 }).rows.map(textOfRow);
    expect(first).not.toBe(second);
  });
});
