import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJsonObject } from '../../src/config/json-object.ts';
import { put } from '../support/put.ts';
import { tempDir } from './support.ts';

test('what is no JSON is told without a piece of what stands there', () => {
  const path = join(tempDir(), '.mcp.json');
  put(path, '{"mcpServers": {"a": {"env": {"KEY": sk-loom-1234}}}}');
  expect(() => readJsonObject(path)).toThrow(/^it is not valid JSON: Unexpected token 's'$/);
});
