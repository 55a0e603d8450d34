import type { AsyncResource } from 'node:async_hooks';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { userContent } from '../../agent/conversation.ts';
import type { TurnEnd } from '../../agent/loop.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { Env } from '../home.ts';
import type { Parts } from '../parts.ts';
import { messagesText } from './content.ts';
import { withConversation } from './conversation-id.ts';
import type { Telemetry } from './telemetry.ts';
import { tracedCalls } from './trace-calls.ts';
import { traceVariables, withEnvSpan } from './trace-context.ts';
import { tracedModel } from './trace-model.ts';
import { inSpan, markFailed, type SpanSpec, type Tracing } from './tracing.ts';
import { usageAttributes } from './usage.ts';

interface SessionPlace {
  env: Env;
  /** Where a line was sent from; undefined when it came from outside of this process. */
  senderOf(line: object): AsyncResource | undefined;
}

export function sessionTelemetry(tracing: Tracing, { env, senderOf }: SessionPlace): Telemetry {
  const { api } = tracing;

  /** What the sender is doing; else what the session was opened for; else what the environment names. */
  function contextOf(line: object): Context {
    const active = () => api.context.active();
    const sent = senderOf(line)?.runInAsyncScope(active) ?? active();
    return api.trace.getSpan(sent) ? sent : withEnvSpan(tracing, env, sent);
  }

  return {
    models: (choose) => async (name) => {
      const chosen = await choose(name);
      return { ...chosen, model: tracedModel(tracing, chosen.model) };
    },
    calls: (calls, hide) => tracedCalls(tracing, calls, hide),
    turn(parts, input, work) {
      const spec = invocation(parts, contextOf(input));
      const costBefore = parts.ledger.costUsd;
      return inSpan(tracing, spec, async (span) => {
        const line = await work();
        span.setAttributes(resultAttributes(line));
        span.setAttribute('heddle.cost_usd', parts.ledger.costUsd - costBefore);
        const failure = failureOf(line);
        if (failure !== null) markFailed(tracing, span, failure);
        if (tracing.capturesContent) {
          span.setAttribute(INPUT, messagesText([{ role: 'user', content: userContent(input.message) }]));
          noteAnswer(span, 'result' in line && typeof line.result === 'string' ? line.result : '');
        }
        return line;
      });
    },
    agent(parts, prompt, work) {
      return inSpan(tracing, invocation(parts, api.context.active()), async (span) => {
        const ended = await work();
        span.setAttributes(usageAttributes(parts.ledger.turnUsage));
        span.setAttribute('heddle.cost_usd', ended.usage.costUsd ?? 0);
        const failure = troubleOf(ended.end);
        if (failure !== null) markFailed(tracing, span, failure);
        if (tracing.capturesContent) {
          span.setAttribute(INPUT, messagesText([{ role: 'user', content: [{ type: 'text', text: prompt }] }]));
          noteAnswer(span, ended.content.map(({ text }) => text).join('\n'));
        }
        return ended;
      });
    },
    variables: () => traceVariables(tracing, api.trace.getSpanContext(api.context.active())),
  };
}

const INPUT = 'gen_ai.input.messages';
const OUTPUT = 'gen_ai.output.messages';

/** What the main thread is called where it runs as no agent in particular. */
const MAIN = 'heddle';

function invocation({ agent, mainAgent, sessionId, chosen }: Parts, context: Context): SpanSpec {
  const name = agent?.type ?? mainAgent?.name ?? MAIN;
  return {
    name: `invoke_agent ${name}`,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      ...(agent && { 'gen_ai.agent.id': agent.id }),
      'gen_ai.conversation.id': sessionId,
      'gen_ai.provider.name': chosen.model.provider,
      'gen_ai.request.model': chosen.id,
    },
    parent: withConversation(context, sessionId),
  };
}

function resultAttributes(line: Message): Attributes {
  if (line.type !== 'result') return {};
  return { ...usageAttributes(line.usage), 'heddle.result.subtype': line.subtype, 'heddle.num_turns': line.num_turns };
}

function failureOf(line: Message): string | null {
  if (line.type !== 'result' || !line.is_error) return null;
  return line.error_code ?? line.terminal_reason ?? line.subtype;
}

/** As the result of a turn would call it. */
function troubleOf(end: TurnEnd): string | null {
  switch (end.kind) {
    case 'completed':
    case 'hook_stopped':
    case 'deferred':
      return null;
    case 'api_error':
      return end.failure.class;
    case 'interrupted':
      return end.during === 'tools' ? 'aborted_tools' : 'aborted_streaming';
    default:
      return end.kind;
  }
}

function noteAnswer(span: Span, text: string): void {
  span.setAttribute(OUTPUT, messagesText([{ role: 'assistant', content: [{ type: 'text', text }] }]));
}
