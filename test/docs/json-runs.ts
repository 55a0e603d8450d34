import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toMail } from '../../src/agent/team/mail.ts';
import { readLease } from '../../src/sessions/stores/lease-file.ts';
import { isObject, type JsonObject } from '../../src/util/json.ts';
import { parseHostRequest } from '../../src/wire/index.ts';
import type { Block } from './blocks.ts';
import { endProblem, type Finished, type Project, runInProject } from './project.ts';

/** What JSON of a page says is tried: each resolves with what is wrong, or null. */

/** A run whose user has these settings has nothing to say about them. With `warns` it has: what they name is not there. */
export async function tryAsSettings({ code, notes }: Block, project: Project): Promise<string | null> {
  const home = putIntoHome(project, 'settings.json', code);
  const finished = await runAt(home, project, ['heddle', '-p', 'hi', '--no-session-persistence']);
  if (finished.stderr.includes('The sandbox cannot be used')) return null; // as sandbox.md says of such a machine
  if (notes.has('warns')) return finished.stderr === '' ? 'it was to warn, and does not' : null;
  return quietProblem(finished);
}

/** The servers are listed, and can be configured like that. */
export async function tryAsServers({ code }: Block, project: Project): Promise<string | null> {
  const file = putIntoHome(project, 'servers.json', code);
  const names = [...code.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name, 'given']);
  const given: Project = { ...project, env: { ...project.env, ...Object.fromEntries(names) } };
  const flags = ['--no-connect', '--json', '--strict-mcp-config', '--mcp-config', join(file, 'servers.json')];
  const finished = await runInProject(given, ['heddle', 'mcp', 'list', ...flags]);
  const problem = quietProblem(finished);
  if (problem) return problem;
  const listed = (JSON.parse(finished.stdout) as { name: string }[]).map(({ name }) => name);
  const missing = Object.keys(JSON.parse(code).mcpServers).filter((name) => !listed.includes(name));
  return missing.length === 0 ? null : `heddle mcp list does not have ${missing.join(', ')}`;
}

/** How much fits into a model that it names does not have to be assumed. */
export async function tryAsModelLimits({ code }: Block, project: Project): Promise<string | null> {
  const [model = ''] = Object.keys(JSON.parse(code));
  const given: Project = { ...project, env: { ...project.env, HEDDLE_MODEL_LIMITS: code } };
  const finished = await runInProject(given, ['heddle', '-p', 'hi', '--model', model, '--no-session-persistence']);
  const isAssumed = finished.stderr.includes(`The context window of ${model}`);
  return endProblem(NO_NOTES, finished) ?? (isAssumed ? finished.stderr : null);
}

const FIRST_MESSAGE = '00000000-0000-4000-8000-000000000001';

/** What a host writes is said to an agent; `<uuid>` stands for a message that was there before. */
export async function tryAsHostLines({ code }: Block, project: Project): Promise<string | null> {
  const lines = code.replaceAll('<uuid>', FIRST_MESSAGE).trim().split('\n');
  const said = lines.map((line) => JSON.parse(line) as JsonObject).filter(isOfHost);
  if (said.length === 0)
    return 'no line of it is written by a host: its comment must say why it is not tried (because=)';
  const first = { type: 'user', uuid: FIRST_MESSAGE, message: { role: 'user', content: 'hi' } };
  const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const all = code.includes('<uuid>') ? [first, ...said] : said;
  const input = all.map((line) => `${JSON.stringify(line)}\n`).join('');
  const finished = await runInProject(project, ['heddle', '-p', '--model', 'offline', ...formats], input);
  return quietProblem(finished) ?? answersProblem(said, finished);
}

function isOfHost({ type, request }: JsonObject): boolean {
  return type === 'user' || (type === 'control_request' && parseHostRequest(request).ok);
}

function answersProblem(said: readonly JsonObject[], { stdout }: Finished): string | null {
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  const responses = lines.filter(({ type }) => type === 'control_response').map(({ response }) => response);
  const isAnswered = ({ type, request_id }: JsonObject) =>
    type !== 'control_request' ||
    responses.some((each) => isObject(each) && each.request_id === request_id && each.subtype === 'success');
  const unanswered = said.find((line) => !isAnswered(line));
  return unanswered === undefined ? null : `no success as an answer to ${JSON.stringify(unanswered)}`;
}

/** A session file of these entries is whole. Of one that is only partly shown, the rest is filled in. */
export async function tryAsEntries({ code, notes }: Block, project: Project): Promise<string | null> {
  const whole = notes.has('part-of') ? [{ ...COMMON, ...JSON.parse(code) }] : linesOf(code);
  const entries = whole.map((entry) => ({ ...entry, sessionId: SESSION, ...('parentUuid' in entry && NO_PARENT) }));
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const home = putIntoHome(project, `projects/-loom/${SESSION}.jsonl`, text);
  return quietProblem(await runInProject(project, ['heddle', 'sessions', 'fsck', '--all', '--home', home]));
}

const SESSION = '11111111-1111-4111-8111-111111111111';
const COMMON = { uuid: FIRST_MESSAGE, parentUuid: null, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/srv/app' };
const NO_PARENT = { parentUuid: null };

function linesOf(code: string): JsonObject[] {
  return code
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
}

/** The record of a task is shown, with its state. */
export async function tryAsTask({ code }: Block, project: Project): Promise<string | null> {
  const { task_id: id, session_id: session, status } = JSON.parse(code) as Record<string, string>;
  const home = putIntoHome(project, `background/${session}/${id}.json`, code);
  const shown = await runInProject(project, ['heddle', 'tasks', 'show', '--json', '--home', home, String(id)]);
  const problem = quietProblem(shown);
  if (problem) return problem;
  const { state } = JSON.parse(shown.stdout) as JsonObject;
  return state === status ? null : `it is shown as ${state}`;
}

export function tryAsLease({ code }: Block, project: Project): string | null {
  const home = putIntoHome(project, 'locks/lease.json', code);
  return readLease(join(home, 'locks/lease.json'))?.isUnwritten === false ? null : 'no lease was found in it';
}

export function tryAsMails({ code }: Block): string | null {
  const mails: unknown = JSON.parse(code);
  return Array.isArray(mails) && mails.every((mail) => toMail(mail) !== null) ? null : 'not an inbox of mails';
}

/** A config home of its own, with one file in it. */
function putIntoHome({ root }: Project, name: string, text: string): string {
  const home = mkdtempSync(join(root, 'home-'));
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), text);
  return home;
}

function runAt(home: string, project: Project, command: readonly string[]): Promise<Finished> {
  return runInProject({ ...project, env: { ...project.env, HEDDLE_HOME: home } }, command);
}

const NO_NOTES = { notes: new Map<string, string>() };

/** It ends well, and without a word on stderr. */
export function quietProblem(finished: Finished): string | null {
  return endProblem(NO_NOTES, finished) ?? (finished.stderr === '' ? null : `it said: ${finished.stderr}`);
}

/** An editor starts the program that the block names, and asks who it is. */
export async function tryAsAcpClient({ code }: Block, project: Project): Promise<string | null> {
  const [server] = Object.values((JSON.parse(code) as { agent_servers: Record<string, AcpProgram> }).agent_servers);
  if (!server) return 'it names no agent';
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: 1, clientCapabilities: {} },
  };
  const finished = await runInProject(project, [server.command, ...server.args], `${JSON.stringify(request)}\n`);
  const isAnswer = finished.stdout.includes('"protocolVersion":1');
  return quietProblem(finished) ?? (isAnswer ? null : `it answered ${finished.stdout}`);
}

interface AcpProgram {
  command: string;
  args: string[];
}
