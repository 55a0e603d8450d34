import { execFile, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { callback, record, shape } from '../../util/checks.ts';
import type { JsonObject } from '../../util/json.ts';
import { descendantsOf, killThose } from '../../util/process/process-descendants.ts';
import { warnProcess } from '../../util/process/process-warning.ts';
import { badOption } from '../../wire/check-named.ts';
import { ConnectionError, HeddleError, NotConnectedError } from '../../wire/errors.ts';
import { LineWriter, readLines } from '../../wire/link/jsonl.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';
import type { Connect, Launch } from '../../wire/run-config.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import type { SpawnedProcess, SpawnOptions } from '../options/option-types.ts';
import type { GivenOptions } from '../options/options.ts';
import { isSkipped, warnIfOld } from './check-version.ts';
import { type CommandLine, commandLine, executableNotFound } from './command-line.ts';
import { toVariables } from './command-words.ts';
import { warningsIn } from './stderr-warnings.ts';
import { userIds } from './user-ids.ts';

/** After `close`, the agent has this long to end its work and its children before it is killed. */
const CLOSE_GRACE_MS = 5000;
/** After the agent's exit, its pipes have this long to end: a process that it left behind may hold them open. */
const PIPES_GRACE_MS = 1000;
/** How many characters of the agent's stderr are stored for error messages. */
const STDERR_TAIL = 4096;
/** How long an agent may take to print its version. */
const VERSION_TIMEOUT_MS = 5000;

/** Runs the agent as a child process that uses the protocol over its stdin and stdout. */
export function subprocess(options: GivenOptions): Connect {
  return (launch) => new SubprocessTransport(options, launch);
}

class SubprocessTransport implements Transport {
  readonly #options: GivenOptions;
  readonly #launch: Launch;
  readonly #commandLine: CommandLine;
  readonly #stop = new AbortController();
  #starting: Promise<SpawnedProcess> | null = null;
  #child: SpawnedProcess | null = null;
  #ending: Promise<void> | null = null;
  #writer: LineWriter | null = null;
  #stderr = '';
  #reading = false;
  #inputEnded = false;
  #settle: (exit: ExitInfo) => void = () => {};
  readonly exit: Promise<ExitInfo>;

  constructor(options: GivenOptions, launch: Launch) {
    this.#options = options;
    this.#launch = launch;
    this.#commandLine = commandLine(options, launch);
    this.exit = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async connect(): Promise<void> {
    try {
      checkDirectory(this.#launch.cwd);
      this.#starting = this.#start();
      this.#attach(await this.#starting);
    } catch (error) {
      const failure = startError(error, this.#commandLine.command, this.#options);
      this.#settle({ code: null, signal: null, stderr: failure.message });
      throw failure;
    }
    const { unknownVersion } = this.#commandLine;
    if (unknownVersion) checkVersion(unknownVersion.command, unknownVersion.args, this.#launch.env);
  }

  /** Resolves with a running process; rejects when it cannot be started. */
  async #start(): Promise<SpawnedProcess> {
    const { cwd, config, env } = this.#launch;
    const spec: SpawnOptions = {
      command: this.#commandLine.command,
      args: this.#commandLine.args,
      ...(cwd !== undefined && { cwd }),
      env: {
        ...(env ?? process.env),
        CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
        CLAUDE_AGENT_SDK_VERSION: HEDDLE_VERSION,
        CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
        ...toVariables(this.#options, config),
      },
      signal: this.#stop.signal,
    };
    const own = this.#options.spawn ?? this.#options.spawnClaudeCodeProcess;
    return own ? checkProcess(await own(spec)) : spawnChild(spec, this.#options.user);
  }

  #attach(child: SpawnedProcess): void {
    this.#child = child;
    child.on('error', () => {}); // it runs: a signal could not be sent
    this.#writer = new LineWriter(child.stdin);
    // Once the agent is gone, Node discards output without a listener; with one it waits for a late reader.
    child.stdout.on('readable', () => {});
    const onText = this.#launch.stderr ?? this.#warnings(child);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
      onText(text);
    });
    const onExit = (code: number | null, signal: string | null) => {
      const tell = () => this.#settle({ code, signal, stderr: this.#stderr });
      const timer = setTimeout(tell, PIPES_GRACE_MS);
      Promise.all([closed(child.stdout), closed(child.stderr)]).then(() => {
        clearTimeout(timer);
        tell();
      });
    };
    // A process that the host spawned may have ended before it was passed here.
    if (hasEnded(child)) onExit(child.exitCode, child.signalCode ?? null);
    else child.once('exit', onExit);
  }

  /**
   * Without a callback, warnings of the agent would get lost. When the agent ends with an error before its first
   * message, the error quotes all of stderr.
   */
  #warnings(child: SpawnedProcess): (text: string) => void {
    let held: string[] | null = [];
    const release = () => {
      for (const message of held ?? []) warnProcess(message);
      held = null;
    };
    child.stdout.on('readable', () => {
      if (held && child.stdout.readableLength > 0) release();
    });
    this.exit.then(({ code }) => (code === 0 ? release() : undefined));
    return warningsIn((message) => (held ? held.push(message) : warnProcess(message)));
  }

  write(message: JsonObject): Promise<void> | undefined {
    if (!this.#writer) return Promise.reject(new NotConnectedError());
    if (this.#inputEnded) return Promise.reject(new HeddleError('closed', 'The agent takes no more input'));
    return this.#writer.write(message);
  }

  readMessages(): AsyncIterable<JsonObject | Error> {
    const stdout = this.#child?.stdout;
    if (!stdout) throw new NotConnectedError();
    this.#reading = true;
    const { maxBufferSize } = this.#options;
    return readLines(stdout, maxBufferSize === undefined ? {} : { maxBytes: maxBufferSize });
  }

  endInput(): void {
    this.#inputEnded = true;
    this.#writer?.end();
  }

  async close(): Promise<ExitInfo> {
    this.#stop.abort();
    await this.#starting?.catch(() => {});
    const child = this.#child;
    if (!child) {
      this.#settle({ code: null, signal: null, stderr: this.#stderr });
      return this.exit;
    }
    this.endInput();
    if (!this.#reading) child.stdout.destroy();
    this.#ending ??= hasEnded(child) ? Promise.resolve() : this.#end(child);
    await this.#ending;
    const exit = await this.exit;
    child.stdout.destroy();
    child.stderr?.destroy();
    return exit;
  }

  /**
   * Ends the whole process tree, because processes that the agent started may outlive it. Heddle's agent ends them
   * itself, others may not.
   */
  async #end(child: SpawnedProcess): Promise<void> {
    const isOurs = !this.#options.spawn && !this.#options.spawnClaudeCodeProcess;
    const tree = () => (isOurs && child.pid !== undefined ? descendantsOf(child.pid) : []);
    const known = tree();
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      known.push(...tree());
      child.kill('SIGKILL');
    }, CLOSE_GRACE_MS);
    await this.exit;
    clearTimeout(timer);
    killThose(known);
  }

  isReady(): boolean {
    return this.#child !== null && !this.#stop.signal.aborted && !hasEnded(this.#child);
  }
}

/** Checks a process that the host's function returned: without these streams the SDK cannot use it. */
function checkProcess(given: SpawnedProcess): SpawnedProcess {
  const fault = shape({ stdin: record, stdout: record, on: callback, once: callback, kill: callback })(given);
  if (fault)
    throw badOption('spawn', `options.spawn must return a running process: ${fault.at.slice(1)} ${fault.says}`);
  return given;
}

function spawnChild({ command, args, cwd, env }: SpawnOptions, user: GivenOptions['user']): Promise<SpawnedProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd,
      env,
      ...(user !== undefined && userIds(user)),
    });
    child.once('error', reject);
    child.once('spawn', () => resolve(child));
  });
}

function hasEnded(child: SpawnedProcess): boolean {
  return child.exitCode !== null || (child.signalCode ?? null) !== null;
}

/** Resolves when the stream has ended, at once where there is none. */
function closed(stream: SpawnedProcess['stderr']): Promise<void> {
  if (!stream || stream.closed || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => stream.once('close', () => resolve()));
}

/** A missing directory would be reported as a missing program. */
function checkDirectory(cwd: string | undefined): void {
  if (cwd === undefined) return;
  const found = statSync(cwd, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const problem = found ? 'is no directory' : 'does not exist';
  throw new HeddleError('invalid_option', `options.cwd ${problem}: ${cwd}`, { facts: { option: 'cwd' } });
}

function startError(error: unknown, command: string, options: GivenOptions): HeddleError {
  if (HeddleError.isInstance(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES')
    return new ConnectionError(`${command} may not be run: ${message}. ${fileHint(options)}`, { cause: error });
  if (code === 'ENOENT') return executableNotFound(command, options, error);
  return new ConnectionError(`${command}: ${message}`, { cause: error });
}

function fileHint({ pathToHeddleExecutable, pathToClaudeCodeExecutable }: GivenOptions): string {
  const name = pathToHeddleExecutable === undefined ? 'pathToClaudeCodeExecutable' : 'pathToHeddleExecutable';
  const isNamed = (pathToHeddleExecutable ?? pathToClaudeCodeExecutable) !== undefined;
  return isNamed ? `Make it executable (chmod +x), or correct options.${name}` : 'Make it executable (chmod +x)';
}

/**
 * Asks an agent for its version while it starts, and warns when it is too old. An agent that prints no version passes.
 */
export function checkVersion(
  command: string,
  args: readonly string[],
  env: Record<string, string | undefined> = process.env,
): void {
  if (isSkipped(env)) return;
  const child = execFile(command, [...args, '-v'], { env, timeout: VERSION_TIMEOUT_MS }, (error, stdout) => {
    if (!error) warnIfOld(stdout, env);
  });
  child.unref(); // a program that is done must not wait for this
}
