// Answers over HTTP as they are written: server-sent events, with nothing but node:http. This program is also its own
// browser, so that there is something to see. A server for others needs a look at who asks: this one only listens here.
import { createServer } from 'node:http';
import { query } from 'heddle';

const server = createServer(async (request, response) => {
  let prompt = '';
  for await (const chunk of request.setEncoding('utf8')) prompt += chunk;
  if (request.method !== 'POST' || prompt.trim() === '') {
    response.writeHead(400).end('POST a prompt\n');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (event: string, data: unknown) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

  // A browser that goes away ends the agent, and with it what the answer costs.
  const abortController = new AbortController();
  response.on('close', () => abortController.abort());
  try {
    const run = query({ prompt, options: { model: 'offline', allowedTools: ['Bash(echo:*)'], abortController } });
    for await (const text of run.textStream) send('text', text);
    send('done', { cost: run.result?.total_cost_usd, session: run.result?.session_id });
  } catch (error) {
    // Also an error of the model's API: `textStream` throws it.
    if (!abortController.signal.aborted) send('failed', { message: (error as Error).message });
  }
  response.end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as { port: number };

for (const prompt of ['run: echo warp and weft', '']) {
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: prompt });
  console.log(`${response.status} ${response.headers.get('content-type') ?? 'no events'}`);
  const body = await response.text(); // a page would show each event as it comes: `for await (const chunk of response.body)`
  const events = [...body.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data = '']) => [
    name,
    JSON.parse(data),
  ]);
  const texts = events.filter(([name]) => name === 'text').map(([, text]) => text);
  if (texts.length > 1) console.log(`in pieces: ${texts.join('').replaceAll('\n', ' ')}`);
  for (const [name, data] of events) if (name !== 'text') console.log(`${name}: $${data.cost}`);
}
server.close();
