import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../../src/testing/index.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { command, printing, settingsWith } from '../../hooks/support.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../../support/cli.ts';
import { blocksOf, isResult, type Line } from '../../support/lines.ts';
import { makePlace, type Place } from '../../support/place.ts';
import { expectedOf, HOOKS, KINDS, MODES, type Outcome, RULES } from './hook-matrix.ts';
import { ASK_HOST, earlierSession, isAsked, refuseUntil } from './turns.ts';

interface Cell {
  kind: string;
  rule: string;
  hook: string;
}

const CELLS: readonly Cell[] = KINDS.flatMap((kind) =>
  RULES.flatMap((rule) => HOOKS.map((hook) => ({ kind, rule, hook }))),
);

describe('[HK-26, K18] a hook, a rule and a mode: denials win, and a hook opens only what is a plain question', () => {
  test.each(MODES.flatMap((mode) => ['new', 'resumed'].map((session) => ({ mode, session }))))(
    '$mode, a $session session',
    async ({ mode, session }) => {
      const script: AnswerLike[] = [];
      const place = await makePlace(() => script.shift() ?? 'Done.');
      prepareFiles(place);
      const earlier = session === 'resumed' ? await earlierSession(place) : [];
      script.push(CELLS.map((cell) => callOf(cell, place)));
      const args = ['--permission-mode', mode, '--settings', settingsOf(place), ...ASK_HOST, ...earlier];
      const cli = startCli([...STREAM_BOTH, ...args], { place });
      cli.say('go');
      const lines = await refuseUntil(cli, () => cli.lines.some(isResult));
      const wrong = CELLS.flatMap((cell) => {
        const expected = expectedOf({ ...cell, mode });
        const found = outcomeOf(cell, lines, place);
        return found === expected ? [] : [`${nameOf(cell)}: ${found} in the place of ${expected}`];
      });
      expect(wrong).toEqual([]);
    },
  );
});

describe('[G1] a project that nobody trusts', () => {
  const write = toolUse('Write', { file_path: 'canary', content: 'x' });
  const allow = settingsWith({ PreToolUse: [command(`touch called; ${printing(answer('allow'))}`)] });

  test.each([
    ['its hook opens nothing and is not even called', [], false],
    ['where it is trusted, it answers the question', ['--trust'], true],
  ])('%s', async (_name, flags, isOpen) => {
    const place = await makePlace([write, 'Done.']);
    put(join(place.cwd, '.claude'), 'settings.json', allow);
    await runCli([...STREAM_OUT, 'go', ...flags], { place });
    expect(existsSync(join(place.cwd, 'canary'))).toBe(isOpen);
    expect(existsSync(join(place.cwd, 'called'))).toBe(isOpen);
  });

  test('its deny rule holds against the hook of the user', async () => {
    const place = await makePlace([write, 'Done.']);
    put(join(place.cwd, '.claude'), 'settings.json', '{"permissions":{"deny":["Edit(canary)"]}}');
    put(place.home, 'settings.json', allow);
    await runCli([...STREAM_OUT, 'go'], { place });
    expect(existsSync(join(place.cwd, 'called'))).toBe(true);
    expect(existsSync(join(place.cwd, 'canary'))).toBe(false);
  });
});

function answer(permissionDecision: string): JsonObject {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } };
}

/** Names the file that the call is about: rules and the hook go by it. */
function nameOf({ kind, rule, hook }: Cell): string {
  return `${kind}.rule-${rule}.hook-${hook}`;
}

function idOf(cell: Cell): string {
  return `toolu_${nameOf(cell).replaceAll('.', '_')}`;
}

function pathOf(cell: Cell, { cwd, root }: Place): string {
  const folders: Record<string, string> = { outside: join(root, 'outside'), protected: join(cwd, '.git', 'hooks') };
  return join(folders[cell.kind] ?? cwd, nameOf(cell));
}

function callOf(cell: Cell, place: Place) {
  const file_path = pathOf(cell, place);
  const id = idOf(cell);
  if (cell.kind === 'command') return toolUse('Bash', { command: `touch ${nameOf(cell)}` }, id);
  if (isRead(cell)) return toolUse('Read', { file_path }, id);
  return toolUse('Write', { file_path, content: 'x' }, id);
}

function isRead({ kind }: Cell): boolean {
  return kind === 'read' || kind === 'outside';
}

function prepareFiles(place: Place): void {
  for (const cell of CELLS.filter(isRead)) put(join(pathOf(cell, place), '..'), nameOf(cell), 'x');
}

function settingsOf({ root }: Place): string {
  const rules = (rule: string) => [
    ...HOOKS.map((hook) => `Bash(touch ${nameOf({ kind: 'command', rule, hook })})`),
    `Edit(edit.rule-${rule}.*)`,
    `Edit(protected.rule-${rule}.*)`,
    `Read(read.rule-${rule}.*)`,
    `Read(/${root}/outside/outside.rule-${rule}.*)`,
  ];
  const says = (hook: string) => `*hook-${hook}*) printf '%s' '${JSON.stringify(answer(hook))}';;`;
  const script = `case "$(cat)" in ${['allow', 'deny', 'ask'].map(says).join(' ')} esac`;
  return JSON.stringify({
    permissions: { allow: rules('allow'), ask: rules('ask'), deny: rules('deny') },
    hooks: { PreToolUse: [{ hooks: [command(script)] }] },
  });
}

function outcomeOf(
  cell: Cell,
  lines: readonly Line[],
  place: Place,
): Outcome | 'nothing' | 'runs, and says that it did not' {
  const id = idOf(cell);
  const results = lines.flatMap(({ message }) => blocksOf(message));
  const result = results.find(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === id);
  const hasRun = !isRead(cell) && existsSync(pathOf(cell, place));
  if (!result) return 'nothing';
  if (result.is_error) return hasRun ? 'runs, and says that it did not' : isAsked(lines, id) ? 'asks' : 'denied';
  return isRead(cell) || hasRun ? 'runs' : 'nothing';
}

function put(folder: string, name: string, content: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
}
