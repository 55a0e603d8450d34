import type { RunConfig } from '../../wire/run-config.ts';
import type { Engine } from '../engine/engine.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { Telemetry } from '../engine/telemetry.ts';
import type { LaunchContext } from '../launch/launch-context.ts';
import type { readPrompts } from '../launch/system-prompt.ts';
import type { Emit } from '../link/outbox.ts';
import type { KnownModels } from '../models/known-models.ts';
import type { OpenTranscript } from '../resume/open-transcript.ts';

/** Everything that is known of a session before it is built: where it runs, its model, and its transcript. */
export interface LaunchedSession {
  engine: Engine;
  context: LaunchContext;
  /** The launch without what settings add. */
  launch: RunConfig;
  emit: Emit;
  telemetry: Telemetry | null;
  hideCredentials: <T>(found: T) => T;
  models: KnownModels;
  selected: SelectedModel;
  prompts: Awaited<ReturnType<typeof readPrompts>>;
  transcript: OpenTranscript;
}
