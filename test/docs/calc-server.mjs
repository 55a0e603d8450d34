// The MCP server that the examples of docs/reference/wire.md speak of: `add`, and a page to show.
import { createInterface } from 'node:readline';

const inputSchema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'calc', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'add', description: 'Adds', inputSchema }] }),
  'tools/call': ({ arguments: { a, b } }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  'resources/list': () => ({ resources: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/html', text: '<p>3</p>' }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined && result) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
});
