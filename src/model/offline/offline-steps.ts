import type { JsonObject } from '../../util/json.ts';
import type { Step } from './offline-instructions.ts';

export interface Call {
  tool: string;
  input: JsonObject;
}

export interface Outcome {
  text: string;
  isError: boolean;
}

export type NextMove = { kind: 'call'; call: Call } | { kind: 'report'; report: string };

/**
 * Follows the steps up to the given outcomes and returns the next call, or the report at the end. The steps are walked
 * from the start each time with the known outcomes, so no state is kept between two answers.
 */
export function followSteps(
  steps: readonly Step[],
  tools: ReadonlySet<string>,
  outcomes: readonly Outcome[],
): NextMove {
  const walk = walkSteps(steps, tools);
  let state = walk.next();
  for (const outcome of outcomes) {
    if (state.done) break;
    state = walk.next(outcome);
  }
  return state.done ? { kind: 'report', report: state.value } : { kind: 'call', call: state.value };
}

interface StepReport {
  done: boolean;
  text: string;
}

/** Later steps may need earlier ones, so the walk ends at the first step that fails. */
function* walkSteps(steps: readonly Step[], tools: ReadonlySet<string>): Generator<Call, string, Outcome> {
  const lines: string[] = [];
  for (const [at, step] of steps.entries()) {
    const report = yield* carryOut(step, tools);
    lines.push(`${at + 1}. ${report.text}`);
    if (report.done) continue;
    const left = steps.length - at - 1;
    if (left > 0) lines.push(`I stopped there and did not do the ${left === 1 ? 'last step' : `other ${left} steps`}.`);
    break;
  }
  return lines.join('\n\n');
}

function* carryOut(step: Step, tools: ReadonlySet<string>): Generator<Call, StepReport, Outcome> {
  const { what, calls } = planOf(step);
  const missing = calls.find(({ tool }) => !tools.has(tool));
  if (missing) return { done: false, text: `${what} was not done: there is no ${missing.tool} tool here.` };
  let last: Outcome = { text: '', isError: false };
  for (const call of calls) {
    last = yield call;
    if (step.kind === 'write' && last.isError && tools.has('Read') && /\bread\b/i.test(last.text)) {
      last = yield* readFirst(step.file, call);
    }
    if (last.isError) return { done: hasRun(step, last), text: `${what} failed:\n\n${quote(last.text)}` };
  }
  return { done: true, text: `${what}:\n\n${quote(last.text)}` };
}

/** A command that ran and failed still has a result: a failing test does not end the walk, a refused command does. */
function hasRun(step: Step, { text }: Outcome): boolean {
  return step.kind === 'run' && text.startsWith('Exit code ');
}

/** The write tool overwrites an existing file only after it was read. */
function* readFirst(file: string, call: Call): Generator<Call, Outcome, Outcome> {
  const read = yield { tool: 'Read', input: { file_path: file } };
  return read.isError ? read : yield call;
}

function planOf(step: Step): { what: string; calls: Call[] } {
  switch (step.kind) {
    case 'read':
      return { what: `Read ${step.file}`, calls: [{ tool: 'Read', input: { file_path: step.file } }] };
    case 'list':
      return {
        what: 'List files',
        calls: [{ tool: 'Glob', input: inDirectory({ pattern: step.glob ?? '*' }, step) }],
      };
    case 'find':
      return {
        what: `Find ${JSON.stringify(step.text)}`,
        calls: [
          {
            tool: 'Grep',
            input: inDirectory({ pattern: literally(step.text), output_mode: 'content', '-n': true }, step),
          },
        ],
      };
    case 'run':
      return { what: `Run \`${step.command}\``, calls: [{ tool: 'Bash', input: { command: step.command } }] };
    case 'write':
      return {
        what: `Write ${step.file}`,
        calls: [{ tool: 'Write', input: { file_path: step.file, content: step.text } }],
      };
    case 'replace':
      return {
        what: `Replace text in ${step.file}`,
        calls: [
          { tool: 'Read', input: { file_path: step.file } },
          { tool: 'Edit', input: { file_path: step.file, old_string: step.from, new_string: step.to } },
        ],
      };
    default:
      return step satisfies never;
  }
}

function inDirectory(input: JsonObject, { directory }: { directory?: string }): JsonObject {
  return directory ? { ...input, path: directory } : input;
}

/** A regular expression that matches exactly this text. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const QUOTED_LINES = 12;
const QUOTED_LINE_CHARS = 200;

function quote(result: string): string {
  const text = result
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .replace(/<\/?tool_use_error>/g, '')
    .trimEnd();
  if (text.trim() === '') return '> (no output)';
  const lines = text.split('\n');
  const shown = lines.slice(0, QUOTED_LINES).map((line) => `> ${line.slice(0, QUOTED_LINE_CHARS)}`);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`> … ${left} more lines`] : [])].join('\n');
}
