import { expect, test } from 'vitest';
import { readSandboxRules } from '../../../src/tools/sandbox/sandbox-settings.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { SandboxSettings } from '../../../src/wire/sandbox-settings.ts';

const read = (values: SandboxSettings | JsonObject, onUnknown = (_key: string) => {}) =>
  readSandboxRules(values as JsonObject, onUnknown);

test('[K43] is off, keeps commands in, and is required, unless it says otherwise', () => {
  expect(read({})).toMatchObject({
    enabled: false,
    autoAllow: true,
    mayLeave: false,
    isRequired: true,
    isWeaker: false,
  });
  expect(read({}).network).toMatchObject({ allowedDomains: [], allowUnixSockets: [], allowAllUnixSockets: false });
});

test('takes what is written', () => {
  const rules = read({
    enabled: true,
    autoAllowBashIfSandboxed: false,
    allowUnsandboxedCommands: true,
    failIfUnavailable: false,
    enableWeakerNestedSandbox: true,
    network: { httpProxyPort: 8080 },
    filesystem: { allowWrite: ['~/.cache/**', '/x'] },
    ignoreViolations: { file: ['/x'], 'npm install': ['cache'] },
  });
  expect(rules).toMatchObject({ enabled: true, autoAllow: false, mayLeave: true, isRequired: false, isWeaker: true });
  expect(rules.network.httpProxyPort).toBe(8080);
  expect(rules.filesystem.allowWrite).toEqual(['~/.cache', '/x']);
});

test.each<[JsonObject, string]>([
  [{ enabled: 'yes' }, 'sandbox.enabled must be true or false'],
  [{ excludedCommands: 'docker' }, 'sandbox.excludedCommands must be a list of texts'],
  [{ network: [] }, 'sandbox.network must be an object'],
  [{ network: { httpProxyPort: 99_999 } }, 'sandbox.network.httpProxyPort must be a port from 1 to 65535'],
  [{ network: { allowedDomains: [1] } }, 'sandbox.network.allowedDomains must be a list of texts'],
  [{ filesystem: { denyRead: ['**/*.pem'] } }, 'sandbox.filesystem.denyRead must be a list of paths'],
  [{ ignoreViolations: { file: '/x' } }, 'sandbox.ignoreViolations must be an object of lists of texts'],
])('[R-18] a value of the wrong kind is an error: %j', (values, message) => {
  expect(() => read(values)).toThrow(message);
});

test('names keys that it does not know', () => {
  const unknown: string[] = [];
  read({ ripgrep: {}, network: { strictAllowlist: true } }, (key) => unknown.push(key));
  expect(unknown).toEqual(['sandbox.ripgrep', 'sandbox.network.strictAllowlist']);
});
