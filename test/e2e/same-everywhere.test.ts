import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type AnswerLike,
  type FakeApiRequest,
  fail,
  reply,
  type Script,
  text,
  thinking,
  toolUse,
} from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import {
  type Client,
  type Hosting,
  inProcessHosting,
  type Opening,
  rawHosting,
  remoteHosting,
  subprocessHosting,
  watch,
} from '../support/hostings.ts';
import { isResult, kindOf, type Line } from '../support/lines.ts';
import { createNormaliser } from '../support/normalise.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { conversationText } from '../support/requests.ts';
import { readEntries, sessionFiles } from '../support/session-files.ts';

/**
 * The same scenario through each way of hosting the agent: the SDK over a subprocess, the SDK over an engine in this
 * process, a host that writes the protocol itself, and the SDK over a WebSocket to a server. What is said, what is asked of the model and what is in the
 * session files must be equal, whole; only ids, times and places are normalised.
 *
 * One thing is allowed to differ and is not part of a transcript: the answer to `initialize` tells the agent's pid,
 * which is 0 in this process.
 */
interface Scenario {
  title: string;
  script: Script<FakeApiRequest>;
  prepare?: (place: Place) => void;
  play: (open: (opening?: Opening) => Client, place: Place) => Promise<void>;
  /** What kinds of lines come; so that equal failures do not pass for success. */
  lines: string[];
  /** A server refuses it before there is a session: test/server/remote.test.ts holds how. */
  isRefusedByServers?: boolean;
}

/** One turn with nothing but a prompt. */
const ask =
  (prompt: string, opening: Opening = {}): Scenario['play'] =>
  async (open) => {
    await open({ ...opening, prompt }).ended;
  };

interface TwoTurns {
  /** What happens while the first turn runs. */
  during?(next: ReturnType<typeof watch>): Promise<void>;
  between?(): Promise<void>;
}

/** A prompt, its result, another prompt and its result. */
async function twoTurns(client: Client, prompts: [string, string], { during, between }: TwoTurns = {}): Promise<void> {
  const next = watch(client);
  client.say(prompts[0]);
  await during?.(next);
  await next(isResult);
  await between?.();
  client.say(prompts[1]);
  await next(isResult);
  client.end();
  await client.ended;
}

const bash = (command: string): AnswerLike => [text('Running it.'), toolUse('Bash', { command })];
const PLAIN = ['system/init', 'assistant', 'result/success'];
const TOOL_ROUND = ['system/init', 'assistant', 'assistant', 'user', 'assistant', 'result/success'];

const scenarios: Scenario[] = [
  { title: '[SEQ-01] plain text', script: ['Hello there.'], play: ask('hi'), lines: PLAIN },
  {
    title: 'thinking and text',
    script: [[thinking('hm'), text('I thought.')]],
    play: ask('think', { options: { maxThinkingTokens: 2000, systemPrompt: 'Think first.' } }),
    lines: ['system/init', 'assistant', 'assistant', 'result/success'],
  },
  {
    title: 'a tool round',
    script: [bash('echo woven'), 'Done.'],
    play: ask('weave', { options: { allowedTools: ['Bash(echo:*)'] } }),
    lines: TOOL_ROUND,
  },
  {
    title: '[LOOP-04, K36] parallel tools answer as they end',
    script: [
      [toolUse('Bash', { command: 'sleep 0.4; echo slow' }), toolUse('Bash', { command: 'echo fast' })],
      'Both.',
    ],
    play: ask('both', { options: { allowedTools: ['Bash'] } }),
    lines: ['system/init', 'assistant', 'assistant', 'user', 'user', 'assistant', 'result/success'],
  },
  {
    title: '[PRM-16, G7] a denied tool',
    script: [bash('touch forbidden'), 'I may not.'],
    play: ask('touch it'),
    lines: TOOL_ROUND.toSpliced(3, 0, 'system/permission_denied'),
  },
  {
    title: 'file tools',
    script: (request, index) => {
      const file = join(workingDirectory(request), 'notes.txt');
      const steps: AnswerLike[] = [
        toolUse('Read', { file_path: file }),
        toolUse('Edit', { file_path: file, old_string: 'warp', new_string: 'weft' }),
        toolUse('Grep', { pattern: 'weft', output_mode: 'content' }),
        toolUse('Glob', { pattern: '*.txt' }),
        'Edited.',
      ];
      return steps[index] ?? 'too many';
    },
    prepare: ({ cwd }) => writeFileSync(join(cwd, 'notes.txt'), 'one\nwarp\n'),
    play: ask('edit', { options: { permissionMode: 'acceptEdits' } }),
    lines: [
      'system/init',
      ...['assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant'],
      'result/success',
    ],
  },
  {
    title: '[SEQ-02, SEQ-03] partial messages',
    script: [reply([text('Hel', 'lo ', 'there.')])],
    play: ask('hi', { options: { includePartialMessages: true } }),
    lines: [
      ...['system/init', 'system/status', 'message_start', 'content_block_start'],
      ...['content_block_delta', 'content_block_delta', 'content_block_delta', 'assistant', 'content_block_stop'],
      ...['message_delta', 'message_stop', 'result/success'],
    ],
  },
  {
    title: '[QRY-05, INP-02] two turns of one stream',
    script: ['First.', 'Second.'],
    play: (open) => twoTurns(open(), ['one', 'two']),
    lines: [...PLAIN, ...PLAIN],
  },
  {
    title: '[CTL-06, CTL-07] the model and the mode change between turns',
    script: ['First.', 'Second.'],
    play: (open) => {
      const client = open({ options: { model: 'sonnet' } });
      const between = async () => {
        await client.setModel('haiku');
        await client.setPermissionMode('acceptEdits');
      };
      return twoTurns(client, ['one', 'two'], { between });
    },
    lines: [...PLAIN, ...PLAIN],
  },
  {
    title: '[LOOP-10, P-13] an interrupt in the middle of the stream',
    script: [reply([text('never ', 'complete')], { fault: { after: { block: 0 }, how: 'hang' } }), 'Still here.'],
    play: (open) => {
      const client = open({ options: { includePartialMessages: true } });
      const during = async (next: ReturnType<typeof watch>) => {
        await next((line) => kindOf(line) === 'content_block_delta');
        await next((line) => kindOf(line) === 'content_block_delta');
        await client.interrupt();
      };
      return twoTurns(client, ['go', 'and now?'], { during });
    },
    lines: [
      ...['system/init', 'system/status', 'message_start', 'content_block_start'],
      ...['content_block_delta', 'content_block_delta'],
      ...['user', 'result/error_during_execution'],
      ...['system/init', 'system/status', 'message_start', 'content_block_start', 'content_block_delta', 'assistant'],
      ...['content_block_stop', 'message_delta', 'message_stop', 'result/success'],
    ],
  },
  {
    title: '[LOOP-10, P-13] an interrupt in the middle of a tool',
    script: [bash('touch started; sleep 600'), 'Still here.'],
    play: (open, place) => {
      const client = open({ options: { allowedTools: ['Bash'] } });
      const during = async () => {
        await eventually(() => existsSync(join(place.cwd, 'started')), 10_000);
        await client.interrupt();
      };
      return twoTurns(client, ['go', 'and now?'], { during });
    },
    lines: ['system/init', 'assistant', 'assistant', 'user', 'user', 'result/error_during_execution', ...PLAIN],
  },
  {
    title: '[LOOP-08, OPT-20] max turns',
    script: [bash('echo 1'), bash('echo 2')],
    play: ask('endless', { options: { maxTurns: 1, allowedTools: ['Bash'] } }),
    lines: ['system/init', 'assistant', 'assistant', 'user', 'result/error_max_turns'],
  },
  {
    title: '[K24] an error of the API',
    script: [fail(400, 'invalid_request_error', 'that is not how it works')],
    play: ask('hi'),
    lines: ['system/init', 'assistant', 'result/success'],
  },
  {
    title: '[OPT-27, SEQ-07] a resumed session',
    script: ['I will remember.', bash('echo recalled'), 'I remember.'],
    async play(open) {
      const first = open({ prompt: 'remember 42' });
      await first.ended;
      const resume = String(first.seen[0]?.session_id);
      await open({ prompt: 'what was it?', options: { resume, allowedTools: ['Bash'] } }).ended;
    },
    lines: [...PLAIN, ...TOOL_ROUND],
  },
  {
    title: 'a session that does not exist',
    script: [],
    play: ask('hi', { options: { resume: '11111111-1111-4111-8111-111111111111' } }),
    lines: ['result/error_during_execution'],
    isRefusedByServers: true,
  },
  {
    title: 'a rule that cannot be read: the run does not start',
    script: [],
    play: async (open) => {
      const client = open({ prompt: 'hi', options: { allowedTools: ['Bash('] } });
      expect((await client.ended).failure).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Bash(') });
    },
    lines: [],
    isRefusedByServers: true,
  },
  {
    title: '[PRM-02, P-10] canUseTool allows with another input',
    script: [bash('touch asked'), 'Done.'],
    async play(open, place) {
      const canUseTool = async () => ({ behavior: 'allow', updatedInput: { command: 'touch changed' } }) as const;
      await open({ prompt: 'touch', options: { canUseTool } }).ended;
      expect([existsSync(join(place.cwd, 'asked')), existsSync(join(place.cwd, 'changed'))]).toEqual([false, true]);
    },
    lines: TOOL_ROUND,
  },
  {
    title: '[PRM-04, K32] canUseTool denies',
    script: [bash('touch asked'), 'As you wish.'],
    play: ask('touch', { options: { canUseTool: async () => ({ behavior: 'deny', message: 'not today' }) } }),
    lines: TOOL_ROUND,
  },
  {
    title: '[PRM-06] canUseTool denies and interrupts',
    script: [bash('touch asked')],
    play: ask('touch', {
      options: { canUseTool: async () => ({ behavior: 'deny', message: 'stop', interrupt: true }) },
    }),
    lines: ['system/init', 'assistant', 'assistant', 'user', 'user', 'result/error_during_execution'],
  },
  {
    title: '[PRM-03, PRM-10] canUseTool allows and changes the mode',
    script: (request, index) => {
      if (index === 2) return 'Written.';
      return toolUse('Write', { file_path: join(workingDirectory(request), `${index}.txt`), content: 'x' });
    },
    async play(open, place) {
      let asked = 0;
      const canUseTool = async () => {
        asked++;
        const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const];
        return { behavior: 'allow', updatedPermissions } as const;
      };
      await open({ prompt: 'write', options: { canUseTool } }).ended;
      expect([asked, existsSync(join(place.cwd, '1.txt'))]).toEqual([1, true]);
    },
    lines: ['system/init', 'assistant', 'system/status', 'user', 'assistant', 'user', 'assistant', 'result/success'],
  },
  {
    title: '[INP-05, MSG-11] replay of user messages',
    script: ['Heard.'],
    async play(open) {
      const client = open({ launch: { replayUserMessages: true } });
      client.say('echo this', { uuid: '22222222-2222-4222-8222-222222222222' });
      await watch(client)(isResult);
      client.end();
      await client.ended;
    },
    // A message that brings its uuid is told of at each step of its life (ruling K26).
    lines: [
      ...['command_lifecycle', 'command_lifecycle', 'system/init', 'user', 'assistant', 'result/success'],
      'command_lifecycle',
    ],
  },
  {
    title: '[K23, INP-04] lines that are no messages',
    script: ['Fine.'],
    async play(open) {
      const client = open();
      const next = watch(client);
      client.send({ type: 'telepathy' });
      await next((line) => line.subtype === 'input_error');
      client.send({ type: 'user', message: { role: 'user', content: 5 } });
      await next((line) => line.subtype === 'input_error');
      client.say('properly');
      await next(isResult);
      client.end();
      await client.ended;
    },
    lines: ['system/input_error', 'system/input_error', ...PLAIN],
  },
];

const hostings: Record<string, () => Hosting> = {
  'SDK over a subprocess': subprocessHosting,
  'SDK over an engine in this process': inProcessHosting,
  'protocol over stdio': rawHosting,
  'SDK over a WebSocket': remoteHosting,
};

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))('same: %s', async (_title, scenario) => {
  const able = Object.values(hostings).filter((make) => make !== remoteHosting || !scenario.isRefusedByServers);
  const runs = await Promise.all(able.map((make) => transcriptOf(scenario, make())));
  const [first, ...others] = runs;
  expect(first?.kinds).toEqual(scenario.lines);
  for (const other of others) expect(other).toEqual(first);
});

test('[OUT-04] print mode says the same', async () => {
  const script = [bash('echo woven'), 'Done.'];
  const options = { allowedTools: ['Bash(echo:*)'] };
  const scenario = { title: '', script, play: ask('weave', { options }), lines: [] };
  const viaSdk = await transcriptOf(scenario, subprocessHosting());
  const place = await makePlace(script);
  // A bare query() asks for no system prompt at all, the command line has to say so.
  const flags = ['--allowedTools', 'Bash(echo:*)', '--system-prompt', ''];
  // The SDK asks for today's dialect, a program that starts the command line says it with this variable.
  const env = { CLAUDE_AGENT_SDK_VERSION: '0.3.325' };
  const { lines, code } = await runCli([...STREAM_OUT, ...flags, 'weave'], { place, env });
  const normalise = createNormaliser(place);
  expect(code).toBe(0);
  expect(normalise(lines)).toEqual(viaSdk.lines);
  expect(normalise(place.api.requests.map(({ body }) => body))).toEqual(viaSdk.requests);
});

/** Tools take absolute paths, and the model learns where it is from the reminder. */
function workingDirectory(request: FakeApiRequest): string {
  return /Working directory: (.*)/.exec(conversationText(request))?.[1] ?? '';
}

interface Transcript {
  kinds: string[];
  lines: unknown;
  endings: unknown;
  requests: unknown;
  /** By file. */
  entries: unknown;
}

async function transcriptOf(scenario: Scenario, hosting: Hosting): Promise<Transcript> {
  const place = await makePlace(scenario.script);
  onTestFinished(() => hosting.close());
  scenario.prepare?.(place);
  await hosting.prepare?.(place);
  const clients: Client[] = [];
  const open = (opening: Opening = {}) => {
    const client = hosting.open(place, opening);
    clients.push(client);
    return client;
  };
  await scenario.play(open, place);
  const lines: Line[] = clients.flatMap(({ seen }) => seen);
  const normalise = createNormaliser(place);
  return {
    kinds: lines.map(kindOf),
    lines: normalise(lines),
    endings: normalise(await Promise.all(clients.map(({ ended }) => ended))),
    requests: normalise(place.api.requests.map(({ body }) => body)),
    entries: normalise(existsSync(place.home) ? sessionFiles(place).map((file) => readEntries(file)) : []),
  };
}
