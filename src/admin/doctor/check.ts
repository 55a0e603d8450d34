import type { Engine } from '../../host/engine/engine.ts';
import type { Env } from '../../host/engine/environment.ts';
import type { JsonObject } from '../../util/json.ts';
import type { RunConfig } from '../../wire/run-config.ts';

/** `warning`: it works, but with limits; `problem`: something that a run needs does not work. */
export type CheckStatus = 'ok' | 'warning' | 'problem';

/** One line of `heddle doctor`. */
export interface Check {
  /** Stable, for programs: `node`, `settings.user`, `mcp.NAME`. */
  id: string;
  status: CheckStatus;
  summary: string;
  /** What the user can do about it, or with it. */
  next?: string;
  facts: JsonObject;
}

/** What the checks examine, as a run with these flags in this directory would find it. */
export interface DoctorContext {
  /** A real path. */
  cwd: string;
  env: Env;
  /** Absolute; null: neither HEDDLE_HOME nor HOME is set. */
  home: string | null;
  /** The flags of a run. */
  config: RunConfig;
  /** The caller closes it, and with it everything that was started. */
  engine: Engine;
  /** The version of the Node that runs this: `20.20.0`. */
  nodeVersion: string;
  /** Whether checks may contact remote servers. */
  mayUseNetwork: boolean;
}

/** Performs one check. A rejection counts as a problem, with the error's message. */
export type Gather = (context: DoctorContext) => Promise<Check[]>;
