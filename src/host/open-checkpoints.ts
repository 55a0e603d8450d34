import type { Recorder } from '../agent/recorder.ts';
import type { Policy } from '../permissions/decide.ts';
import type { FileStates } from '../tools/file-states.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { Runtime } from '../util/runtime.ts';
import { isOn } from '../util/setting-text.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Env } from './home.ts';
import type { OpenTranscript } from './transcript.ts';

export interface CheckpointedSession {
  runtime: Runtime;
  config: RunConfig;
  env: Env;
  /** Where files are changed in the end. */
  local: Workspace;
  transcript: OpenTranscript;
  recorder: Recorder;
  files: FileStates;
  policy: () => Policy;
}

/** The file checkpoints of a session; null unless they were asked for. What they need is loaded only then. */
export async function checkpointsIfOn(session: CheckpointedSession): Promise<Checkpoints | null> {
  const { runtime, config, env, local, transcript, recorder, files, policy } = session;
  if (config.fileCheckpointing !== true && !isOn(env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING)) return null;
  const { openCheckpoints } = await import('./checkpoints.ts');
  const { key, store, isKept } = transcript;
  return openCheckpoints({
    runtime,
    workspace: local,
    files,
    policy,
    home: transcript.filesRoot,
    sessionId: key.sessionId,
    past: await transcript.checkpoints(),
    record: (snapshot) => recorder.fileSnapshot(snapshot),
    append: isKept ? (entries) => store.append(key, entries) : null,
  });
}
