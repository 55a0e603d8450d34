import { join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import type { Clock, Logger } from '../../util/runtime.ts';
import type { ServerStore } from '../ports/server-store.ts';
import { EmbeddedEngine, type EngineLimits } from './embedded-engine.ts';
import { Epochs } from './epochs.ts';
import { fileEventLog, LOG_LIMITS } from './file-event-log.ts';
import { fileQuestions } from './file-questions.ts';
import { fileSessions } from './file-sessions.ts';
import { fileTokens } from './file-tokens.ts';
import { localCourier } from './local-courier.ts';
import type { LogLimits } from './session-log.ts';
import { workFiles } from './work-files.ts';

export interface EmbeddedStoreOptions {
  /** Made when it is missing. */
  folder: string;
  clock: Pick<Clock, 'now'>;
  log: Logger;
  limits?: Partial<EngineLimits>;
  logLimits?: Partial<LogLimits>;
  /** What is acknowledged survives the death of the machine, not only of the process. */
  sync?: boolean;
}

export const ENGINE_LIMITS: EngineLimits = { running: 20, waiting: 100 };

export interface EmbeddedStore extends ServerStore {
  readonly engine: EmbeddedEngine;
}

/** The store of a server of one process, in files of its home. Take the lock of the home first. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const { folder, clock, log, sync = false } = options;
  const now = () => clock.now();
  makeDirectory(folder, 0o700);
  const epochs = new Epochs(now());
  const shared = { epochs, now, sync };
  const work = workFiles(join(folder, 'inbox'), shared);
  const limits = { ...LOG_LIMITS, sync, ...options.logLimits };
  const events = fileEventLog(join(folder, 'events'), { epochs, now, limits });
  const sessions = await fileSessions(join(folder, 'sessions.jsonl'), shared);
  const questions = await fileQuestions(join(folder, 'questions.jsonl'), shared);
  const engine = new EmbeddedEngine({
    ...{ work, sessions, epochs, log },
    limits: { ...ENGINE_LIMITS, ...options.limits },
  });
  return {
    ...{ engine, sessions, events, questions },
    inbox: work.inbox,
    turns: work.turns,
    courier: localCourier(),
    tokens: fileTokens(join(folder, 'tokens.json'), { now }),
    problem: async () => null,
    async forget(sessionId) {
      await engine.stop(sessionId);
      await Promise.all([work.remove(sessionId), events.remove(sessionId), sessions.remove(sessionId)]);
    },
    async close() {
      await Promise.all([work.close(), events.close(), sessions.close(), questions.close()]);
    },
  };
}
