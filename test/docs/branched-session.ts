import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './project.ts';

const SESSION = '3f2a9c11-7a0e-4c53-9d52-0a8f6e1b2c3d';

/** Puts the session of docs/sessions.md into the home: a prompt, and two ways on from its answer. */
export function putBranchedSession({ home, cwd }: Project): void {
  const entries = [
    ...turn({ prompt: 'fix the login form', answer: '9d1e04c7', after: null, total: 0.0102 }),
    ...turn({ prompt: 'with a test', answer: '1c0f6b3e', after: '9d1e04c7', total: 0.0204 }),
    ...turn({ prompt: 'run it', answer: '81b0d2aa', after: '1c0f6b3e', total: 0.0312 }),
    ...turn({ prompt: 'without one', answer: '5c77e0f4', after: '9d1e04c7', total: 0.0431 }),
  ];
  const timed = entries.map((entry, at) => ({
    ...entry,
    cwd,
    timestamp: `2026-03-01T12:00:${String(at).padStart(2, '0')}Z`,
  }));
  const folder = join(home, '.heddle/projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${SESSION}.jsonl`), timed.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

interface Turn {
  prompt: string;
  /** The beginnings of uuids: of the answer, and of what the prompt follows. */
  answer: string;
  after: string | null;
  /** What the session has cost by then, in dollars. */
  total: number;
}

function turn({ prompt, answer, after, total }: Turn): object[] {
  const asked = uuid(`a${answer.slice(1)}`);
  const said = { id: `msg_${answer}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' };
  const usage = { input_tokens: 10, output_tokens: 5 };
  const content = [{ type: 'text', text: 'Done.' }];
  return [
    {
      type: 'user',
      uuid: asked,
      parentUuid: after && uuid(after),
      sessionId: SESSION,
      message: { role: 'user', content: prompt },
    },
    {
      type: 'assistant',
      uuid: uuid(answer),
      parentUuid: asked,
      sessionId: SESSION,
      message: { ...said, content, stop_reason: 'end_turn', stop_sequence: null, usage },
    },
    { type: 'cost-state', sessionId: SESSION, totalCostUSD: total, modelUsage: {} },
  ];
}

function uuid(beginning: string): string {
  return `${beginning}-0000-4000-8000-000000000000`;
}
