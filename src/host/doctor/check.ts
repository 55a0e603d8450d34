import type { JsonObject } from '../../util/json.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Engine } from '../engine.ts';
import type { Env } from '../home.ts';

/** `warning`: it works, but not all of it or not as well; `problem`: something that a run needs does not work. */
export type CheckStatus = 'ok' | 'warning' | 'problem';

/** One line of `heddle doctor`. */
export interface Check {
  /** Stable, for programs: `node`, `settings.user`, `mcp.NAME`. */
  id: string;
  status: CheckStatus;
  summary: string;
  /** What to do about it, or with it. */
  next?: string;
  facts: JsonObject;
}

/** What is looked at, as a run with these flags in this directory would find it. */
export interface DoctorPlace {
  /** A real path. */
  cwd: string;
  env: Env;
  /** Absolute; null: neither HEDDLE_HOME nor HOME says where it is. */
  home: string | null;
  /** The flags of a run. */
  config: RunConfig;
  /** The caller closes it, and with it all that was started. */
  engine: Engine;
  /** Of the Node that runs this: `20.20.0`. */
  nodeVersion: string;
  /** Whether servers elsewhere may be asked. */
  mayUseNetwork: boolean;
}

/** Looks at one thing. It may reject: then there is a problem, and the message says which. */
export type Gather = (place: DoctorPlace) => Promise<Check[]>;
