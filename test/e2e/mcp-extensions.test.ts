import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, fail, toolUse } from '../../src/testing/index.ts';
import { cast, lastText, task } from '../support/cast.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';
import { put } from '../support/put.ts';
import { ROOT } from '../support/root.ts';
import { ALL_DONE, always, approve, byTheBook, createTeam, mailTo, startMate } from '../support/team-play.ts';

/** Servers that plugins and agents bring, and how long they live. */

const ODD = join(ROOT, 'test/support/odd-mcp-server.mjs');
const pidFile = ({ root }: Place) => join(root, 'pids');
/** A server that notes the process that it is. */
const noted = (place: Place, ...args: string[]) => ({
  command: 'node',
  args: [ODD, ...args],
  env: { PID_FILE: pidFile(place) },
});
const pidsIn = (place: Place) =>
  existsSync(pidFile(place)) ? readFileSync(pidFile(place), 'utf8').trim().split('\n').map(Number) : [];
const aliveIn = (place: Place) => pidsIn(place).filter(isAlive).length;
const toolsIn = (line: Line | undefined) =>
  ((line?.tools ?? []) as string[]).filter((name) => name.startsWith('mcp__')).toSorted();
const resultsIn = (lines: Line[]) => lines.flatMap((line) => toolResult(line) ?? []);
const FIVE = { content: [{ text: '5' }] };

test('reload_plugins: servers that a plugin brings since, brings otherwise, and brings no more', async () => {
  const add = () => toolUse('mcp__plugin_loom_calc__add', { a: 2, b: 3 });
  const place = await makePlace(['None.', add(), 'Added.', add(), 'Added again.', 'Gone.']);
  const root = join(place.root, 'loom');
  put(join(root, '.claude-plugin/plugin.json'), { name: 'loom' });
  const file = join(root, '.mcp.json');
  const cli = startCli([...STREAM_BOTH, '--plugin-dir', root, '--allowedTools', 'mcp__plugin_loom_calc'], { place });
  const turn = async () => {
    cli.say('go');
    await cli.nextResult();
    return toolsIn(cli.lines.findLast(({ subtype }) => subtype === 'init'));
  };
  const reload = async () => {
    const { response } = await cli.control({ subtype: 'reload_plugins' });
    return (response as { mcpServers: { name: string }[] }).mcpServers.map(({ name }) => name);
  };
  const TOOLS = ['mcp__plugin_loom_calc__add', 'mcp__plugin_loom_calc__env'];

  expect(await turn()).toEqual([]);
  put(file, { mcpServers: { calc: noted(place) } });
  expect(await reload()).toEqual(['plugin:loom:calc']);
  expect(await turn()).toEqual(TOOLS);
  expect(await reload()).toEqual(['plugin:loom:calc']);
  expect(pidsIn(place)).toHaveLength(1); // what is the same stays

  put(file, { mcpServers: { calc: noted(place, 'garbage') } });
  await reload();
  expect(await turn()).toEqual(TOOLS);
  expect(resultsIn(cli.lines)).toMatchObject([FIVE, FIVE]);
  expect(pidsIn(place)).toHaveLength(2);
  expect(aliveIn(place)).toBe(1);

  rmSync(file);
  expect(await reload()).toEqual([]);
  expect(aliveIn(place)).toBe(0);
  expect(await turn()).toEqual([]);
});

describe('--agent with servers of its own', () => {
  const weaver = (place: Place, more: object = {}) => [
    '--agents',
    JSON.stringify({
      weaver: { description: 'weaves', prompt: 'Weave.', mcpServers: [{ own: noted(place) }], ...more },
    }),
    '--agent',
    'weaver',
    '--allowedTools',
    'mcp__own',
  ];
  const BOTH = ['mcp__own__add', 'mcp__own__env'];

  test.each([
    ['names no tools', {}, BOTH],
    ['names others: those it brings are its own all the same', { tools: ['Read'] }, BOTH],
    ['does not want one of them', { disallowedTools: ['mcp__own__env'] }, ['mcp__own__add']],
  ])('[B-017] has them as long as the session; it %s', async (_, more, tools) => {
    const place = await makePlace([toolUse('mcp__own__add', { a: 2, b: 3 }), 'Added.']);
    const { lines } = await runCli([...STREAM_OUT, 'go', ...weaver(place, more)], { place });
    expect(toolsIn(lines[0])).toEqual(tools);
    expect(lines[0]).toMatchObject({ mcp_servers: [{ name: 'own', status: 'connected' }] });
    expect(resultsIn(lines)).toMatchObject([FIVE]);
    expect(pidsIn(place)).toHaveLength(1);
    expect(aliveIn(place)).toBe(0);
  });

  test('also where initialize brings the agent', async () => {
    const place = await makePlace([toolUse('mcp__own__add', { a: 2, b: 3 }), 'Added.']);
    const args = ['--agent', 'weaver', '--allowedTools', 'mcp__own'];
    const cli = startCli([...STREAM_BOTH, ...args], { place });
    const agents = { weaver: { description: 'weaves', prompt: 'Weave.', mcpServers: [{ own: noted(place) }] } };
    await cli.control({ subtype: 'initialize', agents });
    cli.say('go');
    expect(await cli.nextResult()).toMatchObject({ result: 'Added.' });
    expect(resultsIn(cli.lines)).toMatchObject([FIVE]);
  });
});

describe('a teammate with servers of its own', () => {
  const add = () => toolUse('mcp__own__add', { a: 2, b: 3 });
  const flags = (place: Place) => {
    const weaver = { description: 'weaves', prompt: 'Weave.', mcpServers: [{ own: noted(place) }] };
    return ['--teams', '--agents', JSON.stringify({ weaver }), '--allowedTools', 'mcp__own'];
  };
  const start = () => startMate('mate', 'MATE go', { subagent_type: 'weaver' });
  /** What the teammate has in mind, request by request. */
  const mindsIn = ({ api }: Place) =>
    api.requests.map(({ body }) => JSON.stringify(body.messages)).filter((text) => !text.includes('LEAD go'));
  const FIVES = /"text":"5"/g;

  test('[TEAM-06] has them connected once for all its turns, until it leaves', async () => {
    let idle: number[] = [];
    const place = await makePlace(
      cast<FakeApiRequest>({
        LEAD: [
          createTeam(),
          start(),
          'Dispatched.',
          () => {
            idle = [pidsIn(place).length, aliveIn(place)];
            return mailTo('mate', 'once more');
          },
          'Sent.',
          toolUse('SendMessage', { type: 'shutdown_request', recipient: 'mate' }),
          'Asked.',
          ...always(() => 'Noted.'),
        ],
        MATE: [add(), 'First.', add(), 'Second.', approve(), 'Good bye.'],
      }),
    );
    const cli = startCli([...STREAM_BOTH, ...flags(place)], { place });
    cli.say('LEAD go');
    await cli.until(() => mindsIn(place).some((text) => text.includes('Second.')));
    await eventually(() => aliveIn(place) === 0);
    expect(idle).toEqual([1, 1]); // between its turns
    expect(pidsIn(place)).toHaveLength(1);
    expect(mindsIn(place).at(-1)?.match(FIVES)).toHaveLength(2);
    expect(await cli.control({ subtype: 'mcp_status' })).toMatchObject({ subtype: 'success' }); // the session goes on
  });

  test('[TEAM-08] that crashes loses them, and has them again when it is resumed', async () => {
    let hasFailed = false;
    const crashesOnce = () => {
      if (hasFailed) return add();
      hasFailed = true;
      return fail(400, 'invalid_request_error', 'out of tea');
    };
    let resumed: number[] = [];
    const goesOn = byTheBook(['mate']);
    const place = await makePlace(
      cast<FakeApiRequest>({
        LEAD: [
          createTeam(),
          start(),
          'Dispatched.',
          ...always((request) => {
            const isCrash = lastText(request).includes('Teammate mate has crashed');
            return isCrash ? task('Try again.', { resume: 'mate@crew' }) : goesOn(request);
          }),
        ],
        MATE: [
          add(),
          crashesOnce,
          () => {
            resumed = [pidsIn(place).length, aliveIn(place)];
            return 'Done.';
          },
          approve(),
          'Good bye.',
        ],
      }),
    );
    const { lines } = await runCli([...STREAM_OUT, 'LEAD go', ...flags(place)], { place });
    expect(lines.at(-1)).toMatchObject({ result: ALL_DONE });
    expect(resumed).toEqual([2, 1]);
    expect(mindsIn(place).at(-1)?.match(FIVES)).toHaveLength(2);
    expect(aliveIn(place)).toBe(0);
  });
});
