// A small stdio MCP server. Its arguments are the names of its tools; those that begin with `look` say that they only
// read. The `id` of every call that arrives is noted in CALLS_FILE, so that nobody has to be believed that it did not.
import fs from 'node:fs';
import { createInterface } from 'node:readline';

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const tools = process.argv.slice(2).map((name) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  ...(name.startsWith('look') && { annotations: READ_ONLY }),
}));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'loom', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: { id } }) => {
    fs.appendFileSync(process.env.CALLS_FILE, `${id}\n`);
    return { content: [{ type: 'text', text: 'woven' }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined && result) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
});
