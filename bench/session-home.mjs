// A config home full of sessions: what a year of daily work leaves behind.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const PLACEHOLDER = '00000000-0000-4000-8000-000000000000';
const PROJECTS = 20;

/** Writes `sessions` transcripts of `bytes` bytes each, of one project or of several; the last ones are the newest. */
export function makeSessionHome(home, { sessions, bytes, project }) {
  const template = transcript(bytes);
  for (let i = 0; i < sessions; i++) {
    const folder = path.join(home, 'projects', project ?? `-srv-app-${i % PROJECTS}`);
    if (i < PROJECTS) fs.mkdirSync(folder, { recursive: true });
    const sessionId = randomUUID();
    const text = template.replaceAll(PLACEHOLDER, sessionId).replaceAll('@number', String(i).padStart(7));
    fs.writeFileSync(path.join(folder, `${sessionId}.jsonl`), text);
  }
}

/** Turns of one prompt and a few tool calls each. */
function transcript(bytes) {
  const lines = [];
  let size = 0;
  for (let i = 0, parentUuid = null; size < bytes; i++) {
    const uuid = `u${String(i).padStart(35, '0')}`;
    const envelope = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: '/srv/app',
      sessionId: PLACEHOLDER,
      version: '2.1.44',
      gitBranch: 'main',
    };
    const line = `${JSON.stringify({ ...envelope, ...content(i), uuid, timestamp: '2026-01-01T00:00:00.000Z' })}\n`;
    lines.push(line);
    size += line.length;
    parentUuid = uuid;
  }
  return lines.join('');
}

function content(i) {
  const id = `toolu_${i - (i % 2 === 0 ? 1 : 0)}`;
  if (i % 10 === 0) return { type: 'user', message: { role: 'user', content: `Prompt ${i} of session @number` } };
  if (i % 2 === 1) {
    const call = { type: 'tool_use', id, name: 'Bash', input: { command: 'ls -la' } };
    const message = { id: `msg_${i}`, type: 'message', role: 'assistant', model: 'm', content: [call] };
    return { message, requestId: `req_${i}`, type: 'assistant' };
  }
  const stdout = 'drwxr-xr-x 2 user user 4096 "a file"\n'.repeat(40);
  const result = { type: 'tool_result', tool_use_id: id, content: stdout };
  return { type: 'user', message: { role: 'user', content: [result] }, toolUseResult: { stdout } };
}
