import type { RunConfig } from '../../wire/run-config.ts';
import type { CloudCommands, SelectedModel } from '../engine/engine-models.ts';
import type { Env } from '../engine/environment.ts';

export interface ModelContext {
  config: RunConfig;
  env: Env;
  cwd: string;
  /** Where keys are stored; null: nowhere. */
  configHome: string | null;
  /** The user's command that prints a key. */
  apiKeyHelper?: string | undefined;
  /** False: servers are not asked what fits into their models, and what they cost. */
  asksForModels?: boolean | undefined;
  /** The user's commands that bring credentials of clouds. */
  cloudCommands?: CloudCommands;
  /** Paths that are others in another place, by name: what recordings must not depend on. Asked with the first request. */
  paths(): Record<string, string>;
}

/** A recording that answers instead of models. */
export interface Replay {
  file: string;
  selected: SelectedModel;
}
