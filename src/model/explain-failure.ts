import type { Failure } from './model.ts';

/** The failure with advice behind its message. Without the body, which would be shown instead of the message. */
export function withAdvice(failure: Failure, advice: string | null): Failure {
  if (advice === null) return failure;
  const { body: _, ...rest } = failure;
  return { ...rest, message: `${failure.message.replace(/[.\s]*$/, '')}. ${advice}` };
}

const NO_TOOLS = /(not|n't) support tools?\b|support tool use|tools? (is|are) not supported/i;
/** llama.cpp and vLLM call tools only when they were started for it. */
const NO_TOOLS_YET = /requires --(jinja|enable-auto-tool-choice)/i;

/** The failure of a model or a server that cannot call tools; null for any other. It is not worth another attempt. */
export function explainNoTools(failure: Failure): Failure | null {
  if (failure.status === undefined) return null;
  const advice = NO_TOOLS_YET.test(failure.message)
    ? 'Start the server with these flags: an agent cannot work without tools.'
    : NO_TOOLS.test(failure.message)
      ? 'Choose a model that can call tools: an agent cannot work without them.'
      : null;
  return advice === null ? null : { ...withAdvice(failure, advice), class: 'invalid_request' };
}

/** What to check when a server refuses the key, or cannot be reached; null for any other failure. */
export function explainServer(
  failure: Failure,
  { keyFrom, addressFrom }: { keyFrom: string | undefined; addressFrom: string },
): Failure | null {
  if (failure.class === 'connection') return withAdvice(failure, `${addressFrom} is its address.`);
  if (failure.class !== 'authentication' || failure.status === undefined || keyFrom === undefined) return null;
  return withAdvice(failure, `Check ${keyFrom}.`);
}
