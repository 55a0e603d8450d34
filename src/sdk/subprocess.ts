import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../util/json.ts';
import { CliNotFoundError, ConnectionError, HeddleError } from '../wire/errors.ts';
import { toArgv } from '../wire/flags.ts';
import { LineWriter, readLines } from '../wire/jsonl.ts';
import type { Connect, Launch } from '../wire/run-config.ts';
import type { ExitInfo, Transport } from '../wire/transport.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import { extraWords } from './args.ts';
import type { Options } from './options.ts';

/** After `close`, the agent has this long to end its work and its children before it is killed. */
const CLOSE_GRACE_MS = 5000;
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
  #inputEnded = false;
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
    const { command, args } = this.#commandLine;
    const { cwd, env, stderr } = this.#launch;
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...(env ?? process.env), CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', CLAUDE_AGENT_SDK_VERSION: HEDDLE_VERSION },
    });
    this.#child = child;
    this.#writer = new LineWriter(child.stdin);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
      stderr?.(text);
    });
    child.on('close', (code, signal) => this.#settle({ code, signal, stderr: this.#stderr }));
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error: NodeJS.ErrnoException) => {
        this.#settle({ code: null, signal: null, stderr: error.message });
        reject(startError(error, command, cwd));
      });
    });
  }

  async write(message: JsonObject): Promise<void> {
    if (!this.#writer || this.#inputEnded) throw new HeddleError('closed', 'The agent takes no more input');
    await this.#writer.write(message);
  }

  readMessages(): AsyncIterable<JsonObject | Error> {
    const stdout = this.#child?.stdout;
    if (!stdout) throw new HeddleError('not_connected', 'Not connected. Call connect() first.');
    return readLines(stdout);
  }

  endInput(): void {
    this.#inputEnded = true;
    this.#writer?.end();
  }

  async close(): Promise<ExitInfo> {
    const child = this.#child;
    if (!child || child.pid === undefined) return { code: null, signal: null, stderr: this.#stderr };
    this.endInput();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_GRACE_MS);
    const exit = await this.exit;
    clearTimeout(timer);
    return exit;
  }

  isReady(): boolean {
    return this.#child !== null && this.#child.exitCode === null && !this.#inputEnded;
  }
}

function startError(error: NodeJS.ErrnoException, command: string, cwd: string | undefined): HeddleError {
  if (cwd !== undefined && !existsSync(cwd))
    return new HeddleError('invalid_option', `options.cwd does not exist: ${cwd}`);
  if (error.code === 'ENOENT') return new CliNotFoundError(command, { cause: error });
  return new ConnectionError(`${command}: ${error.message}`, { cause: error });
}
