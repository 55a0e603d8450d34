import * as z from 'zod/mini';
import { answerIn } from '../../host/hosts/open-questions.ts';
import type { JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type Route, route, tokenOf } from '../http/route.ts';
import { checkAnswer } from '../policy/control-filter.ts';
import type { LaunchPolicy } from '../policy/launch-policy.ts';
import type { Question, Questions } from '../ports/asked-questions.ts';
import type { SessionRecords } from '../ports/session-records.ts';
import type { TokenInfo } from '../ports/tokens.ts';
import type { TurnEngine } from '../ports/turn-engine.ts';
import { SessionId, SessionParams, timeText } from './schemas.ts';
import { sessionOf } from './session-routes.ts';

export interface QuestionRoutesOptions {
  sessions: SessionRecords;
  questions: Questions;
  engine: Pick<TurnEngine, 'wake'>;
  policy: LaunchPolicy;
}

const State = z.enum(['open', 'answered', 'withdrawn', 'expired']);

const ShownQuestion = z.object({
  id: z.string(),
  session_id: z.string(),
  tool_use_id: z.nullable(z.string()),
  /** The body of the control request: `can_use_tool`, `elicitation`. */
  request: z.record(z.string(), z.unknown()),
  state: State,
  opened_at: z.string(),
  answer: z.nullable(z.record(z.string(), z.unknown())),
  by: z.nullable(z.string()),
  closed_at: z.nullable(z.string()),
});

const ListQuery = z.object({ state: z.optional(State) });
const Listed = z.object({ questions: z.array(ShownQuestion) });

/** Questions: listed, and and the first answer counts. */
export function questionRoutes(options: QuestionRoutesOptions): Route[] {
  const { sessions, questions } = options;
  return [
    route({
      ...{ method: 'GET', path: '/v1/questions', scope: 'sessions:read', query: ListQuery, errors: [] },
      summary: 'The questions of all sessions, the oldest first',
      answers: { 200: { description: 'The questions', schema: Listed } },
      async handle({ query: { state = 'open' }, ...call }) {
        const token = tokenOf(call);
        const { sessionId } = token;
        const all = await questions.list({ state, ...(sessionId !== null && { sessionId }) });
        const own: Question[] = [];
        for (const each of all) if (await sessions.get(token.tenant, each.sessionId)) own.push(each);
        return { body: { questions: own.map(shownQuestion) } };
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/sessions/{id}/questions', scope: 'sessions:read', query: ListQuery },
      ...{ params: SessionParams, errors: ['session_not_found'] },
      summary: 'The questions of a session, the oldest first',
      answers: { 200: { description: 'The questions', schema: Listed } },
      async handle({ params, query, ...call }) {
        const { id } = await sessionOf(sessions, tokenOf(call), params.id);
        const { state } = query;
        const all = await questions.list({ sessionId: id, ...(state && { state }) });
        return { body: { questions: all.map(shownQuestion) } };
      },
    }),
    route({
      ...{ method: 'POST', path: '/v1/questions/{question}/answer', scope: 'questions:answer' },
      params: z.object({ question: SessionId }),
      body: z.record(z.string(), z.unknown()),
      summary: 'Answers a question with the body of a control response. The first answer counts',
      answers: { 200: { description: 'The answer counts', schema: ShownQuestion } },
      errors: ['unknown_question', 'already_answered', 'question_withdrawn', 'not_permitted'],
      async handle({ params, body, ...call }) {
        const token = tokenOf(call);
        const question = await questionOf(params.question, token, options);
        return { body: shownQuestion(await answerQuestion(question, body, token.name, options)) };
      },
    }),
  ];
}

/** A question that the token may see. Rejects with `unknown_question`. */
async function questionOf(
  id: string,
  { tenant, sessionId }: TokenInfo,
  { questions, sessions }: QuestionRoutesOptions,
): Promise<Question> {
  const question = await questions.get(id);
  const isOwn = question && (sessionId === null || question.sessionId === sessionId);
  if (isOwn && (await sessions.get(tenant, question.sessionId))) return question;
  throw new HeddleError('unknown_question', `There is no question ${id}: GET /v1/questions lists those that wait`);
}

/** Rejects with `invalid_request` for an answer that is not well-formed: the question stays open. */
export async function answerQuestion(
  question: Question,
  answer: JsonObject,
  by: string,
  { questions, policy, engine }: Pick<QuestionRoutesOptions, 'questions' | 'policy' | 'engine'>,
): Promise<Question> {
  const line = { request: question.request };
  const open = { id: question.id, line, asked: new Set<never>() };
  if (answerIn(open, { subtype: 'success', response: answer }) === null) throw malformed(question);
  checkAnswer(answer, policy);
  const answered = await questions.answer(question.id, answer, by);
  await engine.wake(question.sessionId); // its run may be gone
  return answered;
}

function shownQuestion({ sessionId, toolUseId, openedAt, closedAt, ...rest }: Question): z.infer<typeof ShownQuestion> {
  return {
    ...rest,
    ...{ session_id: sessionId, tool_use_id: toolUseId, opened_at: timeText(openedAt) },
    closed_at: closedAt === null ? null : timeText(closedAt),
  };
}

function malformed({ request }: Question): HeddleError {
  const expected =
    request.subtype === 'can_use_tool'
      ? '{"behavior": "allow"} or {"behavior": "deny", "message": "…"}'
      : '{"action": "accept", "content": {…}}, {"action": "decline"} or {"action": "cancel"}';
  const message = `The answer is not understood, and the question is still open: answer with ${expected}`;
  return new HeddleError('invalid_request', message, { facts: { status: 422 } });
}
