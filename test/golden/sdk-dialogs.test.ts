import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import type { Options } from '../../src/sdk/index.ts';
import { isObject, type JsonObject } from '../../src/util/json.ts';
import { sdk } from '../support/built.ts';
import { ROOT } from '../support/root.ts';
import { type Difference, expectedDifferences, unexpected, untrueEntries } from './differences.ts';
import { type Program, programs } from './sdk-programs.ts';

/**
 * The dialogs between the reference's SDK and its command line (wire/sdk-*): the same program runs with our SDK and our
 * command line. The flags, what each of the two says, asks and answers, and the exit code are compared with the
 * recording, by the rules of the replay tool. When a request is made beside other lines is not: that is a race.
 */
interface Dialog {
  argv: string[];
  /** Lines that the SDK has written, and lines of the command line. */
  stdin: JsonObject[];
  stdout: JsonObject[];
  exit: number | null;
}

const TOOLS = join(ROOT, 'test/golden/wire/tools');
const { createIdMap, compareRecords, firstDeltas } = await tool('compare.mjs');
const { createNormalizer } = await tool('normalize.mjs');
const extra = JSON.parse(readFileSync(join(TOOLS, 'extra-keys.json'), 'utf8'));

const names = Object.keys(programs);
const outcomes = new Map<string, Difference[]>();

beforeAll(async () => {
  for (const name of names) outcomes.set(name, await compareDialog(name));
}, 120_000);

test.each(names)('golden: %s', (name) => {
  const differences = unexpected(name, outcomes.get(name) ?? [{ path: 'run', message: 'it did not run' }]);
  expect(differences.map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
});

test('every expected difference of the dialogs occurs', () => {
  expect(
    untrueEntries(
      expectedDifferences.filter(({ scenario }) => scenario.startsWith('sdk-')),
      outcomes,
    ),
  ).toEqual([]);
});

async function compareDialog(name: string): Promise<Difference[]> {
  const place = openPlace();
  try {
    return differencesOf(readGolden(name), await runProgram(place, (programs[name] as () => Program)()), place);
  } finally {
    rmSync(place.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Place {
  root: string;
  home: string;
  cwd: string;
}

/** A home, and the files that the recordings began with. */
function openPlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-dialog-')));
  const place = { root, home: join(root, 'home'), cwd: join(root, 'work') };
  for (const folder of [place.home, place.cwd, join(root, 'outside')]) mkdirSync(folder);
  writeFileSync(join(place.cwd, 'a.txt'), 'line1\nline2\nline3\n');
  writeFileSync(join(place.cwd, 'b.txt'), 'bbb\n');
  return place;
}

function differencesOf(golden: Dialog, actual: Dialog, place: Place): Difference[] {
  const normal = createNormalizer({ cwd: place.cwd, home: place.home, tools: TOOLS, outside: place.root });
  for (const line of [...actual.stdin, ...actual.stdout]) normal.note(line);
  const [before, now] = [
    viewsOf(golden),
    viewsOf({ ...actual, stdin: actual.stdin.map(normal.line), stdout: actual.stdout.map(normal.line) }),
  ];
  const rules = {
    ids: createIdMap(),
    extraKeys: new Set(extra.keys),
    systemSubtypes: new Set(extra.system_subtypes),
    arrange: [firstDeltas],
  };
  const plain = (path: string, a: unknown, b: unknown): Difference[] => {
    const [was, is] = [JSON.stringify(a), JSON.stringify(b)];
    return was === is ? [] : [{ path, message: `golden ${was}, got ${is}` }];
  };
  return [
    ...plain('argv', golden.argv, actual.argv),
    ...VIEWS.flatMap((view): Difference[] => compareRecords(view, before[view], now[view], rules)),
    ...plain('exit', golden.exit, actual.exit),
  ];
}

const VIEWS = ['stdout', 'stdin', 'requests', 'questions'] as const;

/** The lines that are no control, the requests of the SDK with their answers, and those of the command line. */
function viewsOf({ stdin, stdout }: Dialog): Record<(typeof VIEWS)[number], JsonObject[]> {
  const isPlain = ({ type }: JsonObject) => !String(type).startsWith('control_');
  return {
    stdin: stdin.filter(isPlain),
    stdout: stdout.filter(isPlain),
    requests: exchanges(stdin, stdout),
    questions: exchanges(stdout, stdin),
  };
}

/** `hook` is what the comparison lines records up by. */
function exchanges(askers: readonly JsonObject[], answerers: readonly JsonObject[]): JsonObject[] {
  const responses = answerers.flatMap(({ type, response }) =>
    type === 'control_response' ? [response as JsonObject] : [],
  );
  return askers.flatMap(({ type, request_id, request }) => {
    if (type !== 'control_request' || !isObject(request)) return [];
    const { subtype, input, message } = request;
    const about = isObject(input) ? input.hook_event_name : isObject(message) ? message.method : undefined;
    const { request_id: _, ...response } = responses.find((each) => each.request_id === request_id) ?? {};
    return [{ hook: [subtype, about].filter(Boolean).join(' '), request, response }];
  });
}

function readGolden(name: string): Dialog {
  const text = readFileSync(join(ROOT, `test/golden/wire/${name}.2.1.44.dialog.ndjson`), 'utf8');
  const [header, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const of = (direction: string) => lines.filter(({ dir }) => dir === direction).map(({ msg }) => msg);
  const isLine = (msg: JsonObject) => !('_eof' in msg);
  return { argv: header._argv, stdin: of('in').filter(isLine), stdout: of('out'), exit: of('exit')[0].code };
}

async function runProgram(place: Place, { prompt, options = {}, onMessage }: Program): Promise<Dialog> {
  const model = await startModel(place);
  const recorded: Dialog = { argv: [], stdin: [], stdout: [], exit: null };
  let ended: Promise<void> = Promise.resolve();
  const query = sdk.query({
    prompt,
    options: {
      ...options,
      clientDialect: '2.1.44', // the program was one of the SDK 0.2.44
      cwd: place.cwd,
      env: environment(place, model.port),
      pathToClaudeCodeExecutable: join(ROOT, 'dist/cli.js'),
      spawn(asked) {
        const child = record(asked, recorded);
        ended = child.ended;
        return child.process;
      },
    },
  });
  try {
    for await (const message of query) onMessage?.(message, query);
  } catch (error) {
    if (!options.abortController?.signal.aborted) throw error;
  } finally {
    await ended;
    model.stop();
  }
  return recorded;
}

type Spawn = NonNullable<Options['spawn']>;

/** Starts the command line and notes every line, in both directions. */
function record(
  { command, args, cwd, env }: Parameters<Spawn>[0],
  recorded: Dialog,
): { process: ReturnType<Spawn>; ended: Promise<void> } {
  const child = spawn(command, args, { cwd, env: env as NodeJS.ProcessEnv, stdio: ['pipe', 'pipe', 'pipe'] });
  recorded.argv.push(...args.slice(1));
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  stdin.on('data', noteLines(recorded.stdin)).pipe(child.stdin);
  child.stdin.on('error', () => {});
  child.stdout.on('data', noteLines(recorded.stdout)).pipe(stdout);
  child.stderr.resume();
  const ended = new Promise<void>((resolve) => {
    child.on('close', (code) => {
      recorded.exit = code;
      resolve();
    });
  });
  return { process: withStreams(child, stdin, stdout), ended };
}

/** The same process with other streams. */
function withStreams(child: ChildProcess, stdin: PassThrough, stdout: PassThrough): ReturnType<Spawn> {
  return {
    stdin,
    stdout,
    get pid() {
      return child.pid;
    },
    get killed() {
      return child.killed;
    },
    get exitCode() {
      return child.exitCode;
    },
    get signalCode() {
      return child.signalCode;
    },
    kill: (signal) => child.kill(signal),
    on: child.on.bind(child),
    once: child.once.bind(child),
    off: child.off.bind(child),
  };
}

function noteLines(lines: JsonObject[]): (data: Buffer) => void {
  let rest = '';
  return (data) => {
    const parts = (rest + data.toString('utf8')).split('\n');
    rest = parts.pop() ?? '';
    for (const text of parts) lines.push(JSON.parse(text));
  };
}

/** The scripted answers of the recordings, over HTTP. */
async function startModel(place: Place): Promise<{ port: number; stop(): void }> {
  const child = spawn(process.execPath, [join(TOOLS, 'model-api.mjs')], {
    env: { PATH: process.env.PATH, MOCK_CWD: place.cwd, MOCK_OUTSIDE: join(place.root, 'outside') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      const found = /listening (\d+)/.exec(String(data));
      if (found) resolve(Number(found[1]));
    });
    child.on('exit', () => reject(new Error('the model server did not start')));
  });
  return { port, stop: () => child.kill() };
}

function environment({ home }: Place, port: number): Record<string, string> {
  const config = join(home, '.claude');
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    HEDDLE_HOME: config,
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'sk-mock',
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the tools of the recordings are plain JavaScript.
async function tool(name: string): Promise<any> {
  return import(/* @vite-ignore */ pathToFileURL(join(TOOLS, name)).href);
}
