import { readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import type { ProcessOutcome } from '../../util/process/process.ts';
import { positiveInteger } from '../../util/text/setting-text.ts';
import type { ContentBlock, ImageBlock } from '../../wire/api/content.ts';
import type { BashOutput } from '../../wire/tools/tool-outputs.ts';
import { backgroundPort } from '../background/background-port.ts';
import type { BackgroundTask } from '../background/background-tasks.ts';
import { imageBlock } from '../files/image-fit.ts';
import type { ShellSandbox } from '../shell-sandbox.ts';
import { type ToolContext, ToolError, type ToolOutput } from '../tool.ts';
import type { DetachedShells } from './detached-shells.ts';
import { fileChanges } from './file-changes.ts';
import type { LetGoBy } from './foreground-calls.ts';
import { runInForeground } from './foreground-shell.ts';
import { gitOperation } from './git-operation.ts';
import { reportedDirectory } from './shell-arguments.ts';
import type { ShellSpec } from './shell-exec.ts';
import { type ShellPort, shellPort } from './shell-port.ts';

/** A call of Bash, checked. A type and not an interface, so that it is also a JsonObject. */
export type BashInput = {
  command: string;
  timeout?: number | undefined;
  description?: string | undefined;
  run_in_background?: boolean | undefined;
  dangerouslyDisableSandbox?: boolean | undefined;
  detach?: boolean | undefined;
};

/** Starts the command and returns where its output can be read. */
export async function startInBackground(call: BashInput, context: ToolContext): Promise<ToolOutput> {
  const { service, toolUseId } = context;
  const shell = service(shellPort);
  const { command, description } = call;
  const sandbox = sandboxFor(call, shell);
  const env = envFor(sandbox, shell, context.env);
  const cwd = shell.directory.enter();
  const spec = { command, description, toolUseId, cwd, env, guard: shell.guard };
  const { id, outputFile } = call.detach
    ? await detachedShells(shell).start(spec)
    : shell.background.start({ ...spec, sandbox });
  await service(backgroundPort).tasks.noted(); // on disk before the model learns of the task
  const lasting = call.detach ? ' It goes on when this session ends.' : '';
  const text = `The command runs in the background, ID: ${id}. Its output goes to ${outputFile}; read that file to see how far it is.${lasting}`;
  const data: BashOutput = { ...silentData(), backgroundTaskId: id };
  return { content: joinParts([text, shell.directory.takeNote()]), isError: false, data };
}

/** Runs the command and waits for it. */
export async function runToEnd(
  call: BashInput,
  script: ShellSpec['script'],
  context: ToolContext,
): Promise<ToolOutput> {
  const { command } = call;
  const timeoutMs = timeoutFor(call.timeout, context.env);
  const shell = context.service(shellPort);
  const sandbox = sandboxFor(call, shell);
  const limits = { timeoutMs, maxChars: outputLimit(context.env) };
  const env = envFor(sandbox, shell, context.env);
  const result = await runInForeground(call, { script, sandbox, ...limits }, { ...context, env });
  const { end, stdout, stderr, stdoutFile } = result;
  if (end === 'aborted') throw new ToolError(joinParts(['The command was interrupted.', stderr, stdout]));
  if (end === 'timeout') {
    const text = `The command and all it had started was ended after ${timeoutMs / 1000} s (timeout). Output so far:`;
    throw new ToolError(joinParts([text, stderr, stdout]));
  }
  if ('movedTo' in end) {
    await context.service(backgroundPort).tasks.noted();
    return movedOutput(end, { stdout, stderr });
  }
  if (script === 'reporting') shell.directory.endedIn(reportedDirectory(end.report));
  const note = joinParts([
    end.stillRunning ? STILL_RUNNING : '',
    shell.directory.takeNote(),
    sandbox?.explain(command, stderr) ?? '',
  ]);
  if (end.exitCode !== 0) throw new ToolError(failureText(end, stdout, joinParts([stderr, note])));
  const image = await imageIn(stdout, stdoutFile);
  const changedFiles = end.changed ? await fileChanges(end.changed) : [];
  return {
    content: image ? withText(image, joinParts([stderr, note])) : joinParts([stdout, stderr, note]),
    isError: false,
    data: {
      ...silentData(),
      stdout,
      stderr,
      isImage: image !== null,
      noOutputExpected: isUsuallySilent(command),
      ...(changedFiles.length > 0 && { changedFiles }),
    } satisfies BashOutput,
    todaysData: {
      ...(stdoutFile !== null && persisted(stdoutFile)),
      ...gitDetails(command, { stdout, stderr }),
    } satisfies Partial<BashOutput>,
  };
}

const STILL_RUNNING =
  '[A process that this command started is still running. Its output is not read any more; it ends with the session.]';

function detachedShells({ detached }: ShellPort): DetachedShells {
  if (detached) return detached;
  throw new ToolError('This session is not kept, so a detached command could not be found again. Nothing was started.');
}

function sandboxFor(call: BashInput, { sandbox }: ShellPort): ShellSandbox | null {
  return sandbox?.confines(call) ? sandbox : null;
}

/**
 * The environment of a command. One that runs outside although there is a sandbox does not find programs that confined
 * commands could have placed.
 */
function envFor(sandbox: ShellSandbox | null, shell: ShellPort, env: ToolContext['env']): ToolContext['env'] {
  return sandbox || !shell.sandbox ? env : shell.sandbox.outside(env);
}

function silentData() {
  return { stdout: '', stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
}

interface MovedCommand {
  movedTo: BackgroundTask;
  by: LetGoBy;
}

/** The result for the model when a command was moved to the background while it ran. */
function movedOutput({ movedTo, by }: MovedCommand, soFar: { stdout: string; stderr: string }): ToolOutput {
  const { id, outputFile } = movedTo;
  const why = by === 'host' ? 'The user moved the command' : 'The command takes long and was moved';
  const text = `${why} to the background, where it goes on, ID: ${id}. Its output goes to ${outputFile}; read that file to see how far it is. So far:`;
  const data: BashOutput = { ...silentData(), ...soFar, backgroundTaskId: id, backgroundedByUser: by === 'host' };
  return { content: joinParts([text, soFar.stderr, soFar.stdout]), isError: false, data };
}

/** The file with the whole of an output that was too long to be shown. */
function persisted(path: string): Pick<BashOutput, 'persistedOutputPath' | 'persistedOutputSize'> {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return { persistedOutputPath: path, ...(size !== undefined && { persistedOutputSize: size }) };
}

function gitDetails(command: string, output: { stdout: string; stderr: string }): Pick<BashOutput, 'gitOperation'> {
  if (!/\b(git|gh)\s/.test(command)) return {};
  const found = gitOperation(command, output);
  return found ? { gitOperation: found } : {};
}

const DATA_URI = /^data:image\/[a-z+]+;base64,([A-Za-z0-9+/\s]+=*)$/;
/** More is not worth decoding: what is over 5 MB has to be scaled down before a model sees it. */
const MAX_IMAGE_FILE_BYTES = 24 * 1024 * 1024;

/**
 * The image that a command printed as a data URI, such as a chart or a screenshot; null when the output is not an
 * image, or a damaged or far too large one. `file` has the whole of an output that was too long.
 */
async function imageIn(stdout: string, file: string | null): Promise<ImageBlock | null> {
  if (!stdout.startsWith('data:image/')) return null;
  const base64 = DATA_URI.exec(file === null ? stdout : readWhole(file))?.[1];
  return base64 === undefined ? null : imageBlock(Buffer.from(base64, 'base64'));
}

function readWhole(file: string): string {
  return statSync(file).size > MAX_IMAGE_FILE_BYTES ? '' : readFileSync(file, 'latin1').trimEnd();
}

function withText(image: ContentBlock, text: string): ContentBlock[] {
  return text === '' ? [image] : [image, { type: 'text', text }];
}

/** The text in the form of the wire: `Exit code N`, stderr, an empty line, stdout. */
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

function timeoutFor(asked: number | undefined, env: ToolContext['env']): number {
  const standard = positiveInteger(env.BASH_DEFAULT_TIMEOUT_MS) ?? 120_000;
  const longest = Math.max(standard, positiveInteger(env.BASH_MAX_TIMEOUT_MS) ?? 600_000);
  return Math.min(asked ?? standard, longest);
}

function outputLimit(env: ToolContext['env']): number {
  return Math.min(positiveInteger(env.BASH_MAX_OUTPUT_LENGTH) ?? 30_000, 150_000);
}

/** For `noOutputExpected`, by which hosts choose how to show an empty result. */
function isUsuallySilent(command: string): boolean {
  return /^\s*(touch|mkdir|rmdir|rm|mv|cp|ln|chmod|chown|cd|export|unset)\b[^|&;<>`$()\n]*$/.test(command);
}
