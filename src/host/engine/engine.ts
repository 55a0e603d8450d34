import { platform } from 'node:os';
import type { CustomTool } from '../../define/tool.ts';
import type { Model } from '../../model/model.ts';
import { createShellReader } from '../../permissions/commands/shell-reader.ts';
import type { ReadCommand } from '../../permissions/shell/shell-script.ts';
import type { SessionStore } from '../../sessions/store.ts';
import { createJsonlStore } from '../../sessions/stores/jsonl-store.ts';
import { toSessionStore } from '../../sessions/stores/reference-store.ts';
import type { ReferenceSessionStore } from '../../sessions/stores/reference-store-types.ts';
import { loadCustomTools } from '../../tools/custom/load-tools.ts';
import type { Tool } from '../../tools/tool.ts';
import { Aborted } from '../../util/abort.ts';
import { madeOnce } from '../../util/made-once.ts';
import type { Processes, WatchedProcesses } from '../../util/process/process.ts';
import type { ToolDeadline } from '../../util/process/process-supervisor.ts';
import type { Clock, Ids, Logger, Runtime } from '../../util/runtime.ts';
import { randomIds, silentLogger, systemClock } from '../../util/system-runtime.ts';
import type { Launch } from '../../wire/run-config.ts';
import { type Credential, createModels, type Models } from './engine-models.ts';
import { configHome, type Env, secretValues } from './environment.ts';
import { createObtainedSecrets, credentialFreeLogger, type ObtainedSecrets } from './hide-credentials.ts';
import { lazyOwnProgram, type OwnProgram } from './own-program.ts';
import type { EngineTelemetry, LoadTelemetry, TelemetryOptions } from './telemetry.ts';

export interface EngineOptions {
  /** Where sessions run unless their launch says otherwise. */
  cwd: string;
  /**
   * The environment that the engine may read: credentials, proxies, time-outs. `process.env` gives it everything that
   * your program knows. Default: empty, so that the engine sees no key of the shell.
   */
  env?: Env;
  /** The config home. Default: found from `env`. */
  home?: string;
  /** Answers every session, instead of the model that its `model` setting names. */
  model?: Model;
  /** Supplies the credential of the model API; called before each request. Default: from `env`. */
  credential?: Credential;
  /**
   * Where sessions are stored. Default: JSON-lines files under the config home. A store written for the reference
   * works.
   */
  store?: SessionStore | ReferenceSessionStore;
  /** The program's own tools, made with `tool`. Every session has them. */
  tools?: readonly CustomTool[];
  /**
   * Reports turns, model calls and tool calls to OpenTelemetry, through the provider that the program has registered.
   * Needs `@opentelemetry/api`. Default: off.
   */
  telemetry?: boolean | TelemetryOptions;
  clock?: Clock;
  ids?: Ids;
  /** Receives warnings and details. Default: warnings go to the process (`HeddleWarning`), details are dropped. */
  log?: Logger;
  /**
   * Returns the results of parallel calls in the order of the calls, not of their completion. For runs that must be
   * repeatable line by line, with a seeded clock and ids.
   */
  ordered?: boolean;
  /**
   * Stops the processes of all tools when `engine.tick()` was not called for `stopAfterMs`, lets them go on with the next
   * call, and kills them after `killAfterMs`: for programs that share sessions with others, which may go on with them when
   * this one is frozen or cut off. Needs bash. Default: off.
   */
  toolDeadline?: ToolDeadline;
  /** The process id that `initialize` reports to hosts. Default 0: in this process. */
  pid?: number;
}

/**
 * Long-lived: owns what sessions share (models and their connections, the store, the child processes) and nothing that
 * belongs to one session. It serves any number of sessions at the same time.
 */
export interface Engine {
  readonly runtime: Runtime;
  readonly models: Models;
  /** Secrets that helpers and the credential callback have returned; they are removed from outputs and logs. */
  readonly obtainedSecrets: ObtainedSecrets;
  readonly processes: Processes;
  /** The files of this program. */
  readonly ownProgram: OwnProgram;
  /** Null when telemetry is off. Resolves with null, after one warning, when the OpenTelemetry package is missing. */
  telemetry(): Promise<EngineTelemetry | null> | null;
  readonly pid: number;
  readonly ordered: boolean;
  /** Whether the program has given a `log`, which receives the warnings of every session. */
  readonly hasLog: boolean;
  /** The operating system, as the system prompt names it. */
  readonly platform: string;
  /** Parses shell commands for permission checks. */
  readonly readCommand: ReadCommand;
  cwdOf(launch: Launch): string;
  envOf(launch: Launch): Env;
  homeOf(launch: Launch): string;
  storeOf(launch: Launch): SessionStore | Promise<SessionStore>;
  /** Whether sessions are stored in the config home, not in a store that the program handed in. */
  readonly hasOwnStore: boolean;
  /** The engine's own tools. Rejects with `invalid_option` when the schema of one cannot be read. */
  customTools(): Promise<readonly Tool[]>;
  /** Says that this process still holds its sessions; only with `toolDeadline`. */
  tick(): void;
  /** Ends every child process and closes files and connections. The caller ends all sessions first. */
  close(): Promise<void>;
}

/** The options of an engine after they were checked. */
export interface CheckedEngineOptions extends Omit<EngineOptions, 'telemetry'> {
  /** Null or absent: telemetry is off. */
  telemetry?: LoadTelemetry | null;
}

/** Makes an engine from checked options. Without `log`, the engine logs nothing. */
export function openEngine(options: CheckedEngineOptions): Engine {
  const env = options.env ?? {};
  const obtainedSecrets = createObtainedSecrets();
  const ownSecrets = secretValues(env);
  const secrets = () => [...ownSecrets, ...obtainedSecrets.values()];
  const runtime: Runtime = {
    clock: options.clock ?? systemClock(),
    ids: options.ids ?? randomIds(),
    log: options.log ? credentialFreeLogger(options.log, secrets) : silentLogger,
  };
  const processes = lazyProcesses(runtime.log, options.toolDeadline ?? null);
  const models = createModels({
    runtime,
    processes,
    note: (secrets) => obtainedSecrets.note(secrets),
    isWithoutEnv: options.env === undefined,
    ...(options.model && { model: options.model }),
    ...(options.credential && { credential: obtainedSecrets.noting(options.credential) }),
  });
  const stores = new Map<string, SessionStore>();
  const { store: given } = options;
  const givenStore = given && madeOnce(() => oursOf(given));
  const { telemetry } = options;
  const spans = telemetry ? madeOnce(() => telemetry(runtime.log)) : null;
  const customTools = madeOnce(() => loadTools(options.tools ?? []));
  const envOf = (launch: Launch) => launch.env ?? env;
  const homeOf = (launch: Launch) => options.home ?? configHome(envOf(launch));
  return {
    runtime,
    models,
    obtainedSecrets,
    processes,
    telemetry: () => spans?.() ?? null,
    ownProgram: lazyOwnProgram(env),
    pid: options.pid ?? 0,
    ordered: options.ordered ?? false,
    hasLog: options.log !== undefined,
    platform: platform(),
    readCommand: createShellReader({ log: runtime.log }),
    cwdOf: (launch) => launch.cwd ?? options.cwd,
    envOf,
    homeOf,
    hasOwnStore: options.store === undefined,
    storeOf(launch) {
      if (givenStore) return givenStore();
      const home = homeOf(launch);
      const store = stores.get(home) ?? createJsonlStore({ home, log: runtime.log });
      stores.set(home, store);
      return store;
    },
    customTools,
    tick: () => processes.tick(),
    async close() {
      await processes.close();
      models.close();
      await Promise.all([...stores.values()].map((store) => store.close?.()));
    },
  };
}

/** Adapts a store that was written for the reference. */
async function oursOf(store: NonNullable<EngineOptions['store']>): Promise<SessionStore> {
  if ('list' in store) return store;
  return toSessionStore(store);
}

async function loadTools(tools: readonly CustomTool[]): Promise<readonly Tool[]> {
  if (tools.length === 0) return [];
  return loadCustomTools(tools);
}

/** Loads the code that runs processes with the first command: many runs start none. */
function lazyProcesses(log: Logger, deadline: ToolDeadline | null): WatchedProcesses {
  let isClosed = false;
  let loaded: WatchedProcesses | null = null;
  const load = madeOnce(async () => {
    loaded = (await import('../../util/process/process.ts')).createProcesses({ log, deadline });
    return loaded;
  });
  return {
    async run(spec, signal) {
      if (isClosed) throw new Aborted('shutdown');
      return (await load()).run(spec, signal);
    },
    tick: () => loaded?.tick(),
    async close() {
      isClosed = true;
      await (await load.begun()?.catch(() => null))?.close();
    },
  };
}
