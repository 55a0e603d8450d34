import { type ElicitationAnswer, readElicitation } from '../hooks/answer.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Parts } from './parts.ts';

interface Elicitation {
  server: string;
  /** As the server asks. */
  params: JsonObject;
  /** Whether somebody at the other end can be asked at all. */
  canAskHost: boolean;
}

const DECLINED: ElicitationAnswer = { action: 'decline' };

/**
 * A server asks something of the user: hooks first, then the host; where nobody can be asked, or no answer comes, it is
 * declined. What comes of it passes the ElicitationResult hooks. Never rejects.
 */
export async function elicit(parts: Parts, elicitation: Elicitation, signal: AbortSignal): Promise<JsonObject> {
  const question = questionOf(elicitation);
  const asked = (await askHooks(parts, question, signal)) ?? (await askHost(parts, question, elicitation, signal));
  const answer = filledIn(asked, question);
  const { mcp_server_name, mode, elicitation_id } = question;
  const told = { mcp_server_name, ...answer, ...(mode && { mode }), ...(elicitation_id && { elicitation_id }) };
  const outcome = await parts.hooks?.fire('ElicitationResult', told, signal);
  return { ...filledIn(outcome?.elicitation ?? answer, question) };
}

/** Whoever accepts a form and fills in nothing takes it as the server has filled it in. */
function filledIn(answer: ElicitationAnswer, { requested_schema: schema }: Question): ElicitationAnswer {
  const isBare = answer.action === 'accept' && Object.keys(answer.content ?? {}).length === 0;
  if (!isBare || !isObject(schema?.properties)) return answer;
  const fields = Object.entries(schema.properties).flatMap(([name, field]) =>
    isObject(field) && field.default !== undefined ? [[name, field.default] as const] : [],
  );
  return fields.length === 0 ? answer : { ...answer, content: Object.fromEntries(fields) };
}

interface Question extends JsonObject {
  mcp_server_name: string;
  message: string;
  mode?: string;
  url?: string;
  elicitation_id?: string;
  requested_schema?: JsonObject;
}

function questionOf({ server, params }: Elicitation): Question {
  const mode = stringField(params, 'mode');
  const url = stringField(params, 'url');
  const id = stringField(params, 'elicitationId');
  const { requestedSchema } = params;
  return {
    mcp_server_name: server,
    message: stringField(params, 'message') ?? '',
    ...(mode !== undefined && { mode }),
    ...(url !== undefined && { url }),
    ...(id !== undefined && { elicitation_id: id }),
    ...(isObject(requestedSchema) && { requested_schema: requestedSchema }),
  };
}

/** Null: no hook has an answer. One that objects declines. */
async function askHooks({ hooks }: Parts, question: Question, signal: AbortSignal): Promise<ElicitationAnswer | null> {
  if (!hooks) return null;
  const { elicitation, block, stop } = await hooks.fire('Elicitation', question, signal);
  return block !== null || stop !== null ? DECLINED : elicitation;
}

async function askHost(
  { callHost, runtime }: Parts,
  question: Question,
  { server, canAskHost }: Elicitation,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  if (!canAskHost) return DECLINED;
  try {
    const answer = readElicitation(await callHost({ subtype: 'elicitation', ...question }, { signal }));
    if (answer) return answer;
    runtime.log('warn', `What the MCP server ${server} asked was declined: the host's answer is not valid`);
  } catch (error) {
    runtime.log('debug', `What the MCP server ${server} asked was declined: ${messageOf(error)}`);
  }
  return DECLINED;
}
