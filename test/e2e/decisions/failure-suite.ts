import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectSlug } from '../../../src/sessions/files/project-slug.ts';
import { type AnswerLike, fail, hang, raw, reply, text, toolUse } from '../../../src/testing/index.ts';
import { engine as built } from '../../support/built.ts';
import { type Finished, runCli, STREAM_BOTH, STREAM_OUT } from '../../support/cli.ts';
import { installCopy } from '../../support/installed-copy.ts';
import type { Line } from '../../support/lines.ts';
import type { Place } from '../../support/place.ts';
import { eventually } from '../../support/processes.ts';
import { BASH, bash, broken, errorAnswer, lone, noResult, overloaded, type Row, stuck, tooLong } from './row.ts';

const TOO_LONG = {
  situation: 'the prompt is too long for the model, also after a compaction',
  outcome: errorAnswer('prompt_too_long', 'prompt_too_long'),
  says: 'Prompt is too long',
};
const NOT_FOUND = { situation: 'session to resume, or its message, not found', outcome: lone('session_not_found') };
const WRONG = {
  situation: 'wrong flag, option, rule, schema or settings',
  outcome: noResult(1),
  results: 0,
  requests: 0,
};

const UNKNOWN = '99999999-9999-4999-8999-999999999999';
const page = raw('<html>hello</html>', { headers: { 'content-type': 'text/html' } });

/** What the API, the disk, the command line or the operating system does to a run. */
export const FAILURES: Row[] = [
  apiFailure('the API refused the request', '400', 'invalid_request', fail(400, 'invalid_request_error', 'no')),
  apiFailure('the API refused the key', '401', 'authentication', fail(401, 'authentication_error', 'bad key')),
  apiFailure('the API refused the key', '403', 'authentication', fail(403, 'permission_error', 'not yours')),
  apiFailure('there is no such model', '404', 'model_not_found', fail(404, 'not_found_error', 'model: x')),
  apiFailure(
    'there is no credit',
    '400',
    'billing',
    fail(400, 'invalid_request_error', 'Your credit balance is too low'),
  ),
  apiFailure('too many requests, retries included', '429', 'rate_limit', fail(429, 'rate_limit_error', 'slow down')),
  apiFailure('the API is overloaded, retries included', '529', 'overloaded', overloaded),
  apiFailure('the API is broken, retries included', '500', 'server', fail(500, 'api_error', 'broken')),
  {
    ...apiFailure('the API is broken, retries included', 'in a compaction that was asked for', 'server', 'First.'),
    script: ['First.', fail(500, 'api_error', 'broken')],
    prompts: ['one', '/compact'],
    requests: 2,
    says: /^API Error: 500/,
  },
  apiFailure('the API sent no answer, retries included', 'a page', 'malformed', page),
  {
    ...apiFailure('the API was silent, retries included', 'before the head', 'timeout', hang()),
    env: { CLAUDE_CODE_MAX_RETRIES: '0', API_TIMEOUT_MS: '300' },
  },
  apiFailure(
    'the connection broke or was refused, retries included',
    'cut',
    'connection',
    reply([text('x')], { fault: { after: { block: 0 }, how: 'cut' } }),
  ),
  {
    ...apiFailure('the connection broke or was refused, retries included', 'refused', 'connection', 'never'),
    env: { CLAUDE_CODE_MAX_RETRIES: '0', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
    requests: 0,
  },
  {
    situation: 'no credentials',
    title: '[P4]',
    outcome: errorAnswer('authentication'),
    env: { ANTHROPIC_API_KEY: undefined },
    requests: 0,
    says: /ANTHROPIC_API_KEY/,
  },
  { ...TOO_LONG, title: '[M-13] nothing to compact', script: [tooLong, 'never'], requests: 1 },
  {
    ...TOO_LONG,
    title: '[M-13] compacted once, and not again',
    script: ['First.', tooLong, 'Summary.', tooLong, 'never'],
    prompts: ['one', 'two'],
    requests: 4,
  },
  {
    ...TOO_LONG,
    title: '[M-13] nor does the summary fit',
    script: ['First.', ...Array.from({ length: 9 }, () => fail(413, 'request_too_large', 'too large'))],
    prompts: ['one', 'two'],
    requests: 5,
  },
  {
    ...NOT_FOUND,
    title: 'the session',
    args: ['--resume', UNKNOWN],
    requests: 0,
    says: `No conversation found with session ID: ${UNKNOWN}`,
  },
  {
    situation: 'resume would drop more than `--resume-drops-turn` says',
    title: '[B-233] another turn than the one that is named',
    outcome: lone('resume_rejected'),
    script: ['one', 'two'],
    run: dropAnotherTurn,
    requests: 2,
    says: /^Resume rejected by --resume-drops-turn: /,
  },
  {
    situation: '`--continue-turn`, and the last turn is complete',
    title: '[S-9] there is nothing to continue',
    outcome: lone('nothing_to_continue'),
    script: ['one', 'never'],
    run: continueCompleteTurn,
    requests: 1,
    says: /^There is no turn to continue/,
  },
  {
    situation: 'session file cannot be read',
    title: '[S-19] a directory is in its place',
    outcome: lone('session_unreadable'),
    args: ['--resume', UNKNOWN],
    before: ({ home, cwd }) =>
      mkdirSync(join(home, 'projects', projectSlug(cwd), `${UNKNOWN}.jsonl`), { recursive: true }),
    requests: 0,
    says: /^Could not read the session file/,
  },
  {
    situation: 'session file cannot be written',
    title: '[S-21] a file is in the place of its folder',
    outcome: lone('storage_failed'),
    before({ home }) {
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, 'projects'), '');
    },
    requests: 0,
    says: /^Could not write the session file/,
  },
  {
    situation: 'the installation of Heddle changed while it ran',
    title: 'the package is gone when a tool is first used',
    outcome: lone('installation_changed'),
    script: [toolUse('Grep', { pattern: 'hi' }), 'never'],
    async run(place) {
      const copy = installCopy(place);
      const cli = copy.start([...STREAM_BOTH, ...BASH]);
      await cli.control({ subtype: 'initialize' });
      rmSync(copy.folder, { recursive: true });
      cli.say('go');
      cli.endInput();
      return cli.finished;
    },
    requests: { atMost: 1 },
    says: /^The installation of Heddle has changed while it was running: .*--resume/,
  },
  {
    situation: 'a fault inside Heddle during a turn',
    title: 'a model that throws, which none should',
    outcome: lone('other'),
    run: runWithBrokenModel,
    requests: 0,
    says: 'out of order',
  },
  {
    ...WRONG,
    title: '[SEQ-09, P-20] an unknown flag',
    args: ['--no-such-flag'],
    says: /unknown option '--no-such-flag'/,
  },
  { ...WRONG, title: '[P-20] a schema that is no JSON', args: ['--json-schema', '{bad'], says: /--json-schema/ },
  {
    ...WRONG,
    title: '[P-20] a schema that means nothing',
    args: ['--json-schema', '{"type":"nonsense"}'],
    says: /--json-schema must describe an object|The JSON schema cannot be used/,
  },
  {
    situation: 'stdin ended without a message',
    title: '[P-12]',
    outcome: noResult(0),
    host() {},
    results: 0,
    requests: 0,
    says: '',
  },
  {
    situation: 'nobody reads stdout any more',
    title: '[P-15, P-19]',
    outcome: noResult(1),
    script: Array.from({ length: 9 }, () => bash('echo 1')),
    args: BASH,
    host(cli) {
      cli.child.stdout?.destroy();
      cli.say('go');
    },
    results: 0,
    requests: { atMost: 2 },
  },
  signalled('SIGINT', 130),
  signalled('SIGTERM', 143),
  signalled('SIGHUP', 129),
];

function signalled(signal: NodeJS.Signals, exitCode: number): Row {
  return {
    situation: `${signal} during a turn`,
    title: '[K6]',
    outcome: { ...broken('aborted_streaming'), exitCode },
    script: [stuck],
    async host(cli, place) {
      cli.say('go');
      await eventually(() => place.api.requests.length === 1);
      cli.kill(signal);
      await cli.finished;
    },
    requests: 1,
    says: 'The turn was interrupted',
  };
}

function apiFailure(situation: string, title: string, errorCode: string, answer: AnswerLike): Row {
  return {
    situation,
    title: `[K24] ${title}`,
    outcome: errorAnswer(errorCode),
    script: [answer],
    env: { CLAUDE_CODE_MAX_RETRIES: '0' },
    requests: 1,
  };
}

async function runWithBrokenModel({ cwd, home }: Place): Promise<Finished> {
  const model = {
    provider: 'broken',
    stream(): never {
      throw new Error('out of order');
    },
  };
  const engine = built.createEngine({ cwd, home, model });
  const transport = built.inProcess(engine)({ config: {} });
  await transport.connect();
  await transport.write({ type: 'user', message: { role: 'user', content: 'go' } });
  transport.endInput();
  const lines: Line[] = [];
  for await (const line of transport.readMessages()) lines.push(line as unknown as Line);
  const { code } = await transport.exit;
  await engine.close();
  return { code, signal: null, stdout: '', stderr: '', lines };
}

async function dropAnotherTurn(place: Place): Promise<Finished> {
  const first = await runCli([...STREAM_OUT, 'first'], { place });
  const id = String(first.lines.at(-1)?.session_id);
  await runCli([...STREAM_OUT, 'second', '--resume', id], { place });
  const at = String(first.lines.find(({ type }) => type === 'assistant')?.uuid);
  const drop = ['--resume-session-at', at, '--resume-drops-turn', UNKNOWN];
  return runCli([...STREAM_OUT, 'instead', '--resume', id, ...drop], { place });
}

async function continueCompleteTurn(place: Place): Promise<Finished> {
  await runCli([...STREAM_OUT, 'first'], { place });
  return runCli([...STREAM_OUT, '--continue', '--continue-turn'], { place });
}
