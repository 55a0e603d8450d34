import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportFailure } from '../../../src/tui/term/failure-report.ts';
import { afterTest } from '../../support/after-test.ts';

const context = { version: '1.2.3', now: new Date(0) };

test('an exception is kept with its places and without its text; the person sees both', () => {
  const home = mkdtempSync(join(tmpdir(), 'heddle-report-'));
  afterTest(() => rmSync(home, { recursive: true, force: true }));
  const error = new TypeError('Unexpected token "my secret\n    at prompt" in JSON');
  const lines = reportFailure(error, { ...context, env: { HEDDLE_HOME: home, TERM: 'xterm' } });
  expect(lines[0]).toContain('my secret');
  const [name = ''] = readdirSync(join(home, 'reports'));
  const file = join(home, 'reports', name);
  expect(lines[1]).toContain(file);
  const report = readFileSync(file, 'utf8');
  expect(report).toMatch(/heddle 1\.2\.3[\s\S]*TERM=xterm[\s\S]*TypeError\n\s+at .*failure-report\.test\.ts/);
  expect(report).not.toMatch(/secret|prompt/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, 'reports')).mode & 0o777).toBe(0o700);
});

test.each([[{}], [{ HEDDLE_HOME: '/proc/nowhere' }]])(
  'without a place for it (%o) the person is told all the same',
  (env) => {
    expect(reportFailure(new Error('broken'), { ...context, env })).toEqual(['heddle: the terminal failed: broken']);
  },
);
