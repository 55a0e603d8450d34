import { statSync } from 'node:fs';
import { replayedLine } from '../../host/resume/resume-report.ts';
import { isConversation } from '../../sessions/entry-fields.ts';
import { lastMessages } from '../../sessions/files/last-messages.ts';
import { watchTranscript } from '../../sessions/files/transcript-watch.ts';
import { Channel } from '../../util/channel.ts';
import { type JsonObject, stringField } from '../../util/json.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';

export interface WatchedFile {
  sessionId: string;
  path: string;
  /** How many messages of before are shown. */
  history: number;
  /** Ends the watch. */
  signal: AbortSignal;
}

/**
 * A session that another program writes, as a host sees one: the messages of its file, the last ones first read, then
 * those that are appended. It takes no prompt and changes nothing; its program does not know of it.
 */
export function watchFile({ sessionId, path, history, signal }: WatchedFile): Transport {
  const answers = new Channel<JsonObject>();
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const exit = new Promise<ExitInfo>((resolve) => {
    stopped.addEventListener('abort', () => resolve({ code: 0, signal: null, stderr: '' }), { once: true });
  });
  const end = () => {
    stop.abort();
    answers.end();
  };
  return {
    async connect() {
      const { size } = statSync(path); // what is appended while it is read comes twice rather than never
      for (const line of lastLines(path, { sessionId, history })) answers.push(line);
      void follow({ path, sessionId, from: size, lines: answers, signal: stopped });
    },
    write(line) {
      if (line.type === 'control_request') answers.push(answerTo(line));
      else if (line.type === 'user') answers.push(refusal(line, sessionId));
      return undefined;
    },
    readMessages: () => answers,
    endInput: end,
    async close() {
      end();
      return exit;
    },
    isReady: () => !stopped.aborted,
    exit,
  };
}

/** The last messages of a session file, as lines that repeat them. */
export function lastLines(
  path: string,
  { sessionId, history }: Pick<WatchedFile, 'sessionId' | 'history'>,
): JsonObject[] {
  return lastMessages(path, history).map((entry) => ({ ...replayedLine(entry, sessionId) }));
}

const WATCHED = 'The session belongs to another program: it can be watched only';

async function follow(watched: {
  path: string;
  sessionId: string;
  from: number;
  lines: Channel<JsonObject>;
  signal: AbortSignal;
}): Promise<void> {
  const { path, sessionId, from, lines, signal } = watched;
  try {
    for await (const item of watchTranscript(path, from, signal)) {
      if ('entry' in item && isConversation(item.entry) && item.entry.isSidechain !== true)
        lines.push({ ...replayedLine(item.entry, sessionId) });
    }
  } catch {
    // The file is gone: nothing more comes.
  }
}

function answerTo({ request_id, request }: JsonObject): JsonObject {
  const subtype = stringField(request, 'subtype');
  const body = {
    commands: [],
    agents: [],
    models: [],
    account: {},
    session_state: 'idle',
    heddle_version: HEDDLE_VERSION,
  };
  const response =
    subtype === 'initialize'
      ? { subtype: 'success', request_id, response: body }
      : { subtype: 'error', request_id, error: WATCHED, error_code: 'watching' };
  return { type: 'control_response', response };
}

function refusal({ uuid }: JsonObject, sessionId: string): JsonObject {
  const ids = { session_id: sessionId, uuid: '' };
  return { type: 'system', subtype: 'input_error', error: WATCHED, error_code: 'watching', input_uuid: uuid, ...ids };
}
