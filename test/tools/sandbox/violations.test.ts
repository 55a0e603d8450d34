import { expect, test } from 'vitest';
import { type Evidence, explainViolations, type Walls } from '../../../src/tools/sandbox/violations.ts';

const walls: Walls = { writable: ['/work'], network: 'there is no network', mayLeave: false };
const explain = (evidence: Partial<Evidence>, ignored = {}, changes: Partial<Walls> = {}) =>
  explainViolations({ command: 'npm install', stderr: '', refusedHosts: [], ...evidence }, ignored, {
    ...walls,
    ...changes,
  });

test.each([
  ["touch: cannot touch '/etc/x': Read-only file system", 'It can write only below /work and /tmp'],
  ["Error: EROFS: read-only file system, open '/x'", 'It can write only below /work and /tmp'],
  ["mv: cannot move '.git/config': Device or resource busy", 'It can write only below'],
  ['curl: (6) Could not resolve host: example.com', 'There is no network.'],
  ['getaddrinfo EAI_AGAIN registry.example', 'There is no network.'],
])('explains %s', (stderr, text) => {
  expect(explain({ stderr })).toContain(text);
});

test('says nothing of other errors', () => {
  expect(explain({ stderr: 'error: 3 tests failed\ncat: x: No such file or directory' })).toBe('');
});

test('names refused hosts, and the way out where there is one', () => {
  const note = explain({ refusedHosts: ['evil.test'] }, {}, { mayLeave: true });
  expect(note).toContain('The proxy refused: evil.test.');
  expect(note).toContain('dangerouslyDisableSandbox');
});

test('a sandbox that could not be made is told as such', () => {
  expect(explain({ stderr: "bwrap: Can't find source path /x: No such file" })).toContain('has not run');
});

test.each<[Record<string, string[]>, string]>([
  [{ file: ['/root/.npm'] }, "EROFS: read-only file system, open '/root/.npm/_logs'"],
  [{ file: ['/root/*/_logs'] }, "EROFS: read-only file system, open '/root/.npm/_logs'"],
  [{ '*': ['.npm'] }, "EROFS: read-only file system, open '/root/.npm/_logs'"],
  [{ 'npm install': ['.npm'] }, "EROFS: read-only file system, open '/root/.npm/_logs'"],
  [{ network: ['registry.example'] }, 'getaddrinfo EAI_AGAIN registry.example'],
])('[SBX-10] is silent on what is to be ignored: %j', (ignored, stderr) => {
  expect(explain({ stderr })).not.toBe('');
  expect(explain({ stderr }, ignored)).toBe('');
});

test('[SBX-10] ignores no more than that', () => {
  const stderr = "EROFS: read-only file system, open '/root/.npm/_logs'";
  expect(explain({ stderr }, { network: ['.npm'], 'npm test': ['.npm'], file: ['/other'] })).not.toBe('');
  expect(explain({ refusedHosts: ['a.test', 'b.test'] }, { network: ['a.test'] })).toContain('refused: b.test.');
});
