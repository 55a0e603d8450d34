import { statSync } from 'node:fs';
import { constants } from 'node:os';
import type { ProcessOutcome } from '../util/process.ts';
import { positiveInteger } from '../util/setting-text.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { BashOutput } from '../wire/tool-outputs.ts';
import type { BackgroundTask } from './background-tasks.ts';
import type { BashInput } from './bash.ts';
import type { DetachedShells } from './detached-shells.ts';
import type { LetGoBy } from './foreground-calls.ts';
import { runInForeground } from './foreground-shell.ts';
import type { ShellSpec } from './shell-exec.ts';
import type { ShellSandbox } from './shell-sandbox.ts';
import { reportedDirectory } from './shell-script.ts';
import { type ToolContext, ToolError, type ToolOutput } from './tool.ts';
import type { ToolSession } from './tool-session.ts';

/** Starts the command and says where it can be followed. */
export async function startInBackground(call: BashInput, context: ToolContext): Promise<ToolOutput> {
  const { session, toolUseId } = context;
  const { command, description } = call;
  const sandbox = sandboxFor(call, session);
  const env = envFor(sandbox, context);
  const cwd = session.shellDirectory.enter();
  const spec = { command, description, toolUseId, cwd, env };
  const { id, outputFile } = call.detach
    ? await detachedShells(session).start(spec)
    : session.backgroundShells.start({ ...spec, sandbox });
  await session.backgroundTasks.noted(); // on disk before the model knows of it
  const lasting = call.detach ? ' It goes on when this session ends.' : '';
  const text = `The command runs in the background, ID: ${id}. Its output goes to ${outputFile}; read that file to see how far it is.${lasting}`;
  const data: BashOutput = { ...silentData(), backgroundTaskId: id };
  return { content: joinParts([text, session.shellDirectory.takeNote()]), isError: false, data };
}

/** Runs the command and waits for it. */
export async function runToEnd(
  call: BashInput,
  script: ShellSpec['script'],
  context: ToolContext,
): Promise<ToolOutput> {
  const { command } = call;
  const timeoutMs = timeoutFor(call.timeout, context.env);
  const sandbox = sandboxFor(call, context.session);
  const limits = { timeoutMs, maxChars: outputLimit(context.env) };
  const env = envFor(sandbox, context);
  const result = await runInForeground(call, { script, sandbox, ...limits }, { ...context, env });
  const { end, stdout, stderr, stdoutFile } = result;
  if (end === 'aborted') throw new ToolError(joinParts(['The command was interrupted.', stderr, stdout]));
  if (end === 'timeout') {
    const text = `The command and all it had started was ended after ${timeoutMs / 1000} s (timeout). Output so far:`;
    throw new ToolError(joinParts([text, stderr, stdout]));
  }
  if ('movedTo' in end) {
    await context.session.backgroundTasks.noted();
    return movedOutput(end, { stdout, stderr });
  }
  const { shellDirectory } = context.session;
  if (script === 'reporting') shellDirectory.endedIn(reportedDirectory(end.report));
  const note = joinParts([
    end.stillRunning ? STILL_RUNNING : '',
    shellDirectory.takeNote(),
    sandbox?.explain(command, stderr) ?? '',
  ]);
  if (end.exitCode !== 0) throw new ToolError(failureText(end, stdout, joinParts([stderr, note])));
  const image = await imageIn(stdout, stdoutFile);
  return {
    content: image ? withText(image, joinParts([stderr, note])) : joinParts([stdout, stderr, note]),
    isError: false,
    data: {
      ...silentData(),
      stdout,
      stderr,
      isImage: image !== null,
      noOutputExpected: isUsuallySilent(command),
    } satisfies BashOutput,
    todaysData: {
      ...(stdoutFile !== null && persisted(stdoutFile)),
      ...(await gitFacts(command, { stdout, stderr })),
    } satisfies Partial<BashOutput>,
  };
}

const STILL_RUNNING =
  '[A process that this command started is still running. Its output is not read any more; it ends with the session.]';

function detachedShells({ detachedShells }: ToolSession): DetachedShells {
  if (detachedShells) return detachedShells;
  throw new ToolError('This session is not kept, so a detached command could not be found again. Nothing was started.');
}

function sandboxFor(call: BashInput, { sandbox }: ToolSession): ShellSandbox | null {
  return sandbox?.confines(call) ? sandbox : null;
}

/** Of a command that runs outside although there is a sandbox, not what those inside could have laid out for it. */
function envFor(sandbox: ShellSandbox | null, { env, session }: ToolContext): ToolContext['env'] {
  return sandbox || !session.sandbox ? env : session.sandbox.outside(env);
}

function silentData() {
  return { stdout: '', stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
}

interface MovedCommand {
  movedTo: BackgroundTask;
  by: LetGoBy;
}

/** What the model is told of a command that was sent to the background while it ran. */
function movedOutput({ movedTo, by }: MovedCommand, soFar: { stdout: string; stderr: string }): ToolOutput {
  const { id, outputFile } = movedTo;
  const why = by === 'host' ? 'The user moved the command' : 'The command takes long and was moved';
  const text = `${why} to the background, where it goes on, ID: ${id}. Its output goes to ${outputFile}; read that file to see how far it is. So far:`;
  const data: BashOutput = { ...silentData(), ...soFar, backgroundTaskId: id, backgroundedByUser: by === 'host' };
  return { content: joinParts([text, soFar.stderr, soFar.stdout]), isError: false, data };
}

/** Where the whole of an output is that was too long to be shown. */
function persisted(path: string): Pick<BashOutput, 'persistedOutputPath' | 'persistedOutputSize'> {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return { persistedOutputPath: path, ...(size !== undefined && { persistedOutputSize: size }) };
}

async function gitFacts(
  command: string,
  output: { stdout: string; stderr: string },
): Promise<Pick<BashOutput, 'gitOperation'>> {
  if (!/\b(git|gh)\s/.test(command)) return {};
  const { gitOperation } = await import('./git-operation.ts');
  const found = gitOperation(command, output);
  return found ? { gitOperation: found } : {};
}

/** A picture is worth showing: charts and screenshots come as data URIs. */
async function imageIn(stdout: string, file: string | null): Promise<ContentBlock | null> {
  if (!stdout.startsWith('data:image/')) return null;
  const { printedImage } = await import('./shell-image.ts');
  return printedImage(stdout, file);
}

function withText(image: ContentBlock, text: string): ContentBlock[] {
  return text === '' ? [image] : [image, { type: 'text', text }];
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
