import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Options } from '../../../src/sdk/options/options.ts';
import { toLaunch } from '../../../src/sdk/options/to-launch.ts';

const given = (options: Options) => toLaunch(options).config.settings;
const sandbox = { enabled: true, network: { allowedDomains: ['example.com'] } };
const sent = { failIfUnavailable: true, ...sandbox };

test('[OPT-29, SBX-13] sandbox travels as a setting, and says that it is required', () => {
  expect(JSON.parse(given({ sandbox }) ?? '')).toEqual({ sandbox: sent });
  expect(JSON.parse(given({ sandbox: { enabled: true, failIfUnavailable: false } }) ?? '')).toEqual({
    sandbox: { enabled: true, failIfUnavailable: false },
  });
  expect(JSON.parse(given({ sandbox: { enabled: false } }) ?? '')).toEqual({ sandbox: { enabled: false } });
});

test('[OPT-45] settings and sandbox are one JSON text, in whatever form the settings come', () => {
  const dir = mkdtempSync(join(tmpdir(), 'heddle-sdk-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const settings = { model: 'opus', sandbox: { excludedCommands: ['docker'] } };
  writeFileSync(join(dir, 'own.json'), JSON.stringify(settings));
  const expected = { model: 'opus', sandbox: { ...sent, excludedCommands: ['docker'] } };
  for (const each of [settings, JSON.stringify(settings), 'own.json', join(dir, 'own.json')]) {
    expect(JSON.parse(given({ settings: each, sandbox, cwd: dir }) ?? '')).toEqual(expected);
  }
});

test('settings alone go as they are', () => {
  expect(given({ settings: 'own.json' })).toBe('own.json');
  expect(given({ settings: { model: 'opus' } })).toBe('{"model":"opus"}');
  expect(given({})).toBeUndefined();
});

test('a settings file that cannot be merged with is an error before anything starts', () => {
  expect(() => given({ settings: '/no/such/file', sandbox })).toThrow(/options.settings cannot be read/);
  expect(() => given({ settings: '{"broken"', sandbox })).toThrow(/no JSON object/);
});
