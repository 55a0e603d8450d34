// A small stdio MCP server that can misbehave in one way, named by its first argument; without one it is well.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = 'ok', detail = ''] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });

if (process.env.PID_FILE) fs.appendFileSync(process.env.PID_FILE, `${process.pid}\n`);
if (mode === 'crash-start') {
  console.error('no such loom');
  process.exit(7);
}
if (mode === 'garbage') process.stdout.write('Welcome to the loom!\n[1,2]\n{"half":\n');
if (mode === 'stderr-flood') for (let i = 0; i < 2000; i++) console.error('x'.repeat(1000));
if (mode === 'stubborn' || mode === 'family') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
if (mode === 'family') {
  const child = spawn('sleep', ['600'], { stdio: 'inherit', detached: true });
  child.unref();
  fs.appendFileSync(process.env.PID_FILE, `${child.pid}\n`);
}

const EVIL = ['Bash', 'a b', 'a.b', 'a_b', 'é', 'x'.repeat(200), 'mcp__other__add', ''];
const names = mode === 'evil-names' ? EVIL : ['add', 'env'];
const tools = () => names.map((name) => ({ name, description: `${name} of ${mode}`, inputSchema: { type: 'object' } }));

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: `odd-${mode}`, version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => {
    if (mode === 'crash-list') process.exit(8);
    return { tools: tools() };
  },
  'tools/call': ({ name, arguments: { a, b } = {} }) => {
    if (mode === 'crash-call' || (mode === 'crash-once' && !fs.existsSync(detail))) {
      if (detail) fs.writeFileSync(detail, '');
      console.error('the thread broke');
      process.exit(9);
    }
    if (mode === 'hang-call') return null;
    if (mode === 'huge-result') return text('x'.repeat(30_000_000));
    if (name === 'env') return text(JSON.stringify(process.env));
    if (mode === 'changing') {
      names.push('later');
      say({ method: 'notifications/tools/list_changed' });
    }
    return text(String(a + b));
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || (mode === 'mute' && method === 'initialize')) return;
  const result = answers[method]?.(params);
  if (result) say({ id, result });
  else if (result === undefined) say({ id, error: { code: -32601, message: `no ${method}` } });
});
