import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HEDDLE_VERSION } from '../../src/wire/version.ts';
import { ROOT } from '../support/root.ts';
import { Editor } from './editor.ts';

test('the manifest for the registry has the fields of its format, and this version', async () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packaging/acp-registry/agent.json'), 'utf8'));
  const { id, name, version, description, distribution, ...others } = manifest;
  expect(id).toMatch(/^[a-z][a-z0-9-]*$/);
  expect([name, description].every((text: string) => text.length > 0)).toBe(true);
  expect(version).toBe(HEDDLE_VERSION);
  expect(distribution).toEqual({ npx: { package: `heddle@${HEDDLE_VERSION}`, args: ['acp'] } });
  expect(Object.keys(others).sort()).toEqual(['authors', 'license']);
});

test('the registry wants a login: the first answer names one', async () => {
  const { authMethods } = await new Editor([]).initialize({ auth: { terminal: true } });
  expect(authMethods).toEqual([expect.objectContaining({ id: 'api-key', type: 'terminal' })]);
});
