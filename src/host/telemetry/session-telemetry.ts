import type { Attributes, Context } from '@opentelemetry/api';
import { userContent } from '../../agent/conversation.ts';
import { errorCodeOf } from '../../agent/result.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { Parts } from '../parts.ts';
import { messagesText } from './content.ts';
import type { Telemetry } from './telemetry.ts';
import { tracedCalls } from './trace-calls.ts';
import { traceVariables, withEnvSpan } from './trace-context.ts';
import { tracedModel, usageAttributes } from './trace-model.ts';
import { inSpan, type SpanSpec, type Tracing } from './tracing.ts';

interface TurnTracing extends Tracing {
  /** What the sender of a line was doing; undefined when the line came from outside of this process. */
  senderOf(line: object): Context | undefined;
}

export function sessionTelemetry(tracing: TurnTracing): Telemetry {
  const { api, session } = tracing;

  /** What the sender is doing; else what the session was opened for; else what the environment names. */
  function contextOf(line: object): Context {
    const sent = tracing.senderOf(line) ?? api.context.active();
    return api.trace.getSpan(sent) ? sent : withEnvSpan(tracing, session.env, sent);
  }

  const exchange = (asked: ApiMessage['content'], answer: string): Attributes => ({
    'gen_ai.input.messages': messagesText([{ role: 'user', content: asked }], session.hide),
    'gen_ai.output.messages': messagesText(
      [{ role: 'assistant', content: [{ type: 'text', text: answer }] }],
      session.hide,
    ),
  });

  return {
    models: (choose) => async (name) => {
      const chosen = await choose(name);
      return { ...chosen, model: tracedModel(tracing, chosen.model) };
    },
    calls: (calls) => tracedCalls(tracing, calls),
    turn(parts, input, work) {
      const spec = invocation(parts, contextOf(input));
      const costBefore = parts.ledger.costUsd;
      return inSpan(tracing, spec, async (span) => {
        const line = await work();
        span.tell(() => ({ ...resultAttributes(line), 'heddle.cost_usd': parts.ledger.costUsd - costBefore }));
        span.quote(() => exchange(userContent(input.message), textOf(line)));
        const failure = failureOf(line);
        if (failure !== null) span.fail(failure);
        return line;
      });
    },
    agent(parts, prompt, work) {
      return inSpan(tracing, invocation(parts, api.context.active()), async (span) => {
        const ended = await work();
        const costUsd = ended.usage.costUsd ?? 0;
        span.tell(() => ({ ...usageAttributes(parts.ledger.turnUsage), 'heddle.cost_usd': costUsd }));
        const said = () => ended.content.map(({ text }) => text).join('\n');
        span.quote(() => exchange([{ type: 'text', text: prompt }], said()));
        const failure = errorCodeOf(ended.end);
        if (failure !== null) span.fail(failure);
        return ended;
      });
    },
    variables: () => traceVariables(tracing, api.trace.getSpanContext(api.context.active())),
  };
}

/** What the main thread is called where it runs as no agent in particular. */
const MAIN = 'heddle';

function invocation({ agent, mainAgent, chosen }: Parts, parent: Context): SpanSpec {
  const name = agent?.type ?? mainAgent?.name ?? MAIN;
  return {
    name: `invoke_agent ${name}`,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      ...(agent && { 'gen_ai.agent.id': agent.id }),
      'gen_ai.provider.name': chosen.model.provider,
      'gen_ai.request.model': chosen.id,
    },
    parent,
  };
}

function resultAttributes(line: Message): Attributes {
  if (line.type !== 'result') return {};
  return { ...usageAttributes(line.usage), 'heddle.result.subtype': line.subtype, 'heddle.num_turns': line.num_turns };
}

function textOf(line: Message): string {
  return 'result' in line && typeof line.result === 'string' ? line.result : '';
}

function failureOf(line: Message): string | null {
  if (line.type !== 'result' || !line.is_error) return null;
  return line.error_code ?? line.terminal_reason ?? line.subtype;
}
