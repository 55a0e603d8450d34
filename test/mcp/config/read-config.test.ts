import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readMcpConfig } from '../../../src/mcp/config/read-config.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'heddle-mcp-config-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('[MCP-14, FLG-26] servers come from texts and files; the later one of two counts', async () => {
  writeFileSync(join(dir, 'a.json'), '{"mcpServers":{"x":{"command":"a"},"y":{"command":"b"}}}');
  const servers = await readMcpConfig(['a.json', ' {"mcpServers":{"y":{"type":"sdk","name":"y"}}}'], dir);
  expect([...servers]).toEqual([
    ['x', { command: 'a' }],
    ['y', { type: 'sdk', name: 'y' }],
  ]);
});

test.each([
  ['missing.json', /^--mcp-config: missing.json cannot be read: there is no such file/],
  ['{', /the text is no JSON object with mcpServers/],
  ['{"mcpServers":[]}', /the text is no JSON object with mcpServers/],
  ['{"mcpServers":{"x":null}}', /the server "x" is no object/],
])('[P-20] %s is refused', async (word, message) => {
  await expect(readMcpConfig([word], dir)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringMatching(message),
  });
});
