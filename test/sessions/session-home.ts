import { randomUUID } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectSlug } from '../../src/sessions/files/project-slug.ts';
import type { Entry } from '../../src/wire/entries.ts';
import { tempDir } from './support.ts';

export const PROJECT = '/w/project';

export interface Written {
  sessionId: string;
  path: string;
}

export interface SessionHome {
  home: string;
  /** Writes a transcript; entries as JSON lines, texts as they are. `age` in seconds: larger is older. */
  session(
    lines: readonly (Entry | string)[],
    options?: { project?: string; sessionId?: string; age?: number },
  ): Written;
}

const NOW = Date.parse('2026-01-01T00:00:00Z') / 1000;

export function sessionHome(): SessionHome {
  const home = tempDir();
  return {
    home,
    session(lines, { project = PROJECT, sessionId = randomUUID(), age = 0 } = {}) {
      const path = join(home, 'projects', projectSlug(project), `${sessionId}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)).join(''),
      );
      utimesSync(path, NOW - age, NOW - age);
      return { sessionId, path };
    },
  };
}

export function title(customTitle: string): Entry {
  return { type: 'custom-title', customTitle, sessionId: 's' };
}

export function tagged(tag: string): Entry {
  return { type: 'tag', tag, sessionId: 's' };
}
