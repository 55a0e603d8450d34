import { constants } from 'node:os';
import { Aborted } from '../util/abort.ts';
import { type ProcessOutcome, type ProcessSpec, SpawnError } from '../util/process.ts';
import { boolean, type InputOf, number, objectInput, optional, string } from './input-schema.ts';
import { createOutput } from './output-limit.ts';
import { type Tool, type ToolContext, ToolError } from './tool.ts';

const input = objectInput({
  command: string('The command line'),
  timeout: optional(number('Milliseconds until the command is ended', { minimum: 1 })),
  description: optional(string('What the command does, in five to ten words')),
  dangerouslyDisableSandbox: optional(boolean('Run outside of the sandbox, where one is in force')),
});

export interface BashOptions {
  /** Whether a whole command line only reads, so that it may run beside others (ruling K36). */
  isReadOnly: (command: string) => boolean;
}

export function createBashTool({ isReadOnly }: BashOptions): Tool<InputOf<typeof input>> {
  return {
    name: 'Bash',
    description: `Runs a command line with bash and returns its output.

- Every command starts in the working directory with an empty stdin. Directory changes, variables and functions do not carry over to the next command: chain with && and quote paths that hold spaces.
- It is ended after timeout milliseconds (default 120000, at most 600000). Long output is shortened in the middle; the whole is kept in a file that the result names.
- For files prefer Read, Edit, Write, Glob and Grep to cat, sed, echo, find and grep.
- Independent commands may be called together in one answer.`,
    input,
    access: ({ command }) => ({ kind: 'execute', command }),
    isConcurrencySafe: ({ command }) => isReadOnly(command),
    async run({ command, timeout }, context) {
      const timeoutMs = timeoutFor(timeout, context.env);
      const { end, stdout, stderr } = await runCommand(command, timeoutMs, context);
      if (end === 'aborted') throw new ToolError(joinParts(['The command was interrupted.', stderr, stdout]));
      if (end.timedOut) {
        const text = `The command was ended after ${timeoutMs / 1000} s (timeout). Output so far:`;
        throw new ToolError(joinParts([text, stderr, stdout]));
      }
      const note = end.stillRunning ? STILL_RUNNING : '';
      if (end.exitCode !== 0) throw new ToolError(failureText(end, stdout, joinParts([stderr, note])));
      const data = {
        stdout,
        stderr,
        interrupted: false,
        isImage: false,
        noOutputExpected: isUsuallySilent(command),
      };
      return { content: joinParts([stdout, stderr, note]), isError: false, data };
    },
  };
}

const STILL_RUNNING =
  '[A process that this command started is still running. Its output is not read any more; it ends with the session.]';

interface CommandResult {
  end: ProcessOutcome | 'aborted';
  stdout: string;
  stderr: string;
}

async function runCommand(command: string, timeoutMs: number, context: ToolContext): Promise<CommandResult> {
  const maxChars = outputLimit(context.env);
  const { spillDir, toolUseId } = context;
  const outputs = {
    stdout: createOutput({ maxChars, spillDir, name: `${toolUseId}-stdout` }),
    stderr: createOutput({ maxChars, spillDir, name: `${toolUseId}-stderr` }),
  };
  const spec = {
    args: ['-c', command],
    cwd: context.workspace.cwd,
    env: { ...context.env, CLAUDECODE: '1' },
    timeoutMs,
    onOutput: (stream: 'stdout' | 'stderr', data: Buffer) => outputs[stream].add(data),
  };
  const end = await execBash(spec, context);
  return { end, stdout: trimNewlines(outputs.stdout.end()), stderr: trimNewlines(outputs.stderr.end()) };
}

async function execBash(spec: Omit<ProcessSpec, 'command'>, context: ToolContext): Promise<ProcessOutcome | 'aborted'> {
  const exec = (command: string) => context.workspace.exec({ ...spec, command }, context.signal);
  try {
    return await exec('/bin/bash').catch((error) => {
      // Systems that keep bash elsewhere; found by trying, so that the others need not look first.
      if (error instanceof SpawnError && error.code === 'ENOENT') return exec('bash');
      throw error;
    });
  } catch (error) {
    if (error instanceof Aborted) return 'aborted';
    if (error instanceof SpawnError) throw new ToolError(error.message, { cause: error });
    throw error;
  }
}

/** As the wire has it: `Exit code N`, stderr, an empty line, stdout. */
function failureText({ exitCode, signal }: ProcessOutcome, stdout: string, stderr: string): string {
  const code = exitCode ?? 128 + signalNumber(signal);
  const title = signal === null ? `Exit code ${code}` : `Exit code ${code} (ended by ${signal})`;
  return joinParts([title, [stderr, stdout].filter(Boolean).join('\n\n')]);
}

function signalNumber(name: string | null): number {
  return Object.entries(constants.signals).find(([signal]) => signal === name)?.[1] ?? 0;
}

function joinParts(parts: string[]): string {
  return parts.filter(Boolean).join('\n');
}

function trimNewlines(text: string): string {
  return text.replace(/(\r?\n)+$/, '');
}

function timeoutFor(asked: number | undefined, env: ToolContext['env']): number {
  const standard = positive(env.BASH_DEFAULT_TIMEOUT_MS) ?? 120_000;
  const longest = Math.max(standard, positive(env.BASH_MAX_TIMEOUT_MS) ?? 600_000);
  return Math.min(asked ?? standard, longest);
}

function outputLimit(env: ToolContext['env']): number {
  return Math.min(positive(env.BASH_MAX_OUTPUT_LENGTH) ?? 30_000, 150_000);
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return value > 0 ? value : undefined;
}

/** For `noOutputExpected`, by which hosts choose how to show an empty result. */
function isUsuallySilent(command: string): boolean {
  return /^\s*(touch|mkdir|rmdir|rm|mv|cp|ln|chmod|chown|cd|export|unset)\b[^|&;<>`$()\n]*$/.test(command);
}
