import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../../model/model.ts';
import { isKnownModel } from '../../model/pricing.ts';
import { recordingNamed, resolveModel } from '../../model/resolve.ts';
import type { Engine } from '../engine/engine.ts';
import { KEY_FILE, type SelectedModel, type SessionKeys } from '../engine/engine-models.ts';
import type { ModelContext, Replay } from './model-context.ts';
import { sessionKeys as readSessionKeys } from './session-keys.ts';

/**
 * Selects the models of one session: those of the engine, or a recording (`replay:FILE`). `record` records either. Both
 * belong to the session, because it knows which answers of a recording were used.
 */
export function sessionModels(
  engine: Engine,
  context: ModelContext,
): (name: string | undefined) => Promise<SelectedModel> {
  const { config, env } = context;
  const keys = sessionKeys(engine, context);
  let replay: Replay | null = null;
  let recorded: ((model: Model) => Model) | null = null;

  async function select(name: string | undefined): Promise<SelectedModel> {
    const file = recordingNamed(name, env);
    if (file !== null && file !== replay?.file) {
      const { openReplay } = await import('./recordings.ts');
      if (file !== replay?.file) replay = openReplay(engine, context, file);
    }
    if (!replay) return informed(await engine.models.select(name, env, await keys));
    if (file !== null) return replay.selected;
    // A session that replays never calls another model: the recording contains the requests to that one, too.
    const { model, keySource } = replay.selected;
    return { ...resolveModel(name, env), model, keySource };
  }

  /** The built-in table knows most models; what servers have said about the others is read when there is one of them. */
  async function informed(selected: SelectedModel): Promise<SelectedModel> {
    const { configHome, asksForModels } = context;
    if (asksForModels === false || configHome === null || isKnownModel(selected.id)) return selected;
    const { withCatalog } = await import('./model-catalog.ts');
    return withCatalog(selected, { configHome, env, runtime: engine.runtime });
  }

  return async (name) => {
    const selected = await select(name);
    if (config.record === undefined) return selected;
    const { startRecording } = await import('./recordings.ts');
    recorded ??= startRecording(engine, context, config.record);
    return { ...selected, model: recorded(selected.model) };
  };
}

/** A session without a helper of the user's and a file of stored keys has only the commands. */
async function sessionKeys(engine: Engine, context: ModelContext): Promise<SessionKeys> {
  const { apiKeyHelper, configHome, cloudCommands } = context;
  const isStored = configHome !== null && existsSync(join(configHome, KEY_FILE));
  const commands = { ...cloudCommands, cwd: context.cwd };
  if (!apiKeyHelper && !isStored) return { commands };
  return { ...readSessionKeys(engine, context), commands };
}
