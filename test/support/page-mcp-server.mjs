// A stdio MCP server whose tool has a page to show. Its argument is a folder: `calls` there gets a line for every call that
// arrives, and `description` is what the tool says of itself. After a call it says that its tools have changed.
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.argv[2];
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function described() {
  try {
    return fs.readFileSync(path.join(folder, 'description'), 'utf8');
  } catch {
    return 'Weaves';
  }
}

const tool = (name) => ({
  name,
  description: described(),
  inputSchema: { type: 'object' },
  _meta: { ui: { resourceUri: 'ui://loom/page' }, secret: 'not for hosts' },
});

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: {} },
    serverInfo: { name: 'loom', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [tool('weave'), tool('cut')] }),
  'tools/call': ({ name, arguments: input }) => {
    fs.appendFileSync(path.join(folder, 'calls'), `${name} ${JSON.stringify(input)}\n`);
    if (input.hang) return undefined;
    const link = { type: 'resource_link', uri: 'ui://loom/page', name: 'page' };
    return {
      content: [{ type: 'text', text: input.fails ? 'the thread broke' : 'woven' }, link],
      structuredContent: { threads: 7 },
      isError: input.fails === true,
      _meta: { loom: 1 },
    };
  },
  'resources/read': ({ uri }) => ({
    contents: [{ uri, mimeType: 'text/html', text: '<p>loom</p>', _meta: { ui: { csp: {} } }, other: 'left out' }],
  }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined && result) say({ id, result });
  if (method === 'tools/call') say({ method: 'notifications/tools/list_changed' });
});
