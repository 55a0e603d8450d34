import type { Attributes, Context } from '@opentelemetry/api';
import { userContent } from '../../agent/messages/api-messages.ts';
import { errorCodeOf } from '../../agent/result.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { Telemetry, TracedThread } from '../engine/telemetry.ts';
import { messagesText } from './conversation-attributes.ts';
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

  /** The context of the sender, else that in which the session was opened, else that which the environment names. */
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
      const selected = await choose(name);
      return { ...selected, model: tracedModel(tracing, selected.model) };
    },
    calls: (calls) => tracedCalls(tracing, calls),
    turn(thread, input, work) {
      const spec = invocation(thread, contextOf(input));
      const costBefore = thread.budget.ledger.costUsd;
      return inSpan(tracing, spec, async (span) => {
        const line = await work();
        span.setAttributes(() => ({
          ...resultAttributes(line),
          'heddle.cost_usd': thread.budget.ledger.costUsd - costBefore,
        }));
        span.quote(() => exchange(userContent(input.message), textOf(line)));
        const failure = failureOf(line);
        if (failure !== null) span.fail(failure);
        return line;
      });
    },
    agent(thread, prompt, work) {
      return inSpan(tracing, invocation(thread, api.context.active()), async (span) => {
        const ended = await work();
        const costUsd = ended.usage.costUsd ?? 0;
        span.setAttributes(() => ({ ...usageAttributes(thread.budget.ledger.turnUsage), 'heddle.cost_usd': costUsd }));
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

/** The name of the main thread when it does not run as an agent. */
const MAIN = 'heddle';

function invocation({ identity: { agent, role }, model: { selected } }: TracedThread, parent: Context): SpanSpec {
  const name = agent?.type ?? role?.name ?? MAIN;
  return {
    name: `invoke_agent ${name}`,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      ...(agent && { 'gen_ai.agent.id': agent.id }),
      'gen_ai.provider.name': selected.model.provider,
      'gen_ai.request.model': selected.id,
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
