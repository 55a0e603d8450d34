import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnswerLike, type FakeApiRequest, reply, text, toolUse } from '../../src/testing/index.ts';
import { seededRandom } from './fuzz.ts';
import { blocksOf, type Line, textsOf } from './lines.ts';
import type { Place } from './place.ts';
import { bodyOf } from './requests.ts';
import { type Reply, type ServedCli, startServer } from './serve-cli.ts';
import { readEntries, sessionFile } from './session-files.ts';

export interface KillPlan {
  seed: number;
  kills: number;
  sessions: number;
  /** Messages of each session. */
  messages: number;
}

export interface KillReport {
  kills: number;
  acknowledged: number;
  entries: number;
  lines: number;
  calls: number;
  continued: number;
  interrupted: number;
  /** Milliseconds from the start of a server to its first answer, each. */
  restarts: number[];
  /** Everything that must not be, in words. */
  faults: string[];
}

const ROUNDS = 2;
const TASK = /task (s\d+-m\d+)/;

/** Each task is two calls with an effect outside, and an answer. Where the model is, only the request tells. */
export function killScript(request: FakeApiRequest): AnswerLike {
  const { messages } = bodyOf(request);
  const at = messages.findLastIndex((each) => textsOf(each).some((said) => TASK.test(said)));
  const [, task = '?'] =
    TASK.exec(textsOf(messages[at] ?? { content: '' }).findLast((said) => TASK.test(said)) ?? '') ?? [];
  const done = messages
    .slice(at + 1)
    .flatMap(blocksOf)
    .filter(({ type }) => type === 'tool_result').length;
  if (done >= ROUNDS) return reply([text(`answer ${task}`)], { deltaMs: 2 });
  const command = `echo ${task}-${done} >> effects.txt; sleep 0.15`;
  return reply([toolUse('Bash', { command })], { deltaMs: 2 });
}

/** Posts messages to a server that is killed at random moments, and tells what was lost, doubled or run twice. */
export async function killServers(place: Place, { seed, kills, sessions, messages }: KillPlan): Promise<KillReport> {
  const random = seededRandom(seed);
  const config = { allowedTools: ['Bash'] };
  let server = await startServer(place);
  const ids = Array.from({ length: sessions }, () => randomUUID());
  for (const id of ids) await server.call('POST', '/v1/sessions', { body: { id, config } });
  const acknowledged = new Map<string, { session: string; task: string }>();
  const restarts: number[] = [];

  const post = async (session: string, task: string) => {
    const uuid = randomUUID();
    for (;;) {
      const answer = await tried(() =>
        server.call('POST', `/v1/sessions/${session}/messages`, { body: { uuid, content: `task ${task}` } }),
      );
      if (answer?.status === 202 || answer?.status === 200) {
        acknowledged.set(uuid, { session, task });
        return;
      }
      await sleep(20);
    }
  };
  const posting = ids.map(async (session, at) => {
    for (let no = 0; no < messages; no++) {
      await post(session, `s${at}-m${no}`);
      await sleep(random() * 1200);
    }
  });
  const killing = (async () => {
    for (let kill = 0; kill < kills; kill++) {
      await sleep(100 + random() * 900);
      server.cli.child.kill('SIGKILL');
      await server.cli.finished;
      const begun = performance.now();
      server = await startServer(place);
      restarts.push(performance.now() - begun);
    }
  })();
  await Promise.all([...posting, killing]);
  await settled(() => server, ids);
  return report(place, server, { ids, acknowledged, kills, restarts });
}

async function settled(server: () => ServedCli, ids: readonly string[]): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const states = await Promise.all(
      ids.map(async (id) => (await server().call('GET', `/v1/sessions/${id}`)).body.state),
    );
    if (states.every((state) => state === 'idle')) return;
    if (Date.now() > end) throw new Error(`Sessions still work: ${states.join(', ')} ${server().cli.stderr}`);
    await sleep(400);
  }
}

async function report(
  place: Place,
  server: ServedCli,
  known: {
    ids: readonly string[];
    acknowledged: ReadonlyMap<string, { session: string; task: string }>;
    kills: number;
    restarts: number[];
  },
): Promise<KillReport> {
  const faults: string[] = [];
  const counts = { entries: 0, lines: 0, continued: 0, interrupted: 0 };
  for (const [at, session] of known.ids.entries()) {
    const own = [...known.acknowledged].filter(([, each]) => each.session === session);
    const { turns } = (await server.call('GET', `/v1/sessions/${session}/turns?limit=1000`)).body;
    counts.continued += turns.filter(({ attempts }: { attempts: number }) => attempts > 1).length;
    const lines = await allLines(server, session);
    const results = lines.filter(({ type }) => type === 'result');
    const entries = readEntries(sessionFile(place, session), { tornEnd: true });
    counts.entries += entries.length;
    counts.lines += lines.length;
    counts.interrupted += entries.filter((entry) => JSON.stringify(entry).includes('had reported back')).length;
    for (const [uuid, { task }] of own) {
      const answering = turns.filter((turn: { messages: string[] }) => turn.messages.includes(uuid));
      if (answering.length !== 1) faults.push(`${task}: ${answering.length} turns`);
      const told = results.filter((line) => (line.user_message_uuids as string[] | undefined)?.includes(uuid));
      if (told.length !== 1) faults.push(`${task}: ${told.length} results`);
      const prompts = entries.filter((entry) => entry.uuid === uuid);
      const isAbandoned = told[0]?.error_code === 'turn_abandoned';
      if (prompts.length !== 1 && !isAbandoned) faults.push(`${task}: ${prompts.length} prompts`);
      if (!isAbandoned && told[0]?.result !== `answer ${task}`) faults.push(`${task}: answered by ${told[0]?.result}`);
    }
    const order = results.map(({ result }) => String(result)).filter((said) => said.startsWith('answer'));
    const expected = own.map(([, { task }]) => `answer ${task}`).filter((said) => order.includes(said));
    if (order.join() !== expected.join()) faults.push(`session ${at}: answered as ${order.join()}`);
    faults.push(...doubled(lines.map(({ uuid }) => uuid)).map((uuid) => `session ${at}: two lines ${uuid}`));
    faults.push(...doubled(entries.map(({ uuid }) => uuid)).map((uuid) => `session ${at}: two entries ${uuid}`));
    if (lines.some(({ seq }, index) => seq !== index + 1)) faults.push(`session ${at}: a gap in the lines`);
    const missing = entries.filter((entry) => isSaid(entry) && !lines.some(({ uuid }) => uuid === entry.uuid));
    for (const { uuid, type } of missing) faults.push(`session ${at}: no line for the ${type} entry ${uuid}`);
  }
  const path = join(place.cwd, 'effects.txt');
  const effects = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  faults.push(...doubled(effects).map((call) => `call ${call} ran twice`));
  const { kills, restarts, acknowledged } = known;
  return { kills, acknowledged: acknowledged.size, calls: effects.length, ...counts, restarts, faults };
}

/** Answers, calls and their results must have been said. */
function isSaid(entry: Line): boolean {
  if (entry.type === 'assistant') return true;
  return (
    entry.type === 'user' &&
    entry.message !== undefined &&
    blocksOf(entry.message).some(({ type }) => type === 'tool_result')
  );
}

async function allLines(server: ServedCli, session: string): Promise<Line[]> {
  const all: Line[] = [];
  for (;;) {
    const { body } = await server.call('GET', `/v1/sessions/${session}/events?after=${all.length}&limit=500`);
    if (body.lines.length === 0) return all;
    all.push(...body.lines);
  }
}

function doubled(values: readonly unknown[]): string[] {
  const seen = new Set<unknown>();
  const twice = new Set<string>();
  for (const value of values) {
    if (value !== undefined && seen.has(value)) twice.add(String(value));
    seen.add(value);
  }
  return [...twice];
}

async function tried(work: () => Promise<Reply>): Promise<Reply | null> {
  try {
    return await work();
  } catch {
    return null; // the server is dead: the client tries again
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
