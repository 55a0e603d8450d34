import type { HookPort, HookPosted } from '../../hooks/ask-hook.ts';
import { mcpToolName } from '../../mcp/tool-names.ts';
import { createHttpClient, type HttpAnswer } from '../../model/http/http.ts';
import { proxyFor } from '../../model/http/proxy.ts';
import { textOf } from '../../wire/api/text-of.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import { type Env, toolEnv } from '../engine/environment.ts';
import type { HookActions, HookedThread } from './hooked-thread.ts';

/** The services that hooks may use in addition to commands and the host: URLs, models, agents, MCP tools. */
export function hookServices(
  thread: Pick<HookedThread, 'services' | 'toolbox' | 'askModel' | 'toolContext'>,
  { env, askAgent }: { env(): Env; askAgent: HookActions['askAgent'] },
): HookPort {
  const { mcp, runtime, hideCredentials } = thread.services;
  const hide = (text: string) => hideCredentials(text);
  return {
    ...sessionlessServices(env(), hide),
    get env() {
      return toolEnv(env());
    },
    async askModel({ system, prompt, model }, signal) {
      const question = { system, prompt, model: model === null ? ('small' as const) : { named: model } };
      return hide(textOf(await thread.askModel(question, signal)));
    },
    async askAgent(question, signal) {
      return hide(await askAgent(question, signal));
    },
    async callTool({ server, tool, input }, signal) {
      const name = mcpToolName(server, tool);
      // A tool that a rule removes from the session is not available to its hooks either.
      const known = thread.toolbox.registry.get(name) && mcp.current?.tools().find((each) => each.name === name);
      if (!known) throw new Error(`The MCP server ${server} is not connected or has no tool ${tool}`);
      const { content } = await known.run(input, thread.toolContext(runtime.ids.uuid(), signal));
      return hide(typeof content === 'string' ? content : textOf(content));
    },
  };
}

/** The services that also work without a session. */
export function sessionlessServices(env: Env, hide: (text: string) => string): HookPort {
  return {
    env: toolEnv(env),
    async post({ url, headers, body }, signal) {
      const target = new URL(url);
      const client = createHttpClient({ origin: target, proxy: proxyFor(target, env) });
      try {
        const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
        const request = { url: target, headers: { ...HEADERS, ...named }, body: Buffer.from(body) };
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

/** The same limit as for the output of a command. */
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
