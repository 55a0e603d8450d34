import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Masked } from '../model/mask.ts';
import type { Model } from '../model/model.ts';
import { createModelRecorder } from '../model/record.ts';
import { createReplayModel } from '../model/replay.ts';
import { resolveModel } from '../model/resolve.ts';
import { systemReason } from '../util/system-reason.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Engine } from './engine.ts';
import { secretValues } from './home.ts';
import type { Chosen } from './models.ts';
import { createRecordingFile } from './recording-file.ts';
import type { SessionPlace } from './session-models.ts';

/** A recording that answers in the place of models. */
export interface Replay {
  file: string;
  chosen: Chosen;
}

/** Throws `invalid_option` for what cannot be read, or is no recording. */
export function openReplay(engine: Engine, place: SessionPlace, file: string): Replay {
  const model = createReplayModel(readText(resolve(place.cwd, file)), {
    name: file,
    masked: () => maskedIn(engine, place),
    speed: place.env.HEDDLE_REPLAY_SPEED === 'recorded' ? 'recorded' : 'instant',
    clock: engine.runtime.clock,
  });
  const { model: id, betas = [], maxOutputTokens: recordedMaxTokens } = model.settings;
  const { contextWindow, maxOutputTokens, isWindowGuessed } = resolveModel(id, place.env);
  const limits = { contextWindow, maxOutputTokens, isWindowGuessed };
  // As in the session that was recorded: its lines come again to the letter.
  const keySource = place.env.ANTHROPIC_API_KEY?.trim() ? 'ANTHROPIC_API_KEY' : 'none';
  return { file, chosen: { model, keySource, id, betas, ...limits, recordedMaxTokens } };
}

/** What records all that is asked of a model. Throws `invalid_option` when the file cannot be made. */
export function startRecording(engine: Engine, place: SessionPlace, file: string): (model: Model) => Model {
  return createModelRecorder({
    sink: createRecordingFile(resolve(place.cwd, file), engine.runtime.log),
    masked: () => maskedIn(engine, place),
    now: () => performance.now(),
  });
}

function maskedIn({ obtainedSecrets }: Engine, { env, paths }: SessionPlace): Masked {
  return { places: paths(), secrets: [...secretValues(env), ...obtainedSecrets.values()] };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HeddleError('invalid_option', `The recording ${path} cannot be read: ${systemReason(cause)}`, { cause });
  }
}
