import { type ElicitationAnswer, readElicitation } from '../../hooks/answer.ts';
import type { Hooks } from '../../hooks/dispatch.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ServedSession } from './served-session.ts';

interface Elicitation {
  server: string;
  /** The question as the server sent it. */
  params: JsonObject;
  /** Whether the host answers such questions at all. */
  canAskHost: boolean;
}

const DECLINED: ElicitationAnswer = { action: 'decline' };

/** The parts of a session that answer the questions of servers. */
type AnsweringSession = Pick<ServedSession, 'hooks' | 'link' | 'runtime'>;

/**
 * Answers a question that a server has for the user: hooks answer first, then the host; without an answer the question
 * is declined. ElicitationResult hooks see the answer and may replace it. Never rejects.
 */
export async function elicit(
  { hooks, link, runtime }: AnsweringSession,
  elicitation: Elicitation,
  signal: AbortSignal,
): Promise<JsonObject> {
  const question = questionOf(elicitation);
  const ofHook = hooks.current && (await askHooks(hooks.current, question, signal));
  const answer = filledIn(ofHook ?? (await askHost({ link, runtime }, question, elicitation, signal)), question);
  const { mcp_server_name, mode, elicitation_id } = question;
  const payload = { mcp_server_name, ...answer, ...(mode && { mode }), ...(elicitation_id && { elicitation_id }) };
  const outcome = await hooks.current?.fire('ElicitationResult', payload, signal);
  return { ...filledIn(outcome?.elicitation ?? answer, question) };
}

/** An accepted form without values takes the defaults of the server. */
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

/** Null: no hook has an answer. A hook that blocks declines the question. */
async function askHooks(
  hooks: Pick<Hooks, 'fire'>,
  question: Question,
  signal: AbortSignal,
): Promise<ElicitationAnswer | null> {
  const { elicitation, block, stop } = await hooks.fire('Elicitation', question, signal);
  return block !== null || stop !== null ? DECLINED : elicitation;
}

async function askHost(
  { link, runtime }: Pick<ServedSession, 'link' | 'runtime'>,
  question: Question,
  { server, canAskHost }: Elicitation,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  if (!canAskHost) return DECLINED;
  try {
    const answer = readElicitation(await link.call({ subtype: 'elicitation', ...question }, { signal }));
    if (answer) return answer;
    runtime.log('warn', `What the MCP server ${server} asked was declined: the host's answer is not valid`);
  } catch (error) {
    runtime.log('debug', `What the MCP server ${server} asked was declined: ${messageOf(error)}`);
  }
  return DECLINED;
}
