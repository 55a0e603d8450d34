import type { ServerDefinition } from '../../mcp/server-definition.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { textOf } from '../../wire/api/text-of.ts';
import { RPC_ERRORS, RpcError } from '../../wire/link/json-rpc.ts';
import type { ServedSession } from './served-session.ts';

/** Settings that may let a server use the model. A project's cannot: the model costs the user's money. */
const ENTITLED: ReadonlySet<string> = new Set(['userSettings', 'flagSettings', 'policySettings']);

/** Scopes of servers that the user did not define: by its name alone, such a server would get what another one may. */
const FOREIGN: ReadonlySet<string> = new Set(['project', 'agent']);

type SamplingServer = Pick<ServerDefinition, 'name' | 'scope'>;

/** Whether the user's settings let this server use the model: `allowMcpSampling` lists `docs`, or `project:docs`. */
export function mayServerSample(
  { configuration }: Pick<ServedSession, 'configuration'>,
  { name, scope }: SamplingServer,
): boolean {
  const entry = FOREIGN.has(scope) ? `${scope}:${name}` : name;
  return configuration.loaded.layers.some(({ scope, values: { allowMcpSampling: allowed } }) => {
    return ENTITLED.has(scope) && Array.isArray(allowed) && allowed.includes(entry);
  });
}

/** Lets the model answer a question of a server, at the cost of the session. Throws RpcError unless that is allowed. */
export async function sample(
  session: Pick<ServedSession, 'configuration' | 'askModel' | 'hideCredentials' | 'model'>,
  { server, params }: { server: SamplingServer; params: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  if (!mayServerSample(session, server)) {
    throw new RpcError(RPC_ERRORS.unknownMethod, 'The user has not allowed this server to use the model');
  }
  const prompt = promptOf(params.messages);
  if (prompt === '') throw new RpcError(RPC_ERRORS.invalidParams, 'There is no text to answer');
  const system = stringField(params, 'systemPrompt');
  const { maxTokens } = params;
  const blocks = await session.askModel(
    {
      prompt,
      model: 'main',
      ...(system !== undefined && { system }),
      ...(typeof maxTokens === 'number' && maxTokens > 0 && { maxOutputTokens: Math.floor(maxTokens) }),
    },
    signal,
  );
  const text = session.hideCredentials(textOf(blocks));
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: session.model.selected.id,
    stopReason: 'endTurn',
  };
}

/** One prompt of all messages; each has its role before it if there are several. */
function promptOf(messages: unknown): string {
  const texts = (Array.isArray(messages) ? messages : []).flatMap((message) => {
    const text = promptText(isObject(message) ? message.content : undefined);
    return text === '' ? [] : [{ role: stringField(message, 'role') ?? 'user', text }];
  });
  if (texts.length <= 1) return texts[0]?.text ?? '';
  return texts.map(({ role, text }) => `${role}: ${text}`).join('\n\n');
}

function promptText(content: unknown): string {
  const items = Array.isArray(content) ? content : [content];
  return items.flatMap((item) => stringField(item, 'text') ?? []).join('\n');
}
