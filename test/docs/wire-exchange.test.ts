import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSdkMcpServer, type Options, query, tool } from '../../src/sdk/index.ts';
import { createMemoryStore } from '../../src/sessions/stores/memory-store.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { cliRequests, type hostRequests, messageSchemas, readHostResponse } from '../../src/wire/index.ts';
import { type RunningCli, runCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import type { Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { ROOT } from '../support/root.ts';
import { RESULT, scriptedAgent } from '../support/scripted-agent.ts';
import { examplesOf, exchangeOf, sections } from './wire-sections.ts';

/** The examples of docs/reference/wire.md are said to those who read such lines: the built agent, and the SDK. */
describe('docs/reference/wire.md, in use', () => {
  test('the built agent answers each request of a host as its section says', { timeout: 60_000 }, async () => {
    const place = await makePlaceOfPage();
    const flags = ['--model', 'offline', '--resume', SESSION, '--disallowedTools', 'Bash(npm test:*)'];
    const cli = startCli([...STREAM_BOTH, ...flags], { place, env: CHECKPOINTS });
    const wrong: string[] = [];
    for (const subtype of inOrder(hostSubtypes())) {
      const problem = await exchangeProblem(cli, subtype, place).catch(String);
      if (problem) wrong.push(`${subtype}: ${problem}`);
    }
    expect(wrong).toEqual([]);
    expect(await cli.finished).toMatchObject({ code: 0 });
  });

  test('the SDK hands on every message of an agent as it stands there', async () => {
    const kinds = Object.keys(messageSchemas).filter((kind) => !NOT_HANDED_ON.includes(kind));
    const examples = [...new Set(kinds.map(titleOf))].flatMap((title) => examplesOf(title).slice(0, 1));
    const agent = scriptedAgent({
      onUser: (_line, self) => [...examples, RESULT].forEach((line) => void self.say(line)),
    });
    const errors: Error[] = [];
    const options: Options = { transport: agent.connect, onError: (error) => void errors.push(error) };
    expect(await readAll(query({ prompt: 'hi', options }))).toEqual([...examples, RESULT]);
    expect(errors).toEqual([]);
  });

  test.each(Object.keys(cliRequests).filter((subtype) => subtype !== 'request_user_dialog'))(
    'the SDK answers the request of an agent %s',
    async (subtype) => {
      const { asked } = exchangeOf(`agent: ${subtype}`);
      const agent = scriptedAgent({
        answer: () => ({ capabilities: ['session_store', 'host_tools'] }),
        onUser: (_line, self) => self.say({ type: 'control_request', request_id: 'req_1', request: asked }),
      });
      const run = query({ prompt: 'hi', options: { ...HOST, transport: agent.connect } });
      const isAnswer = ({ type }: Line) => type === 'control_response';
      const ended = readAll(run).catch(() => {}); // it is closed under its hands
      await expect
        .poll(() => agent.lines.find(isAnswer)?.response, { timeout: 10_000 })
        .toMatchObject({
          subtype: 'success',
          request_id: 'req_1',
        });
      await run.close();
      await ended;
    },
  );

  test('a session file of the entries is whole, and can be shown', { timeout: 30_000 }, async () => {
    const place = await makePlaceOfPage();
    const checked = await runCli(['sessions', 'fsck', SESSION], { place });
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    const shown = await runCli(['sessions', 'show', SESSION], { place });
    expect(shown.stdout).toContain('Run the tests'); // where last-prompt says that it goes on
  });
});

async function readAll(messages: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

const SESSION = '3f2a9c11-7a0e-4c53-9d52-0a8f6e1b2c3d';
const CHECKPOINTS = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' };

/** A directory as the examples speak of it, with a session of all entries in its home. */
async function makePlaceOfPage(): Promise<Place> {
  const place = await makePlace(() => 'ok');
  mkdirSync(join(place.cwd, 'src'));
  writeFileSync(join(place.cwd, 'src/parser.js'), 'export const parse = (text) => text;\n');
  copyFileSync(join(ROOT, 'test/docs/calc-server.mjs'), join(place.cwd, 'server.mjs'));
  const folder = join(place.home, 'projects', place.cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const lines = chained(entryExamples()).map((entry) => `${here(JSON.stringify(entry), place)}\n`);
  writeFileSync(join(folder, `${SESSION}.jsonl`), lines.join(''));
  return place;
}

function entryExamples(): JsonObject[] {
  return [...sections.keys()].filter((title) => title.startsWith('entry ')).flatMap(examplesOf);
}

/** All examples have the same uuid: the first keeps it, as a beginning; each later one follows the one before. */
function chained(entries: readonly JsonObject[]): JsonObject[] {
  let last: unknown = null;
  return entries.map((entry, at) => {
    if (entry.uuid === undefined) return entry;
    const node = { ...entry, parentUuid: last, uuid: last === null ? entry.uuid : uuid(at) };
    last = node.uuid;
    return node;
  });
}

function uuid(at: number): string {
  return `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
}

function here(text: string, { cwd }: Place): string {
  return text.replaceAll('/srv/app', cwd);
}

function hostSubtypes(): string[] {
  return [...sections.keys()].flatMap((title) => (title.startsWith('host: ') ? [title.slice('host: '.length)] : []));
}

/** The servers before who speaks of them; a turn that nothing interrupts any more, and `end_input` last. */
function inOrder(subtypes: readonly string[]): string[] {
  const first = ['initialize', 'mcp_set_servers'];
  const last = ['continue_turn', 'end_input'];
  const middle = subtypes.filter((each) => !first.includes(each) && !last.includes(each));
  return [...first, ...middle, ...last];
}

/** Requests about something that only a run can have made. */
const MADE_UP: Readonly<Record<string, RegExp>> = {
  stop_task: /No task of this session has the id b1f3a2/,
  get_task_output: /No task of this session has the id b1f3a2/,
  // The flags of this run deny the command of the example.
  shell_command: /npm test/,
  // Only a session that other hosts have joined answers these.
  attach: /Unsupported control request subtype: attach/,
  detach: /Unsupported control request subtype: detach/,
};

/** What the agent answers is of the same kind as in the example, can be read, and has every field that the example has. */
async function exchangeProblem(cli: RunningCli, subtype: string, place: Place): Promise<string | null> {
  const { asked, answered } = exchangeOf(`host: ${subtype}`);
  const answer = cli.control(JSON.parse(here(JSON.stringify(asked), place)));
  if (subtype === 'shell_command') await answerHook(cli);
  const got = await answer;
  const madeUp = Object.hasOwn(MADE_UP, subtype) ? MADE_UP[subtype] : undefined;
  if (madeUp) return madeUp.test(String(got.error)) ? null : `it answered ${JSON.stringify(got)}`;
  if (got.subtype !== answered.subtype) return `it answered ${JSON.stringify(got)}`;
  if (got.subtype === 'error') return got.error === answered.error ? null : String(got.error);
  readHostResponse(subtype as keyof typeof hostRequests, got.response);
  const missing = Object.keys(answered.response ?? {}).filter((key) => !Object.hasOwn(got.response ?? {}, key));
  return missing.length === 0 ? null : `its answer has no ${missing.join(', ')}`;
}

/** The hook that `initialize` has brought is asked about the command. */
async function answerHook(cli: RunningCli): Promise<void> {
  const { request_id } = await cli.next(({ type }) => type === 'control_request');
  cli.send({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
}

/** The SDK takes it for itself: a sign of life. */
const NOT_HANDED_ON = ['keep_alive'];

function titleOf(kind: string): string {
  return [...sections.keys()].find((title) => title.split(', ').includes(kind)) ?? '';
}

/** A host that can answer everything that an agent may ask. */
const HOST: Options = {
  canUseTool: async () => ({ behavior: 'deny', message: 'No.' }),
  hooks: { PreToolUse: [{ hooks: [async () => ({ continue: true })] }] },
  mcpServers: {
    calc: createSdkMcpServer({
      name: 'calc',
      tools: [tool('add', 'Adds', {}, async () => ({ content: [{ type: 'text', text: '3' }] }))],
    }),
  },
  tools: [tool('in_stock', 'Tells what is there', {}, async () => '12 bolts of linen')],
  onElicitation: async () => ({ action: 'decline' }),
  sessionStore: createMemoryStore(),
};
