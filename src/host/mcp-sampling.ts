import type { ServerDefinition } from '../mcp/connections.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { RPC_ERRORS, RpcError } from '../wire/json-rpc.ts';
import type { Parts } from './parts.ts';

/** Who may let a server use the model: it spends the user's money, so that a project cannot. */
const ENTITLED: ReadonlySet<string> = new Set(['userSettings', 'flagSettings', 'policySettings']);

/** Who defines servers that the user does not: by a name alone these would get what another server of that name may. */
const FOREIGN: ReadonlySet<string> = new Set(['project', 'agent']);

type SamplingServer = Pick<ServerDefinition, 'name' | 'scope'>;

/** Whether the user's own settings let this server use the model: `allowMcpSampling` has `docs`, or `project:docs`. */
export function mayServerSample(
  { configuration }: Pick<Parts, 'configuration'>,
  { name, scope }: SamplingServer,
): boolean {
  const entry = FOREIGN.has(scope) ? `${scope}:${name}` : name;
  return configuration.loaded.layers.some(({ scope, values: { allowMcpSampling: allowed } }) => {
    return ENTITLED.has(scope) && Array.isArray(allowed) && allowed.includes(entry);
  });
}

/** A server wants the model to answer something: booked like any other call. Throws RpcError unless it was allowed. */
export async function sample(
  parts: Parts,
  { server, params }: { server: SamplingServer; params: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  if (!mayServerSample(parts, server)) {
    throw new RpcError(RPC_ERRORS.unknownMethod, 'The user has not allowed this server to use the model');
  }
  const prompt = promptOf(params.messages);
  if (prompt === '') throw new RpcError(RPC_ERRORS.invalidParams, 'There is no text to answer');
  const system = stringField(params, 'systemPrompt');
  const { maxTokens } = params;
  const blocks = await parts.toolSession.ask(
    {
      prompt,
      model: 'main',
      ...(system !== undefined && { system }),
      ...(typeof maxTokens === 'number' && maxTokens > 0 && { maxOutputTokens: Math.floor(maxTokens) }),
    },
    signal,
  );
  const text = parts.hideCredentials(blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n'));
  return { role: 'assistant', content: { type: 'text', text }, model: parts.chosen.id, stopReason: 'endTurn' };
}

/** One question: what was said before is told in it. */
function promptOf(messages: unknown): string {
  const said = (Array.isArray(messages) ? messages : []).flatMap((message) => {
    const text = textOf(isObject(message) ? message.content : undefined);
    return text === '' ? [] : [{ role: stringField(message, 'role') ?? 'user', text }];
  });
  if (said.length <= 1) return said[0]?.text ?? '';
  return said.map(({ role, text }) => `${role}: ${text}`).join('\n\n');
}

function textOf(content: unknown): string {
  const items = Array.isArray(content) ? content : [content];
  return items.flatMap((item) => stringField(item, 'text') ?? []).join('\n');
}
