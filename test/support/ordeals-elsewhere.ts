import { onTestFinished } from 'vitest';
import type { AnswerLike } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { bedrockDialect, openFakeCloud } from './fake-clouds.ts';
import { itemsOfKind, startFakeResponses } from './fake-responses.ts';
import { ORDEALS, type Ordeal } from './model-ordeal-suite.ts';
import { invalidRequests, type OrdealWorld } from './model-ordeals-run.ts';
import { makePlace } from './place.ts';

/** Amazon Bedrock in front of the same scripts; whatever breaks there breaks its frames. */
export const BEDROCK: OrdealWorld = {
  async open(script) {
    const place = await makePlace(script);
    const cloud = await openFakeCloud(place.api.url, bedrockDialect());
    onTestFinished(() => cloud.close());
    const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, ...env } = place.env;
    const own = { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-east-1', AWS_BEARER_TOKEN_BEDROCK: 'key-of-the-test' };
    return { ...place, env: { ...env, ...own, ANTHROPIC_BEDROCK_BASE_URL: cloud.url } };
  },
  invalid: invalidRequests,
};

/** OpenAI's Responses, with the same scripts. */
export const RESPONSES: OrdealWorld = {
  async open(script) {
    const place = await makePlace();
    const api = await startFakeResponses(script);
    onTestFinished(() => api.close());
    const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, ...env } = place.env;
    const own = { OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: api.url };
    return { ...place, api, env: { ...env, ...own, ANTHROPIC_MODEL: 'openai-responses/gpt-5' } };
  },
  invalid: ({ api }) => api.requests.flatMap(({ body }, at) => unpaired(body).map((id) => `request ${at + 1}: ${id}`)),
};

/** Calls without a result, and results without a call: the Responses API refuses a request with either. */
function unpaired(body: JsonObject): unknown[] {
  const ids = (kind: string) => itemsOfKind(body, kind).map(({ call_id }) => call_id);
  const [calls, results] = [ids('function_call'), ids('function_call_output')];
  return [
    ...calls.filter((id, at) => !results.includes(id) || calls.indexOf(id) !== at),
    ...results.filter((id, at) => !calls.includes(id) || results.indexOf(id) !== at),
  ];
}

/** The ordeals without those that write the bytes of Anthropic's own stream, which mean nothing elsewhere. */
export function ordealsElsewhere(isLeftOut: (name: string) => boolean = () => false): Ordeal[] {
  return ORDEALS.map((ordeal) => ({
    ...ordeal,
    troubles: ordeal.troubles.filter(({ name, answers }) => !answers.some(isRaw) && !isLeftOut(name)),
  })).filter(({ troubles }) => troubles.length > 0);
}

function isRaw(answer: AnswerLike): boolean {
  return typeof answer === 'object' && 'kind' in answer && answer.kind === 'raw';
}
