import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../util/json.ts';
import { CliNotFoundError, ConnectionError, HeddleError, NotConnectedError } from '../wire/errors.ts';
import { toArgv } from '../wire/flags.ts';
import { LineWriter, readLines } from '../wire/jsonl.ts';
import type { Connect, Launch } from '../wire/run-config.ts';
import type { ExitInfo, Transport } from '../wire/transport.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import { extraWords } from './args.ts';
import type { Options } from './options.ts';

/** After `close`, the agent has this long to end its work and its children before it is killed. */
const CLOSE_GRACE_MS = 5000;
/** After the agent's exit, its pipes have this long to end: a process that it left behind may hold them open. */
const PIPES_GRACE_MS = 1000;
/** How much of the agent's stderr is kept for error messages. */
const STDERR_TAIL = 4096;

/** Runs the agent as a child process that speaks the protocol over its stdin and stdout. */
export function subprocess(options: Options): Connect {
  return (launch) => new SubprocessTransport(commandLine(options, launch), launch);
}

interface CommandLine {
  command: string;
  args: string[];
}

/** A script runs on `executable`, anything else is run as it is. */
function commandLine(options: Options, launch: Launch): CommandLine {
  const path = options.pathToClaudeCodeExecutable ?? bundledCli();
  const flags = [...toArgv(launch.config), ...extraWords(options)];
  if (!/\.(js|mjs|cjs|ts)$/.test(path)) return { command: path, args: flags };
  // A runtime that cannot find its script would only fail with an exit code.
  if (!existsSync(resolve(launch.cwd ?? '', path))) throw new CliNotFoundError(path);
  const runtime = options.executable ?? 'node';
  const command = runtime === 'node' ? process.execPath : runtime;
  return { command, args: [...(options.executableArgs ?? []), path, ...flags] };
}

/** This package's own CLI: beside the bundle, or one folder up when this code sits in a shared chunk. */
function bundledCli(): string {
  const places = ['./cli.js', '../cli.js', '../../dist/cli.js'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new CliNotFoundError(`${places[0]} (build the package, or set pathToClaudeCodeExecutable)`);
}

class SubprocessTransport implements Transport {
  readonly #commandLine: CommandLine;
  readonly #launch: Launch;
  #child: ChildProcess | null = null;
  #writer: LineWriter | null = null;
  #stderr = '';
  #reading = false;
  #inputEnded = false;
  #closed = false;
  #settle: (exit: ExitInfo) => void = () => {};
  readonly exit: Promise<ExitInfo>;

  constructor(commandLine: CommandLine, launch: Launch) {
    this.#commandLine = commandLine;
    this.#launch = launch;
    this.exit = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const onError = (error: NodeJS.ErrnoException) => {
        if (this.pid !== undefined) return; // it runs: a signal could not be sent
        this.#settle({ code: null, signal: null, stderr: error.message });
        reject(startError(error, this.#commandLine.command, this.#launch.cwd));
      };
      try {
        this.#start(resolve, onError);
      } catch (error) {
        onError(error as NodeJS.ErrnoException); // thrown instead of told, e.g. when the arguments are too long
      }
    });
  }

  #start(onSpawn: () => void, onError: (error: NodeJS.ErrnoException) => void): void {
    const { command, args } = this.#commandLine;
    const { config, cwd, env, stderr } = this.#launch;
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
      env: {
        ...(env ?? process.env),
        CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
        CLAUDE_AGENT_SDK_VERSION: HEDDLE_VERSION,
        ...(config.fileCheckpointing && { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' }),
      },
    });
    this.#child = child;
    child.once('spawn', onSpawn).on('error', onError);
    if (child.pid === undefined) return;
    this.#writer = new LineWriter(child.stdin);
    // Once the agent is gone, Node throws away what nobody has asked for; with a listener it waits for a late reader.
    child.stdout.on('readable', () => {});
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
      stderr?.(text);
    });
    child.once('exit', (code, signal) => {
      const tell = () => this.#settle({ code, signal, stderr: this.#stderr });
      const timer = setTimeout(tell, PIPES_GRACE_MS);
      child.once('close', () => {
        clearTimeout(timer);
        tell();
      });
    });
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
    return readLines(stdout);
  }

  endInput(): void {
    this.#inputEnded = true;
    this.#writer?.end();
  }

  async close(): Promise<ExitInfo> {
    this.#closed = true;
    const child = this.#child;
    if (!child || child.pid === undefined) {
      this.#settle({ code: null, signal: null, stderr: this.#stderr });
      return this.exit;
    }
    this.endInput();
    if (!this.#reading) child.stdout?.destroy();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_GRACE_MS);
    const exit = await this.exit;
    clearTimeout(timer);
    child.stdout?.destroy();
    child.stderr?.destroy();
    return exit;
  }

  isReady(): boolean {
    if (this.#closed || !this.#child || this.#child.pid === undefined) return false;
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

function startError(error: NodeJS.ErrnoException, command: string, cwd: string | undefined): HeddleError {
  if (cwd !== undefined && !existsSync(cwd))
    return new HeddleError('invalid_option', `options.cwd does not exist: ${cwd}`);
  if (error.code === 'ENOENT') return new CliNotFoundError(command, { cause: error });
  return new ConnectionError(`${command}: ${error.message}`, { cause: error });
}

/** Tells the developer, where no callback was given to be told through. */
export function warn(message: string): void {
  process.emitWarning(message, 'HeddleWarning');
}
