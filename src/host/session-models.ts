import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../model/model.ts';
import { recordingNamed, resolveModel } from '../model/resolve.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';
import { type Chosen, KEY_FILE, type SessionKeys } from './models.ts';
import type { Replay } from './recordings.ts';

export interface SessionPlace {
  config: RunConfig;
  env: Env;
  cwd: string;
  /** Where keys are stored; null: nowhere. */
  configHome: string | null;
  /** The user's command that prints a key. */
  apiKeyHelper?: string | undefined;
  /** Paths that are others in another place, by name: what recordings must not depend on. Asked with the first request. */
  paths(): Record<string, string>;
}

/**
 * How one session finds its models: those of the engine, or a recording (`replay:FILE`), in either case recorded when
 * `record` says so. Which answers of a recording have been given belongs to the session, so both live here.
 */
export function sessionModels(engine: Engine, place: SessionPlace): (name: string | undefined) => Promise<Chosen> {
  const { config, env } = place;
  const keys = sessionKeys(engine, place);
  let replay: Replay | null = null;
  let recorded: ((model: Model) => Model) | null = null;

  async function choose(name: string | undefined): Promise<Chosen> {
    const file = recordingNamed(name, env);
    if (file !== null && file !== replay?.file) {
      replay = await (await import('./recordings.ts')).openReplay(engine, place, file);
    }
    if (!replay) return engine.models.choose(name, env, await keys);
    if (file !== null) return replay.chosen;
    // A session that replays never calls another model: the requests for that one were recorded, too.
    const { model, keySource } = replay.chosen;
    return { ...resolveModel(name, env), model, keySource };
  }

  return async (name) => {
    const chosen = await choose(name);
    if (config.record === undefined) return chosen;
    recorded ??= (await import('./recordings.ts')).startRecording(engine, place, config.record);
    return { ...chosen, model: recorded(chosen.model) };
  };
}

/** What reads them is loaded where there are some: a helper of the user's, or a file of stored keys. */
async function sessionKeys(engine: Engine, place: SessionPlace): Promise<SessionKeys | undefined> {
  const { apiKeyHelper, configHome } = place;
  const isStored = configHome !== null && existsSync(join(configHome, KEY_FILE));
  if (!apiKeyHelper && !isStored) return undefined;
  return (await import('./session-keys.ts')).sessionKeys(engine, place);
}
