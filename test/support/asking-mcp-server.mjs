// An MCP server over stdio whose tool `sign` sends the person to a page, and then tells that the page was used; with the
// argument `form`, it asks for a name.
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
/** The calls that wait for the person, by the id of the question. */
const waiting = new Map();

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'asking', version: '1' };
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    say({ id, result: { tools: [{ name: 'sign', inputSchema: { type: 'object' } }] } });
  } else if (method === 'tools/call') {
    waiting.set(`ask-${id}`, id);
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const asked =
      process.argv[2] === 'form'
        ? { message: 'Who are you?', requestedSchema }
        : { mode: 'url', message: 'Sign in there', url: 'https://example.com/sign', elicitationId: 'sign-1' };
    say({ id: `ask-${id}`, method: 'elicitation/create', params: asked });
  } else if (waiting.has(id)) {
    say({ method: 'notifications/elicitation/complete', params: { elicitationId: 'sign-1' } });
    say({
      id: waiting.get(id),
      result: { content: [{ type: 'text', text: `signed: ${result?.action} ${result?.content?.name ?? ''}` }] },
    });
  } else if (id !== undefined) say({ id, result: {} });
});
