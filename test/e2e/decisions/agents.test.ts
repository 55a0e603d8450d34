import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../../support/cli.ts';
import { type Block, isResult, type Line } from '../../support/lines.ts';
import { makePlace, type Place } from '../../support/place.ts';
import { put } from '../../support/put.ts';
import { CALLERS, type Caller, CELLS, type Cell, expectedFor } from './agent-matrix.ts';
import { AgentPlay, agentsWith } from './agent-play.ts';
import { MODES, type Outcome } from './hook-matrix.ts';
import { ASK_HOST, earlierSession, isAsked, refuseUntil } from './turns.ts';

const SESSIONS = [
  ...MODES.map((mode) => ({ mode, session: 'new' })),
  ...['default', 'plan'].map((mode) => ({ mode, session: 'resumed' })),
];

test.each(SESSIONS)(
  '[K4, SUB-01] an agent meets the decisions of the main thread, in the narrower mode: $mode, a $session session',
  { timeout: 120_000 },
  async ({ mode, session }) => {
    const play = new AgentPlay((caller) => callsOf(caller, place));
    const place = await makePlace((request) => play.answer(request));
    for (const cell of CELLS.filter(isRead)) put(pathOf(cell, place), 'x');
    const earlier = session === 'resumed' ? await earlierSession(place) : [];
    const args = [
      '--permission-mode',
      mode,
      '--settings',
      settingsOf(place),
      '--agents',
      agentsWith(['Bash', 'Read', 'Write']),
      '--teams',
      ...earlier,
    ];
    const cli = startCli([...STREAM_BOTH, ...ASK_HOST, ...args], { place, env: { HEDDLE_MAX_AGENTS: '100' } });
    cli.say('GO');
    const lines = await refuseUntil(cli, () => play.isOver && cli.lines.some(isResult));
    const wrong = CELLS.flatMap((cell) => {
      const expected = expectedFor(cell, mode);
      const found = outcomeOf(cell, { lines, place, results: play.results });
      return found === expected ? [] : [`${nameOf(cell)}: ${found} in the place of ${expected}`];
    });
    expect(wrong).toEqual([]);
  },
);

/** Names the file that the call is about: rules go by it. */
function nameOf({ caller, kind, rule }: Cell): string {
  return `${kind}.rule-${rule}.${caller.name}`;
}

function idOf(cell: Cell): string {
  return `toolu_${nameOf(cell).replaceAll('.', '_')}`;
}

function pathOf(cell: Cell, { cwd, root }: Place): string {
  const folders: Record<string, string> = { outside: join(root, 'outside'), protected: join(cwd, '.git', 'hooks') };
  return join(folders[cell.kind] ?? cwd, nameOf(cell));
}

function isRead({ kind }: Cell): boolean {
  return kind === 'read' || kind === 'outside';
}

function callsOf(caller: Caller, place: Place) {
  return CELLS.filter((cell) => cell.caller === caller).map((cell) => {
    const file_path = pathOf(cell, place);
    if (cell.kind === 'command') return toolUse('Bash', { command: `touch ${nameOf(cell)}` }, idOf(cell));
    if (isRead(cell)) return toolUse('Read', { file_path }, idOf(cell));
    return toolUse('Write', { file_path, content: 'x' }, idOf(cell));
  });
}

function settingsOf({ root }: Place): string {
  const rules = (rule: string) => [
    ...CALLERS.map((caller) => `Bash(touch ${nameOf({ kind: 'command', rule, caller })})`),
    `Edit(edit.rule-${rule}.*)`,
    `Edit(protected.rule-${rule}.*)`,
    `Read(read.rule-${rule}.*)`,
    `Read(/${root}/outside/outside.rule-${rule}.*)`,
  ];
  return JSON.stringify({ permissions: { allow: rules('allow'), ask: rules('ask'), deny: rules('deny') } });
}

interface Seen {
  lines: readonly Line[];
  place: Place;
  results: ReadonlyMap<string, Block>;
}

function outcomeOf(
  cell: Cell,
  { lines, place, results }: Seen,
): Outcome | 'nothing' | 'runs, and says that it did not' {
  const result = results.get(idOf(cell));
  const hasRun = !isRead(cell) && existsSync(pathOf(cell, place));
  if (!result) return 'nothing';
  if (result.is_error) {
    return hasRun ? 'runs, and says that it did not' : isAsked(lines, idOf(cell)) ? 'asks' : 'denied';
  }
  return isRead(cell) || hasRun ? 'runs' : 'nothing';
}
