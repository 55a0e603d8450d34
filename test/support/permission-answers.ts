import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeApiRequest, type Script, toolUse } from '../../src/testing/index.ts';
import { type RunningCli, STREAM_BOTH, startCli } from './cli.ts';
import { blocksOf, type Line } from './lines.ts';
import { makePlace, type Place } from './place.ts';
import { bodyOf } from './requests.ts';

/** As much of a question as an answer needs; tests also make some up. */
type Question = { request_id?: unknown; [field: string]: unknown };

export interface Asked {
  cli: RunningCli;
  place: Place;
  question: Line;
}

/** A run that has just asked whether it may create the canary. */
export async function asked(env: Record<string, string> = {}): Promise<Asked> {
  const place = await makePlace([toolUse('Bash', { command: 'touch canary' }), 'ok']);
  const cli = askingCli(place, env);
  return { cli, place, question: await nextQuestion(cli) };
}

/** A session that wants to create another canary in each turn: `canary-1`, `canary-2`, … */
export async function askingSession(): Promise<{ cli: RunningCli; place: Place }> {
  const place = await makePlace(wantsCanaries());
  return { place, cli: askingCli(place) };
}

function askingCli(place: Place, env: Record<string, string> = {}): RunningCli {
  return startCli([...STREAM_BOTH, '--permission-prompt-tool', 'stdio'], { place, env });
}

function wantsCanaries(): Script<FakeApiRequest> {
  let count = 0;
  return (request) => {
    const isAnswered = blocksOf(bodyOf(request).messages.at(-1)).at(-1)?.type === 'tool_result';
    return isAnswered ? 'ok' : toolUse('Bash', { command: `touch canary-${++count}` });
  };
}

/** Begins a turn and waits for its question. */
export function nextQuestion(cli: RunningCli): Promise<Line> {
  cli.say('go');
  return cli.next(({ type }) => type === 'control_request');
}

export function answer(cli: RunningCli, question: Question, response: unknown): void {
  cli.send(answerLine(question, response));
}

export function answerLine(question: Question, response: unknown): object {
  return { type: 'control_response', response: { subtype: 'success', request_id: question.request_id, response } };
}

export function errorLine(question: Question, error: unknown): object {
  return { type: 'control_response', response: { subtype: 'error', request_id: question.request_id, error } };
}

export function ran(place: Place): boolean {
  return existsSync(join(place.cwd, 'canary'));
}

/** The canaries of an asking session that were made. */
export function canariesIn(place: Place): string[] {
  return readdirSync(place.cwd).filter((name) => name.startsWith('canary'));
}

/** Answers that allow nothing, however much they look like it. */
export const GARBLED: readonly [string, unknown][] = [
  ['null', null],
  ['nothing', undefined],
  ['a text', 'allow'],
  ['no behavior', { updatedInput: {} }],
  ['another word', { behavior: 'Allow' }],
  ['a list', ['allow']],
  ['an input of the wrong kind', { behavior: 'allow', updatedInput: 'touch canary' }],
  ['an invalid input', { behavior: 'allow', updatedInput: { command: 5 } }],
  ['a deny without words', { behavior: 'deny' }],
  ['updates that are no list', { behavior: 'allow', updatedPermissions: {} }],
  ['a garbled update', { behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 7 }] }],
];

/** More of them, so many, the same for the same random numbers. */
export function garbledAnswers(count: number, random: () => number): unknown[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const made = (): unknown => {
    const behavior = pick(NOT_ALLOW);
    switch (pick(['behavior', 'key', 'value', 'list', 'nested'] as const)) {
      case 'behavior':
        return { behavior, ...(random() < 0.5 && { updatedInput: { command: 'touch canary' } }) };
      case 'key':
        return { [pick(NOT_BEHAVIOR)]: 'allow', updatedInput: { command: 'touch canary' } };
      case 'value':
        return pick(NOT_ALLOW);
      case 'list':
        return [{ behavior: 'allow' }];
      case 'nested':
        return { [pick(NOT_BEHAVIOR)]: { behavior: 'allow' } };
    }
  };
  return Array.from({ length: count }, made);
}

const NOT_ALLOW: readonly unknown[] = [
  ...['Allow', 'ALLOW', ' allow', 'allow ', 'allow\n', 'allow\u0000', '\u0430llow', 'allowed', 'all', 'yes', 'ok', ''],
  ...[true, 1, 0, null, [], ['allow'], {}, { allow: true }, 'ask', 'constructor', '__proto__', 'passthrough'],
];
const NOT_BEHAVIOR = ['Behavior', 'behaviour', 'behavior ', 'decision', 'result', 'allow', '__proto__', 'response', ''];
