// A session of many megabytes as work with tools makes it: a prompt, then rounds of a word, a call and its result. A
// result is stored twice, as the model sees it and, at more length, as hosts do.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const ROUNDS_PER_PROMPT = 20;
const TURNS_SINCE = 14;
const LINES = 'The weft goes over and under the "warp",\n\tthread by thread. ';

/** `compacted`: a boundary with its summary stands before the last few hundred entries. Returns the path of the file. */
export function makeLongSession({ home, cwd, sessionId, bytes, compacted }) {
  const slug = fs.realpathSync(cwd).replace(/[^A-Za-z0-9]/g, '-');
  const folder = path.join(home, 'projects', slug);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${sessionId}.jsonl`);
  const fd = fs.openSync(file, 'w', 0o600);
  const session = { fd, cwd, sessionId, size: 0, round: 0, leaf: null };
  while (session.size < bytes) addTurn(session);
  if (compacted) {
    const fields = {
      content: 'Conversation compacted',
      level: 'info',
      compactMetadata: { trigger: 'auto', preTokens: 1 },
    };
    const logicalParentUuid = session.leaf;
    session.leaf = null;
    add(session, { logicalParentUuid, type: 'system', subtype: 'compact_boundary', ...fields });
    for (let turn = 0; turn < TURNS_SINCE; turn++) addTurn(session);
  }
  fs.closeSync(fd);
  return file;
}

function addTurn(session) {
  add(session, { type: 'user', message: { role: 'user', content: `Go on. ${LINES.repeat(4)}` } });
  for (let i = 0; i < ROUNDS_PER_PROMPT; i++) addRound(session);
}

function addRound(session) {
  const id = `toolu_${++session.round}`;
  const file_path = path.join(session.cwd, `src/pattern-${session.round % 97}.txt`);
  const answer = (...content) => ({
    message: {
      ...{ id: `msg_${session.round}`, type: 'message', role: 'assistant', model: 'bench', content },
      ...{ stop_reason: null, usage: { input_tokens: 10, output_tokens: 10 } },
    },
    requestId: `req_${session.round}`,
    type: 'assistant',
  });
  add(session, answer({ type: 'text', text: LINES.repeat(8) }));
  add(session, answer({ type: 'tool_use', id, name: 'Read', input: { file_path } }));
  const content = LINES.repeat(30);
  const toolUseResult = { type: 'text', file: { filePath: file_path, content: LINES.repeat(120), numLines: 120 } };
  const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] };
  add(session, { type: 'user', message }, { toolUseResult, sourceToolAssistantUUID: session.leaf });
}

/** `behind` stands at the end of the line, as in the files of the reference (wire.md 8.2). */
function add(session, fields, behind = {}) {
  const { cwd, sessionId } = session;
  const uuid = randomUUID();
  const envelope = { isSidechain: false, userType: 'external', cwd, sessionId, version: '2.1.44', gitBranch: 'HEAD' };
  const identity = { uuid, timestamp: '2026-01-01T00:00:00.000Z' };
  const entry = { parentUuid: session.leaf, ...envelope, ...fields, ...identity, ...behind };
  session.size += fs.writeSync(session.fd, `${JSON.stringify(entry)}\n`);
  session.leaf = uuid;
}
