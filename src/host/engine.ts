import { platform } from 'node:os';
import type { CustomTool } from '../define/tool.ts';
import type { Model } from '../model/model.ts';
import { createShellReader, type ReadCommand } from '../permissions/shell-reader.ts';
import { createJsonlStore } from '../sessions/jsonl-store.ts';
import type { ReferenceSessionStore } from '../sessions/reference-store-types.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { Tool } from '../tools/tool.ts';
import { madeOnce } from '../util/made-once.ts';
import type { Processes } from '../util/process.ts';
import type { Clock, Ids, Logger, Runtime } from '../util/runtime.ts';
import { randomIds, silentLogger, systemClock } from '../util/system-runtime.ts';
import type { Launch } from '../wire/run-config.ts';
import { createObtainedSecrets, credentialFreeLogger, type ObtainedSecrets } from './hide-credentials.ts';
import { configHome, type Env, secretValues } from './home.ts';
import { lazyProcesses } from './lazy-processes.ts';
import { type Credential, createModels, type Models } from './models.ts';
import { lazyOwnProgram, type OwnProgram } from './own-program.ts';
import type { EngineTelemetry, TelemetryOptions } from './telemetry/telemetry.ts';

export interface EngineOptions {
  /** Where sessions run unless their launch says otherwise. */
  cwd: string;
  /**
   * What the engine may know of its environment: credentials, proxies, time-outs. `process.env` lets it know all that
   * your program knows. Default: nothing, also no key that is set in the shell.
   */
  env?: Env;
  /** The config home. Default: from `env` (ruling P2). */
  home?: string;
  /** Answers every session instead of what their `model` setting names. */
  model?: Model;
  /** Supplies the model API's credential, asked before each request. Default: from `env`. */
  credential?: Credential;
  /** Where sessions are kept. Default: JSON-lines files under the config home. One written for the reference will do. */
  store?: SessionStore | ReferenceSessionStore;
  /** Tools of the program's own, made with `tool`. Every session has them. */
  tools?: readonly CustomTool[];
  /**
   * Tells OpenTelemetry of turns, model calls and tool calls, by way of the provider that the program has registered.
   * Needs `@opentelemetry/api`. Default: no.
   */
  telemetry?: boolean | TelemetryOptions;
  clock?: Clock;
  ids?: Ids;
  /** Hears warnings and details. Default: warnings are those of the process (`HeddleWarning`), the rest is not told. */
  log?: Logger;
  /**
   * Results of calls that run side by side come in the order of the calls instead of their completion. For runs that
   * must be repeatable line by line, with a seeded clock and ids.
   */
  ordered?: boolean;
  /** Told to hosts by `initialize`. Default 0: in this process. */
  pid?: number;
}

/**
 * Long-lived: holds what sessions share (models and their connections, the store, the child processes) and nothing that
 * belongs to one of them. Any number of sessions may be served at the same time.
 */
export interface Engine {
  readonly runtime: Runtime;
  readonly models: Models;
  /** What helpers and the credential callback have given: nobody gets to see it. */
  readonly obtainedSecrets: ObtainedSecrets;
  readonly processes: Processes;
  /** Where this program lies. */
  readonly ownProgram: OwnProgram;
  /** Null unless it is on; resolves with null where its package is missing, which is said once. */
  telemetry(): Promise<EngineTelemetry | null> | null;
  readonly pid: number;
  readonly ordered: boolean;
  /** The program has given a `log`, which hears the warnings of every session. */
  readonly hasLog: boolean;
  /** The operating system, as the model is told. */
  readonly platform: string;
  /** Reads shell commands for permissions. */
  readonly readCommand: ReadCommand;
  cwdOf(launch: Launch): string;
  envOf(launch: Launch): Env;
  homeOf(launch: Launch): string;
  storeOf(launch: Launch): SessionStore | Promise<SessionStore>;
  /** Whether sessions are in the folders of the config home, not in a store that was handed in. */
  readonly hasOwnStore: boolean;
  /** The engine's own tools. Rejects with `invalid_option` when the schema of one cannot be read. */
  customTools(): Promise<readonly Tool[]>;
  /** Ends every child process and lets go of files and connections. Sessions should be over by then. */
  close(): Promise<void>;
}

/** An engine of options that are known to be right. Without `log` it says nothing. */
export function openEngine(options: EngineOptions): Engine {
  const env = options.env ?? {};
  const obtainedSecrets = createObtainedSecrets();
  const ownSecrets = secretValues(env);
  const secrets = () => [...ownSecrets, ...obtainedSecrets.values()];
  const runtime: Runtime = {
    clock: options.clock ?? systemClock(),
    ids: options.ids ?? randomIds(),
    log: options.log ? credentialFreeLogger(options.log, secrets) : silentLogger,
  };
  const models = createModels({
    runtime,
    isWithoutEnv: options.env === undefined,
    ...(options.model && { model: options.model }),
    ...(options.credential && { credential: obtainedSecrets.noting(options.credential) }),
  });
  const processes = lazyProcesses(runtime.log);
  const stores = new Map<string, SessionStore>();
  const { store: given } = options;
  const givenStore = given && madeOnce(() => oursOf(given));
  const { telemetry } = options;
  const spans = madeOnce(() => loadTelemetry(!telemetry || telemetry === true ? {} : telemetry, runtime.log));
  const customTools = madeOnce(() => loadTools(options.tools ?? []));
  const envOf = (launch: Launch) => launch.env ?? env;
  const homeOf = (launch: Launch) => options.home ?? configHome(envOf(launch));
  return {
    runtime,
    models,
    obtainedSecrets,
    processes,
    telemetry: () => (telemetry ? spans() : null),
    ownProgram: lazyOwnProgram(),
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
    async close() {
      await processes.close();
      models.close();
      await Promise.all([...stores.values()].map((store) => store.close?.()));
    },
  };
}

/** What takes a store that was written for the reference is loaded for those. */
async function oursOf(store: NonNullable<EngineOptions['store']>): Promise<SessionStore> {
  if ('list' in store) return store;
  return (await import('../sessions/any-store.ts')).toSessionStore(store);
}

async function loadTelemetry(options: TelemetryOptions, log: Logger): Promise<EngineTelemetry | null> {
  const { engineTelemetry } = await import('./telemetry/engine-telemetry.ts');
  return engineTelemetry(options, log);
}

/** Most engines have none; what reads their schemas is loaded only for those. */
async function loadTools(tools: readonly CustomTool[]): Promise<readonly Tool[]> {
  if (tools.length === 0) return [];
  const { loadCustomTools } = await import('../tools/custom-tool-load.ts');
  return loadCustomTools(tools);
}
