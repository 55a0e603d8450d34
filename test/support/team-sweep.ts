import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerLike, type FakeApiRequest, reply, type Script, text, toolUse } from '../../src/testing/index.ts';
import { apiFaults } from './api-faults.ts';
import { task } from './cast.ts';
import { type RunningCli, STREAM_BOTH, startCli } from './cli.ts';
import { blocksOf, isResult, kindOf, type Line, textsOf } from './lines.ts';
import type { Place } from './place.ts';
import { descendantsOf, eventually, isAlive } from './processes.ts';
import { bodyOf, conversationText } from './requests.ts';
import { ALL_DONE, approve } from './team-play.ts';

export interface TeamSweep {
  mates: number;
  /** How often each teammate does a piece of work and tells the next one and the leader of it. */
  rounds: number;
  kills: number;
  /** How often a teammate is stopped (`stop_task`) at a random moment of its work. */
  stops: number;
  random: () => number;
}

/** What a team is asked to do after each kill. */
const GO_ON = 'Please go on';

/**
 * A team whose members write to each other all the time. Each mail holds a mark of its own, also when the same thing is
 * said again after an interruption: so every mark can be followed from who sent it to who has read it.
 */
export function sweepTeamScript({ mates, rounds, random }: TeamSweep): Script<FakeApiRequest> {
  const names = Array.from({ length: mates }, (_, at) => `mate${at}`);
  return (request) => {
    const self = /MATE (mate\d+)/.exec(textsOf(bodyOf(request).messages[0]).join('\n'))?.[1];
    const answer = self === undefined ? leads(names, request) : works(self, names, rounds, request);
    return paced(answer, Math.floor(random() * 80));
  };
}

function paced(answer: AnswerLike, waitMs: number): AnswerLike {
  const blocks = typeof answer === 'string' ? [text(answer)] : Array.isArray(answer) ? answer : [answer];
  return reply(blocks as Parameters<typeof reply>[0], { waitMs });
}

function works(self: string, names: readonly string[], rounds: number, request: FakeApiRequest): AnswerLike {
  const last = textsOf(bodyOf(request).messages.at(-1)).join('\n');
  if (/You are asked to shut down/.test(last)) return approve();
  const done = conversationText(request).split('Message sent to team-lead').length - 1;
  if (done >= rounds) return 'All done.';
  const other = names[(names.indexOf(self) + 1) % names.length] ?? '';
  const work = toolUse('Bash', { command: `sleep 0.02; echo piece ${done}` });
  return [work, ...(other === self ? [] : [marked(other)]), marked('team-lead')];
}

function marked(recipient: string) {
  const mark = `mark-${randomUUID()}`;
  return toolUse('SendMessage', { type: 'message', recipient, content: `${mark} for ${recipient}`, summary: mark });
}

type Standing = 'unknown' | 'alive' | 'approved' | 'ended';

/** What a leader who has been interrupted does: looks what it knows, and does what is missing. */
function leads(names: readonly string[], request: FakeApiRequest): AnswerLike {
  const { messages } = bodyOf(request);
  const told = conversationText(request);
  const last = textsOf(messages.at(-1)).join('\n');
  if (last.includes('The team crew is removed') || last.includes('There is no team to remove')) return ALL_DONE;
  if (!/"team_name":"crew"|You lead the team crew/.test(told)) {
    return toolUse('TeamCreate', { team_name: 'crew', description: 'A test' });
  }
  const standing = standingsIn(messages.filter(({ role }) => role === 'user').flatMap(textsOf), names);
  const those = (state: Standing) => names.filter((name) => standing.get(name) === state);
  const start = (name: string) => task(`MATE ${name} go`, { team_name: 'crew', name });
  if (those('unknown').length > 0) return those('unknown').map(start);
  const resume = (name: string) => task('You were cut off. Go on.', { resume: `${name}@crew` });
  if (those('ended').length > 0) return those('ended').map(resume);
  if (last.includes('cannot be removed yet')) return 'I wait.';
  if (those('approved').length === names.length) return toolUse('TeamDelete', {});
  const isDue = told.includes('all teammates are idle');
  const isAsking = last.includes('all teammates are idle') || (isDue && last.includes('"idle_notification"'));
  const ask = (recipient: string) => toolUse('SendMessage', { type: 'shutdown_request', recipient });
  return isAsking ? those('alive').map(ask) : 'Noted.';
}

const EVENTS: readonly [RegExp, (before: Standing) => Standing][] = [
  [/(mate\d+) has joined the team/, () => 'alive'],
  [/There is a teammate (mate\d+) already/, () => 'alive'],
  [/Teammate (mate\d+) (?:has crashed|was stopped)/, (before) => (before === 'approved' ? 'approved' : 'ended')],
  [/(mate\d+) goes on \(agent_id/, () => 'alive'],
  [/(mate\d+) is (?:starting|working|idle|asked|leaving)\. Send/, () => 'alive'],
  [/teammate_id="(mate\d+)"[^>]*>\n\{"type":"shutdown_response"[^\n]*"approve":true/, () => 'approved'],
  [/(mate\d+) \((?:idle|working|asked)\)/, () => 'alive'],
];

/** How the leader sees each of them, by all that it was told, in order. */
function standingsIn(texts: readonly string[], names: readonly string[]): Map<string, Standing> {
  const standing = new Map<string, Standing>(names.map((name) => [name, 'unknown']));
  const all = texts.join('\n');
  const found = EVENTS.flatMap(([pattern, next]) =>
    [...all.matchAll(new RegExp(pattern, 'g'))].map(({ index, 1: name = '' }) => ({ index, name, next })),
  );
  for (const { name, next } of found.sort((one, other) => one.index - other.index)) {
    standing.set(name, next(standing.get(name) ?? 'unknown'));
  }
  return standing;
}

export interface Swept {
  /** Everything that is not as it was promised. */
  faults: string[];
  /** What really happened to the team: it may have been too fast. */
  kills: number;
  stops: number;
}

/** Runs the team to its end, through all kills and stops. */
export async function sweepTeam(place: Place, sweep: TeamSweep): Promise<Swept> {
  const sessionId = randomUUID();
  const processes: number[] = [];
  let stops = 0;
  for (let kills = 0; ; kills++) {
    const isLast = kills >= sweep.kills;
    const how = kills === 0 ? ['--session-id', sessionId] : ['--resume', sessionId];
    const cli = startCli([...STREAM_BOTH, '--teams', '--allowedTools', 'Bash', ...how], { place });
    await live(cli, kills === 0 ? 'LEAD go' : GO_ON, { ...sweep, isKilled: !isLast, processes });
    const { code, lines, stderr } = await cli.finished;
    await eventually(() => !processes.some(isAlive), 6000);
    stops += lines.filter(isStopped).length;
    const isDone = code === 0 && lines.findLast(isResult)?.result === ALL_DONE;
    if (isDone) return { faults: mailFaults(place), kills, stops };
    const end = `it ended with ${code}: ${JSON.stringify(lines.slice(-3))} ${stderr}`;
    if (isLast || code !== null) return { faults: [end, ...mailFaults(place)], kills, stops };
  }
}

function isStopped({ type, response }: Line): boolean {
  const { subtype, request_id } = (response ?? {}) as Record<string, unknown>;
  return type === 'control_response' && subtype === 'success' && String(request_id).startsWith('stop-');
}

/** How long the last process of a sweep may take. */
const PATIENCE_MS = 20_000;

/** The host's side of one process. */
async function live(
  cli: RunningCli,
  prompt: string,
  { stops, random, isKilled, processes }: TeamSweep & { isKilled: boolean; processes: number[] },
): Promise<void> {
  const isOver = () => cli.child.exitCode !== null || cli.child.signalCode !== null;
  cli.say(prompt);
  await cli.until(() => cli.lines.some(({ subtype }) => subtype === 'init')).catch(() => {});
  cli.send({ type: 'control_request', request_id: 'end', request: { subtype: 'end_input' } });
  const until = Date.now() + (isKilled ? 30 + random() * 1500 : PATIENCE_MS);
  for (let left = stops; Date.now() < until && !isOver(); ) {
    await sleep(20 + random() * 60);
    processes.push(...descendantsOf(cli.pid).filter((pid) => !processes.includes(pid)));
    if (left > 0 && random() < 0.2 && stopOne(cli, random)) left--;
  }
  cli.kill('SIGKILL'); // if it is still there
}

function stopOne(cli: RunningCli, random: () => number): boolean {
  const ids = cli.lines.filter((line) => kindOf(line) === 'system/task_started').map(({ task_id }) => task_id);
  const task_id = ids[Math.floor(random() * ids.length)];
  if (task_id === undefined) return false;
  cli.send({ type: 'control_request', request_id: `stop-${randomUUID()}`, request: { subtype: 'stop_task', task_id } });
  return true;
}

/** Every mail of which the sender was told that it is sent is read once by whom it is for; no mail is read twice. */
function mailFaults({ api }: Place): string[] {
  const members = new Map<string, FakeApiRequest[]>();
  for (const request of api.requests) {
    const name = /MATE (mate\d+)/.exec(textsOf(bodyOf(request).messages[0]).join('\n'))?.[1] ?? 'team-lead';
    members.set(name, [...(members.get(name) ?? []), request]);
  }
  const sent = [...members.values()].flatMap((requests) => marksSent(requests.at(-1)));
  const leaderKnows = conversationText(members.get('team-lead')?.at(-1));
  const faults = [...new Set(api.requests.flatMap((request) => apiFaults(bodyOf(request))))];
  for (const { mark, to } of sent) {
    const read = timesRead(mark, members.get(to)?.at(-1));
    if (read === 1 || (read === 0 && leaderKnows.includes(`Never read by ${to}`) && leaderKnows.includes(mark)))
      continue;
    faults.push(`${mark} for ${to} was read ${read} times`);
  }
  for (const [name, requests] of members) {
    const ids = [...promptsOf(requests.at(-1)).matchAll(/message_id="([^"]+)"/g)].map(([, id]) => id);
    const doubles = ids.filter((id, at) => ids.indexOf(id) !== at);
    faults.push(...doubles.map((id) => `${name} has read ${id} twice`));
  }
  return sent.length === 0 ? ['no mail was sent'] : faults;
}

/** The marks of the mails whose sending was answered with success. */
function marksSent(request: FakeApiRequest | undefined): { mark: string; to: string }[] {
  const blocks = bodyOf(request).messages.flatMap((message) => [...blocksOf(message)]);
  const answers = new Map(
    blocks.map((block) => [block.tool_use_id, textsOf({ content: block.content ?? '' }).join('')]),
  );
  return blocks.flatMap(({ type, id, name, input }) => {
    if (type !== 'tool_use' || name !== 'SendMessage' || typeof input?.summary !== 'string') return [];
    const isSent = answers.get(id)?.includes(`Message sent to`) ?? false;
    return isSent ? [{ mark: input.summary, to: String(input.recipient) }] : [];
  });
}

function timesRead(mark: string, request: FakeApiRequest | undefined): number {
  return promptsOf(request).split(`${mark} for `).length - 1;
}

/** What it was told by others: not what its own calls were answered with. */
function promptsOf(request: FakeApiRequest | undefined): string {
  const said = bodyOf(request).messages.filter(({ role }) => role === 'user');
  return said.flatMap((message) => blocksOf(message).flatMap((block) => block.text ?? [])).join('\n');
}
