import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Masked } from '../model/mask.ts';
import type { Model } from '../model/model.ts';
import { recordingNamed, resolveModel } from '../model/resolve.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import { type Env, secretValues } from './home.ts';
import type { ModelSwitch } from './model-switch.ts';
import type { Chosen, KeyHelper } from './models.ts';
import type { Parts } from './parts.ts';
import { createRecordingFile } from './recording-file.ts';

export interface SessionPlace {
  config: RunConfig;
  env: Env;
  cwd: string;
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
  const helper = keyHelper(engine, place);
  let replay: Replay | null = null;
  let recorded: ((model: Model) => Model) | null = null;

  async function choose(name: string | undefined): Promise<Chosen> {
    const file = recordingNamed(name, env);
    if (file !== null && file !== replay?.file) replay = await openReplay(engine, place, file);
    if (!replay) return engine.models.choose(name, env, await helper);
    if (file !== null) return replay.chosen;
    // A session that replays never calls another model: the requests for that one were recorded, too.
    return { ...resolveModel(name, env), model: replay.chosen.model };
  }

  return async (name) => {
    const chosen = await choose(name);
    if (config.record === undefined) return chosen;
    recorded ??= await startRecording(engine, place, config.record);
    return { ...chosen, model: recorded(chosen.model) };
  };
}

/** Loaded only where the user has one. */
async function keyHelper(
  engine: Engine,
  { apiKeyHelper: command, cwd, env }: SessionPlace,
): Promise<KeyHelper | undefined> {
  if (!command) return undefined;
  const { apiKeyHelper } = await import('./api-key-helper.ts');
  const { processes, runtime, obtainedSecrets } = engine;
  const credential = apiKeyHelper(command, { processes, cwd, env, clock: runtime.clock });
  return { id: `${cwd}: ${command}`, credential: obtainedSecrets.noting(credential) };
}

/**
 * Makes the session's next turn use this model; resolves with its id. Rejects as `chooseModel` does, and when a hook
 * objects; then the old one stays. `asked`: who wants it, and by which name; absent where that is no change of a session.
 */
export async function useModel(
  parts: Parts,
  name: string | undefined,
  asked?: Pick<ModelSwitch, 'requested' | 'source'>,
): Promise<string> {
  const chosen = await parts.chooseModel(name);
  const adopt = () => {
    parts.chosen = chosen;
    parts.context.fruitless = 0; // another model, another window
  };
  if (parts.hooks && asked) {
    const { switchModel } = await import('./model-switch.ts');
    await switchModel(parts, parts.hooks, { ...asked, from: parts.chosen.id, to: chosen.id }, adopt);
  } else adopt();
  return chosen.id;
}

interface Replay {
  file: string;
  chosen: Chosen;
}

async function openReplay(engine: Engine, place: SessionPlace, file: string): Promise<Replay> {
  const { createReplayModel } = await import('../model/replay.ts');
  const model = createReplayModel(readText(resolve(place.cwd, file)), {
    name: file,
    masked: () => maskedIn(place),
    speed: place.env.HEDDLE_REPLAY_SPEED === 'recorded' ? 'recorded' : 'instant',
    clock: engine.runtime.clock,
  });
  const { model: id, betas = [], maxOutputTokens: recordedMaxTokens } = model.settings;
  const { contextWindow, maxOutputTokens, isWindowGuessed } = resolveModel(id, place.env);
  const limits = { contextWindow, maxOutputTokens, isWindowGuessed };
  return { file, chosen: { model, id, betas, ...limits, recordedMaxTokens } };
}

async function startRecording(engine: Engine, place: SessionPlace, file: string): Promise<(model: Model) => Model> {
  const { createModelRecorder } = await import('../model/record.ts');
  return createModelRecorder({
    sink: createRecordingFile(resolve(place.cwd, file), engine.runtime.log),
    masked: () => maskedIn(place),
    now: () => performance.now(),
  });
}

function maskedIn({ env, paths }: SessionPlace): Masked {
  return { places: paths(), secrets: secretValues(env) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HeddleError('invalid_option', `The recording cannot be read: ${messageOf(cause)}`, { cause });
  }
}
