import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectSlug } from '../../src/sessions/files/project-slug.ts';
import { apiFaults } from './api-faults.ts';
import { type Finished, STREAM_OUT, startCli } from './cli.ts';
import { type DamageCase, SESSION } from './damage-corpus.ts';
import { blocksOf, type Line } from './lines.ts';
import type { Place } from './place.ts';
import { bodyOf, isPrefix } from './requests.ts';
import { wordFaults } from './restored.ts';

const MOST_MS = 10_000;
const MOST_MEGABYTES = 1500;

/** Where the command line looks for the session that the corpus is about. */
export function damagedFile({ home, cwd }: Place): string {
  const path = join(home, 'projects', projectSlug(cwd), `${SESSION}.jsonl`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return path;
}

/** The answers to the prompts of `resumeDamaged`. */
export function damageScript(_: unknown, index: number): string {
  return `reply-${index + 1}`;
}

/** Resumes a damaged session twice, as a user does, and returns everything that is not as it was promised. */
export async function resumeDamaged(place: Place, damaged: DamageCase, mostMs = MOST_MS): Promise<string[]> {
  const { make, kept, left, said = [], isBeforeSummary } = damaged;
  const path = damagedFile(place);
  const before = make();
  writeFileSync(path, before, { mode: 0o600 });

  const first = await resumed(place, 'prompt-1', mostMs);
  const repaired = readFileSync(path);
  const faults = [
    ...first.faults,
    ...requestFaults(place, 0, { kept: [...kept, 'prompt-1'], left }),
    ...(isBeforeSummary ? [] : saidFaults(first, { isDamaged: said.length > 0, isOneLine: left === undefined })),
    ...appendFaults(before, repaired),
  ];

  const second = await resumed(place, 'prompt-2', mostMs);
  return [
    ...faults,
    ...second.faults,
    ...requestFaults(place, 1, { kept: [...kept, 'prompt-1', 'reply-1', 'prompt-2'], left }),
    ...appendFaults(repaired, readFileSync(path)),
    ...appendedEntries(repaired, readFileSync(path)).flatMap((entry) => (isResult(entry) ? ['a second repair'] : [])),
    ...(isPrefix(bodyOf(place.api.requests[0]), bodyOf(place.api.requests[1]))
      ? []
      : ['no prefix of the next request']),
  ];
}

interface Resumed extends Finished {
  faults: string[];
}

async function resumed(place: Place, prompt: string, mostMs: number): Promise<Resumed> {
  const started = Date.now();
  const cli = startCli([...STREAM_OUT, prompt, '--resume', SESSION], { place });
  cli.endInput();
  const peak = watchMemory(cli.pid);
  const run = await cli.finished;
  const faults: string[] = [];
  const result = run.lines.at(-1);
  if (run.code !== 0 || result?.is_error) {
    faults.push(`it ended with ${run.code}: ${run.stdout.slice(-500)} ${run.stderr.slice(0, 1500)}`);
  }
  if (result?.session_id !== SESSION) faults.push(`the session became ${result?.session_id}`);
  if (hasTrace(run)) faults.push(`a stack trace: ${run.stderr.slice(0, 1500)}`);
  if (Date.now() - started > mostMs) faults.push(`it took ${Date.now() - started} ms`);
  if (peak() > MOST_MEGABYTES) faults.push(`it took ${peak()} MB`);
  return { ...run, faults };
}

/** Whether a program ended with the words of its runtime instead of its own. */
export function hasTrace({ stderr, stdout }: Finished): boolean {
  return /^\s+at .+:\d+:\d+\)?$/m.test(stderr + stdout);
}

function requestFaults(
  place: Place,
  index: number,
  words: { kept: string[]; left: readonly string[] | undefined },
): string[] {
  const request = place.api.requests[index];
  if (!request) return ['there was no request'];
  const body = bodyOf(request);
  return [...wordFaults(body, { kept: words.kept, left: words.left ?? [] }), ...apiFaults(body)];
}

function saidFaults(
  { stderr }: Finished,
  { isDamaged, isOneLine }: { isDamaged: boolean; isOneLine: boolean },
): string[] {
  if (isDamaged) return /damaged/.test(stderr) ? [] : [`nothing was said about the damage: ${stderr}`];
  return stderr === '' || !isOneLine ? [] : [`there was nothing to say: ${stderr.slice(0, 500)}`];
}

/** What was there is as it was, and what was added stands on lines of its own. */
function appendFaults(before: Buffer, after: Buffer): string[] {
  if (!after.subarray(0, before.length).equals(before)) return ['what was in the file has changed'];
  const isTorn = before.length > 0 && before.at(-1) !== 0x0a;
  if (isTorn && after[before.length] !== 0x0a) return ['the next entry is glued to the torn line'];
  try {
    const added = appendedEntries(before, after);
    return added.length > 0 && after.at(-1) === 0x0a ? [] : ['nothing whole was appended'];
  } catch (error) {
    return [`what was appended cannot be read: ${error}`];
  }
}

function appendedEntries(before: Buffer, after: Buffer): Line[] {
  const lines = after.subarray(before.length).toString().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
}

function isResult({ type, message }: Line): boolean {
  return type === 'user' && blocksOf(message).some((block) => block.type === 'tool_result');
}

/** The most memory that a process has held so far, in megabytes. */
function watchMemory(pid: number): () => number {
  let most = 0;
  const look = () => {
    try {
      const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      most = Math.max(most, Number(found ?? 0) / 1024);
    } catch {
      clearInterval(timer);
    }
  };
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    return most;
  };
}
