import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../util/json.ts';
import type { EventLog, LogReader } from '../ports/event-log.ts';
import type { Epochs } from './epochs.ts';
import { OpenFiles } from './open-files.ts';
import { type LogLimits, SessionLog } from './session-log.ts';

export const LOG_LIMITS: LogLimits = { segmentBytes: 4_000_000, keepMs: 7 * 24 * 3600_000, sync: false };
/** How many sessions have their files open. */
const MOST_OPEN = 200;

export interface FileEventLog extends EventLog {
  remove(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** The lines of sessions in files. Readers of this process get them from memory, as soon as they are stored. */
export function fileEventLog(
  folder: string,
  { epochs, limits, now }: { epochs: Epochs; limits: LogLimits; now: () => number },
): FileEventLog {
  const readers = new Map<string, Set<LogReader>>();
  const folderOf = (sessionId: string) => join(folder, sessionId);
  const logs = new OpenFiles<SessionLog>({
    load: (sessionId) => SessionLog.load(folderOf(sessionId), limits, now()),
    most: MOST_OPEN,
    mayClose: (sessionId) => !readers.has(sessionId),
  });

  return {
    async append(holding, lines) {
      epochs.check(holding);
      const { sessionId } = holding;
      const added = await (await logs.get(sessionId)).append(lines);
      if (added.length > 0) for (const reader of readers.get(sessionId) ?? []) reader.onLines(added);
    },
    preview({ sessionId }, line: JsonObject) {
      for (const reader of readers.get(sessionId) ?? []) reader.onPreview?.(line);
    },
    bounds: async (sessionId) => (await logs.get(sessionId)).bounds,
    read: async (sessionId, query) => (await logs.get(sessionId)).read(query),
    async known(sessionId, uuids) {
      const log = await logs.get(sessionId);
      return new Set(uuids.filter((uuid) => log.knows(uuid)));
    },
    subscribe(sessionId, reader) {
      const all = readers.get(sessionId) ?? new Set();
      readers.set(sessionId, all.add(reader));
      return () => {
        all.delete(reader);
        if (all.size === 0 && readers.get(sessionId) === all) readers.delete(sessionId);
      };
    },
    async remove(sessionId) {
      await logs.drop(sessionId);
      rmSync(folderOf(sessionId), { recursive: true, force: true });
    },
    close: () => logs.close(),
  };
}
