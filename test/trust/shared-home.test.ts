import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { watchJsonFiles } from '../support/file-watch.ts';
import { blocksOf, initOf, resultOf, textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { readEntries, sessionFiles } from '../support/session-files.ts';
import { figure } from './figures.ts';
import { trustSize } from './size.ts';
import { tally } from './tally.ts';

const WRITERS = 8;
const rounds = trustSize('ROUNDS', 40);

/** What a process may change in the home that all share; each leaves something that can be counted afterwards. */
const CHANGES: readonly ((place: Place, name: string) => string[])[] = [
  (_place, name) => ['config', 'set', `env.${name}`, 'x'],
  (_place, name) => ['mcp', 'add', '--scope', 'user', name, '--', 'true'],
  ({ root }, name) => {
    put(join(root, 'projects', name, '.claude/settings.json'), { permissions: { allow: ['Bash(ls)'] } });
    return ['trust', '--yes', join(root, 'projects', name)];
  },
];

test(`[S-24] ${WRITERS} processes that change the shared files ${rounds} times each: nobody sees half a file, nothing is lost`, async () => {
  const place = await makePlace();
  const watch = watchJsonFiles(place.home);
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let round = 0; round < rounds; round++) {
      const change = CHANGES[(writer + round) % CHANGES.length] as (typeof CHANGES)[number];
      const { code, stderr } = await runCli(change(place, `W${writer}_${round}`), { place });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
  });
  await Promise.all(writers);
  const { looks, torn } = await watch.stop();
  figure('S-24', `${looks.toLocaleString('en')} looks at ${WRITERS * rounds} changes, ${torn.length} torn`);
  expect(torn).toEqual([]);
  expect(looks).toBeGreaterThan(WRITERS * rounds);
  const { env } = JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8')) as { env: object };
  const { stdout } = await runCli(['trust', '--list', '--json'], { place });
  const servers = await runCli(['mcp', 'list', '--json'], { place });
  const found = `${JSON.stringify(env)} ${stdout} ${servers.stdout}`;
  const names = Array.from({ length: WRITERS * rounds }, (_, at) => `W${at % WRITERS}_${Math.floor(at / WRITERS)}`);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(found))).toEqual([]);
});

/** As many as the machine can be asked for at once. */
const sessions = trustSize('SESSIONS', availableParallelism() >= 8 ? 100 : 24);

const check = tally(['L-1'], 'sessions at once', 'failed or mixed up');

test(`[L-1] ${sessions} sessions at once in one home all succeed, each with an id and a file of its own`, async () => {
  const place = await makePlace((request) => {
    const who = /session-\d+-x/.exec(conversationText(request))?.[0];
    const isAnswered = blocksOf(bodyOf(request).messages.at(-1)).some(({ type }) => type === 'tool_result');
    return isAnswered ? `Done for ${who}.` : toolUse('Bash', { command: `echo out of ${who} | tee ${who}` });
  });
  const names = Array.from({ length: sessions }, (_, at) => `session-${at}-x`);
  const runs = await Promise.all(
    names.map((name) => runCli([...STREAM_OUT, name, '--allowedTools', 'Bash'], { place })),
  );
  const faults = runs.flatMap(({ code, lines, stderr }, at) => {
    const said = lines.filter(({ type }) => type === 'user').flatMap(({ message }) => textsOf(message));
    const isRight =
      code === 0 && resultOf(lines).result === `Done for ${names[at]}.` && said[0] === `out of ${names[at]}`;
    return isRight ? [] : [`${names[at]}: ${code} ${JSON.stringify(lines.at(-1))} ${stderr}`];
  });
  check(faults, sessions);
  expect(new Set(runs.map(({ lines }) => initOf(lines).session_id)).size).toBe(sessions);
  const files = sessionFiles(place).map((file) => JSON.stringify(readEntries(file)));
  expect(files).toHaveLength(sessions);
  expect(files.filter((text) => new Set(text.match(/session-\d+-x/g)).size !== 1)).toEqual([]);
});
