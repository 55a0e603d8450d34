import type { Recorder } from '../../agent/messages/recorder.ts';
import type { Policy } from '../../permissions/decide.ts';
import type { FileStates } from '../../tools/file-states.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { Runtime } from '../../util/runtime.ts';
import { isOn } from '../../util/text/setting-text.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Env } from '../engine/environment.ts';
import type { OpenTranscript } from '../resume/open-transcript.ts';
import type { Checkpoints } from './checkpoints.ts';

export interface CheckpointedSession {
  runtime: Runtime;
  config: RunConfig;
  env: Env;
  /** The workspace that changes files. */
  local: Workspace;
  transcript: OpenTranscript;
  recorder: Pick<Recorder, 'fileSnapshot'>;
  files: FileStates;
  policy: () => Policy;
}

/** Opens the file checkpoints of a session, and loads their code; null unless the launch asks for them. */
export async function checkpointsIfOn(session: CheckpointedSession): Promise<Checkpoints | null> {
  const { runtime, config, env, local, transcript, recorder, files, policy } = session;
  if (config.fileCheckpointing !== true && !isOn(env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING)) return null;
  const { openCheckpoints } = await import('./checkpoints.ts');
  const { key, store, isSaved } = transcript;
  return openCheckpoints({
    runtime,
    workspace: local,
    files,
    policy,
    home: transcript.filesRoot,
    sessionId: key.sessionId,
    stored: await transcript.state.checkpoints(),
    record: (snapshot) => recorder.fileSnapshot(snapshot),
    append: isSaved ? (entries) => store.append(key, entries) : null,
  });
}
