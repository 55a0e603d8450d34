import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from './lines.ts';
import type { Place } from './place.ts';
import { RESULT } from './scripted-agent.ts';

export interface FakeAgent {
  /** For `pathToClaudeCodeExecutable`. */
  path: string;
  /** How it was started and every line it got, as far as it has written them down. */
  recorded(): { argv: string[]; execArgv: string[]; cwd: string; env: Record<string, string>; lines: Line[] };
}

/**
 * An agent that is a script: notes how it was started, answers `initialize`, and runs `onUser` for each user line, with
 * `say(line)` at hand. By default it says one result and ends when its input does.
 */
export function fakeAgent(place: Place, options: { onUser?: string; atStart?: string; name?: string } = {}): FakeAgent {
  const path = join(place.root, options.name ?? 'agent.mjs');
  const notes = `${path}.notes`;
  const code = `#!${process.execPath}
    import { appendFileSync } from 'node:fs';
    import { createInterface } from 'node:readline';
    const note = (value) => appendFileSync(${JSON.stringify(notes)}, JSON.stringify(value) + '\\n');
    const say = (line) => process.stdout.write((typeof line === 'string' ? line : JSON.stringify(line)) + '\\n');
    const result = (text) => say({ ...${JSON.stringify(RESULT)}, result: text });
    const { env, argv, execArgv } = process;
    note({ env, argv: argv.slice(2), execArgv, cwd: process.cwd() });
    ${options.atStart ?? ''}
    createInterface({ input: process.stdin }).on('line', async (text) => {
      const line = JSON.parse(text);
      note(line);
      if (line.type === 'control_request' && line.request.subtype === 'initialize') {
        say({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id, response: {} } });
      }
      if (line.type === 'user') { ${options.onUser ?? "result('done')"} }
    });
  `;
  writeFileSync(path, code, { mode: 0o755 });
  return {
    path,
    recorded() {
      const [start, ...lines] = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [];
      return { ...JSON.parse(start ?? '{}'), lines: lines.map((line) => JSON.parse(line) as Line) };
    },
  };
}
