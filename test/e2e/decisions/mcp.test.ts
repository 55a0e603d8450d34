import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../../src/testing/index.ts';
import { command } from '../../hooks/support.ts';
import { STREAM_BOTH, startCli } from '../../support/cli.ts';
import { type Block, blocksOf, initOf, isResult, type Line } from '../../support/lines.ts';
import { makePlace, type Place } from '../../support/place.ts';
import { CALLERS, type Caller } from './agent-matrix.ts';
import { AgentPlay, agentsWith } from './agent-play.ts';
import { HOOKS, MODES, type Outcome } from './hook-matrix.ts';
import {
  cellsOf,
  configOf,
  expectedOfAgent,
  expectedOfMcp,
  isDenied,
  MIXED_SERVERS,
  permissionsOf,
  type RuledServer,
  SERVERS,
  toolNameOf,
} from './mcp-matrix.ts';
import { ASK_HOST, earlierSession, isAsked, refuseUntil } from './turns.ts';

const SESSIONS = [
  ...MODES.map((mode) => ({ mode, session: 'new' })),
  ...['default', 'plan'].map((mode) => ({ mode, session: 'resumed' })),
];

describe('[HK-26, K18] a tool of a server, a rule in any form, a hook and a mode', () => {
  const servers = [...SERVERS, ...MIXED_SERVERS];
  const CELLS = cellsOf(servers).flatMap((cell) => HOOKS.map((hook) => ({ ...cell, hook })));
  const nameOf = ({ hook, ...cell }: (typeof CELLS)[number]) => `${toolNameOf(cell)}-hook-${hook}`;

  test.each(SESSIONS)('$mode, a $session session', { timeout: 60_000 }, async ({ mode, session }) => {
    const script: AnswerLike[] = [];
    const place = await makePlace(() => script.shift() ?? 'Done.');
    const earlier = session === 'resumed' ? await earlierSession(place) : [];
    script.push(CELLS.map((cell) => toolUse(toolNameOf(cell), { id: nameOf(cell) }, nameOf(cell))));
    const hooks = { PreToolUse: [{ hooks: [command(HOOK_BY_NAME)] }] };
    const cli = startCli([...launch(place, { mode, servers, hooks }), ...earlier], { place });
    cli.say('go');
    const lines = await refuseUntil(cli, () => cli.lines.some(isResult));
    const blocks = lines.flatMap(({ message }) => blocksOf(message));
    const results = new Map(blocks.map((block) => [String(block.tool_use_id), block]));
    const wrong = CELLS.flatMap((cell) =>
      compared(nameOf(cell), expectedOfMcp(cell, { mode, hook: cell.hook }), { lines, place, results }),
    );
    expect(wrong).toEqual([]);
    // What a deny rule names does not exist, and all else does.
    const there = cellsOf(servers).filter((cell) => !isDenied(cell));
    const told = (initOf(lines).tools as string[]).filter((name) => name.startsWith('mcp__'));
    expect(told.toSorted()).toEqual(there.map(toolNameOf).toSorted());
  });
});

test.each(SESSIONS)(
  '[MCP-16, K4, SUB-01] an agent meets the decisions of the main thread on tools of servers, in the narrower mode: $mode, a $session session',
  { timeout: 120_000 },
  async ({ mode, session }) => {
    const CELLS = CALLERS.flatMap((caller) => cellsOf(SERVERS).map((cell) => ({ ...cell, caller })));
    const nameOf = ({ caller, ...cell }: (typeof CELLS)[number]) => `${toolNameOf(cell)}-${caller.name}`;
    const callsOf = (caller: Caller) =>
      CELLS.filter((cell) => cell.caller === caller).map((cell) =>
        toolUse(toolNameOf(cell), { id: nameOf(cell) }, nameOf(cell)),
      );
    const play = new AgentPlay(callsOf);
    const place = await makePlace((request) => play.answer(request));
    const earlier = session === 'resumed' ? await earlierSession(place) : [];
    const agents = ['--agents', agentsWith(SERVERS.map(({ name }) => `mcp__${name}`)), '--teams'];
    const cli = startCli([...launch(place, { mode, servers: SERVERS }), ...agents, ...earlier], {
      place,
      env: { HEDDLE_MAX_AGENTS: '100' },
    });
    cli.say('GO');
    const lines = await refuseUntil(cli, () => play.isOver && cli.lines.some(isResult));
    const wrong = CELLS.flatMap((cell) =>
      compared(nameOf(cell), expectedOfAgent(cell, cell.caller, mode), { lines, place, results: play.results }),
    );
    expect(wrong).toEqual([]);
  },
);

/** A hook that says what the name of the call says. */
const HOOK_BY_NAME = `case "$(cat)" in ${['allow', 'deny', 'ask']
  .map((permissionDecision) => {
    const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision };
    return `*hook-${permissionDecision}*) printf '%s' '${JSON.stringify({ hookSpecificOutput })}';;`;
  })
  .join(' ')} esac`;

interface Launched {
  mode: string;
  servers: readonly RuledServer[];
  hooks?: object;
}

function launch(place: Place, { mode, servers, hooks = {} }: Launched): string[] {
  const settings = JSON.stringify({ permissions: permissionsOf(servers), hooks });
  const args = ['--permission-mode', mode, '--settings', settings, '--mcp-config', configOf(servers, callsFile(place))];
  return [...STREAM_BOTH, ...ASK_HOST, ...args];
}

function callsFile({ root }: Place): string {
  return join(root, 'calls');
}

interface Seen {
  lines: readonly Line[];
  place: Place;
  results: ReadonlyMap<string, Block>;
}

function compared(id: string, expected: Outcome | undefined, seen: Seen): string[] {
  const found = outcomeOf(id, seen);
  return found === expected ? [] : [`${id}: ${found} in the place of ${expected}`];
}

function outcomeOf(id: string, { lines, place, results }: Seen): Outcome | 'nothing' | 'runs, and says otherwise' {
  const result = results.get(id);
  const path = callsFile(place);
  const hasRun = existsSync(path) && readFileSync(path, 'utf8').split('\n').includes(id);
  if (!result) return 'nothing';
  if (hasRun) return result.is_error || isAsked(lines, id) ? 'runs, and says otherwise' : 'runs';
  if (!result.is_error) return 'nothing';
  return isAsked(lines, id) ? 'asks' : 'denied';
}
