import type { Span } from '@opentelemetry/api';
import { type Tool, type ToolContext, ToolError } from '../../tools/tool.ts';
import { messageOf } from '../../util/message-of.ts';
import { valueText } from './content.ts';
import { conversationOf } from './conversation-id.ts';
import type { TurnCalls } from './telemetry.ts';
import { traceHeaders, traceVariables } from './trace-context.ts';
import { endSpan, inSpan, markFailed, type SpanSpec, startSpan, type Tracing } from './tracing.ts';

/** Takes out of a value what nobody may see. */
type Hide = <T>(found: T) => T;

/** Tools and gate of a turn with a span, `execute_tool`, for each call that runs, and for each that was denied. */
export function tracedCalls(tracing: Tracing, { tools, gate }: TurnCalls, hide: Hide): TurnCalls {
  return {
    tools: {
      ...tools,
      get(name) {
        const tool = tools.get(name);
        return tool && tracedTool(tracing, tool, hide);
      },
    },
    gate: {
      async check(call, signal) {
        const verdict = await gate.check(call, signal);
        if (verdict.allowed) return verdict;
        const span = startSpan(tracing, callSpec(tracing, { ...call, decision: 'deny' }));
        if (tracing.capturesContent) span.setAttribute(ARGUMENTS, valueText(hide(call.input)));
        markFailed(tracing, span, 'permission_denied');
        endSpan(tracing, span);
        return verdict;
      },
    },
  };
}

const ARGUMENTS = 'gen_ai.tool.call.arguments';
const RESULT = 'gen_ai.tool.call.result';

function tracedTool(tracing: Tracing, tool: Tool, hide: Hide): Tool {
  return {
    ...tool,
    run(input, context) {
      const { toolUseId, signal } = context;
      const spec: SpanSpec = {
        ...callSpec(tracing, { tool, toolUseId, decision: 'allow' }),
        errorType: (error) => (signal.aborted ? 'aborted' : error instanceof ToolError ? 'tool_error' : undefined),
      };
      const running = (span: Span) => tool.run(input, below(tracing, span, context));
      if (!tracing.capturesContent) return inSpan(tracing, spec, running);
      return inSpan(tracing, spec, async (span) => {
        span.setAttribute(ARGUMENTS, valueText(hide(input)));
        try {
          const output = await running(span);
          span.setAttribute(RESULT, valueText(hide(output.content)));
          return output;
        } catch (error) {
          span.setAttribute(RESULT, valueText(hide(messageOf(error))));
          throw error;
        }
      });
    },
  };
}

/** Commands and servers that the call asks are told which span they work for. */
function below(tracing: Tracing, span: Span, context: ToolContext): ToolContext {
  const own = span.spanContext();
  const trace = traceHeaders(tracing, own);
  return { ...context, env: { ...context.env, ...traceVariables(tracing, own) }, trace };
}

interface TracedCall {
  tool: Tool;
  toolUseId: string;
  decision: 'allow' | 'deny';
}

function callSpec({ api }: Tracing, { tool, toolUseId, decision }: TracedCall): SpanSpec {
  return {
    name: `execute_tool ${tool.name}`,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool.name,
      'gen_ai.tool.call.id': toolUseId,
      'gen_ai.tool.type': tool.name.startsWith('mcp__') ? 'extension' : 'function',
      'heddle.permission.decision': decision,
      ...conversationOf(api.context.active()),
    },
  };
}
