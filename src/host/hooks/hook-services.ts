import type { HookPosted, HookSeams } from '../hooks/ask-hook.ts';
import { mcpToolName } from '../mcp/tool-names.ts';
import { createHttpClient, type HttpAnswer } from '../model/http.ts';
import { proxyFor } from '../model/proxy.ts';
import type { ContentBlock } from '../wire/content.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import { type Env, toolEnv } from './home.ts';
import type { Parts } from './parts.ts';

/** What the hooks of a session may ask beside commands and the host. `parts` is asked late: some of it changes. */
export function hookSeams(parts: () => Parts, env: Env): HookSeams {
  const hide = (text: string) => parts().hideCredentials(text);
  return {
    ...serverSeams(env, hide),
    async askModel({ system, prompt, model }, signal) {
      const question = { system, prompt, model: model === null ? ('small' as const) : { named: model } };
      return hide(textOf(await parts().toolSession.ask(question, signal)));
    },
    async askAgent(question, signal) {
      const { askAgent } = await import('./agents/ask-agent.ts');
      return hide(await askAgent(parts(), question, signal));
    },
    async callTool({ server, tool, input }, signal) {
      const { mcp, tools, runtime, toolContext } = parts();
      const name = mcpToolName(server, tool);
      // One that a rule takes away from the session is not there for its hooks either.
      const found = tools.get(name) && mcp?.tools().find((each) => each.name === name);
      if (!found) throw new Error(`The MCP server ${server} is not connected or has no tool ${tool}`);
      const { content } = await found.run(input, toolContext(runtime.ids.uuid(), signal));
      return hide(typeof content === 'string' ? content : textOf(content));
    },
  };
}

/** What also works without a session. */
export function serverSeams(env: Env, hide: (text: string) => string): HookSeams {
  return {
    env: toolEnv(env),
    async post({ url, headers, body }, signal) {
      const target = new URL(url);
      const client = createHttpClient({ origin: target, proxy: proxyFor(target, env) });
      try {
        const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
        const request = { url: target, headers: { ...HEADERS, ...given }, body: Buffer.from(body) };
        const answer = await client.post(request, signal);
        const { text, isCut } = await readText(answer);
        return { status: answer.status, contentType: contentType(answer), text: hide(text), isCut };
      } finally {
        client.close();
      }
    },
  };
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'user-agent': `heddle/${HEDDLE_VERSION}`,
};

/** As much as is kept of what a command prints (trust K-4). */
const MAX_BYTES = 1_000_000;

async function readText(answer: HttpAnswer): Promise<Pick<HookPosted, 'text' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for (let chunk = await answer.read(); chunk !== null; chunk = await answer.read()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= MAX_BYTES) continue;
    answer.destroy();
    return { text: Buffer.concat(chunks).subarray(0, MAX_BYTES).toString(), isCut: true };
  }
  return { text: Buffer.concat(chunks).toString(), isCut: false };
}

function contentType({ headers }: HttpAnswer): string {
  return headers['content-type'] ?? '';
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
}
