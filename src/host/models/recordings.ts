import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Model } from '../../model/model.ts';
import type { Masked } from '../../model/recording/mask.ts';
import { createModelRecorder } from '../../model/recording/record.ts';
import { createReplayModel } from '../../model/recording/replay.ts';
import { resolveModel } from '../../model/resolve.ts';
import { systemReason } from '../../util/files/system-reason.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { secretValues } from '../engine/environment.ts';
import type { ModelContext, Replay } from './model-context.ts';
import { createRecordingFile } from './recording-file.ts';

/** Throws `invalid_option` for a file that cannot be read, or is not a recording. */
export function openReplay(engine: Engine, context: ModelContext, file: string): Replay {
  const model = createReplayModel(readText(resolve(context.cwd, file)), {
    name: file,
    masked: () => maskedIn(engine, context),
    speed: context.env.HEDDLE_REPLAY_SPEED === 'recorded' ? 'recorded' : 'instant',
    clock: engine.runtime.clock,
  });
  const { model: id, betas = [], maxOutputTokens: recordedMaxTokens } = model.settings;
  const { contextWindow, maxOutputTokens, isWindowGuessed } = resolveModel(id, context.env);
  const limits = { contextWindow, maxOutputTokens, isWindowGuessed };
  // As in the recorded session, whose lines must be repeated exactly.
  const keySource = context.env.ANTHROPIC_API_KEY?.trim() ? 'ANTHROPIC_API_KEY' : 'none';
  return { file, selected: { model, keySource, id, betas, ...limits, recordedMaxTokens } };
}

/** Records every request to a model. Throws `invalid_option` when the file cannot be created. */
export function startRecording(engine: Engine, context: ModelContext, file: string): (model: Model) => Model {
  return createModelRecorder({
    sink: createRecordingFile(resolve(context.cwd, file), engine.runtime.log),
    masked: () => maskedIn(engine, context),
    now: () => performance.now(),
  });
}

function maskedIn({ obtainedSecrets }: Engine, { env, paths }: ModelContext): Masked {
  return { places: paths(), secrets: [...secretValues(env), ...obtainedSecrets.values()] };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HeddleError('invalid_option', `The recording ${path} cannot be read: ${systemReason(cause)}`, { cause });
  }
}
