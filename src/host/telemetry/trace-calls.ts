import { type Tool, type ToolContext, ToolError } from '../../tools/tool.ts';
import { messageOf } from '../../util/message-of.ts';
import type { TracedCalls } from '../engine/telemetry.ts';
import { valueText } from './conversation-attributes.ts';
import { traceHeaders, traceVariables } from './trace-context.ts';
import { inSpan, type SpanSpec, startSpan, type Tracing, type WorkSpan } from './tracing.ts';

/** Tools and gate of a turn, with an `execute_tool` span for each call that runs and each that is denied. */
export function tracedCalls(tracing: Tracing, { registry, gate }: TracedCalls): TracedCalls {
  return {
    registry: {
      ...registry,
      get(name) {
        const tool = registry.get(name);
        return tool && tracedTool(tracing, tool);
      },
    },
    gate: {
      async check(call, signal) {
        const verdict = await gate.check(call, signal);
        if (!verdict.allowed) reportDenial(tracing, call);
        return verdict;
      },
    },
  };
}

const ARGUMENTS = 'gen_ai.tool.call.arguments';
const RESULT = 'gen_ai.tool.call.result';

function reportDenial(tracing: Tracing, call: { tool: Tool; toolUseId: string; input: unknown }): void {
  const span = startSpan(tracing, callSpec(call.tool, call.toolUseId, 'deny'));
  span.quote(() => ({ [ARGUMENTS]: valueText(call.input, tracing.session.hide) }));
  span.fail('permission_denied');
  span.end();
}

function tracedTool(tracing: Tracing, tool: Tool): Tool {
  const { hide } = tracing.session;
  return {
    ...tool,
    run(input, context) {
      const spec: SpanSpec = {
        ...callSpec(tool, context.toolUseId, 'allow'),
        errorType: (error) =>
          context.signal.aborted ? 'aborted' : error instanceof ToolError ? 'tool_error' : undefined,
      };
      return inSpan(tracing, spec, async (span) => {
        span.quote(() => ({ [ARGUMENTS]: valueText(input, hide) }));
        try {
          const output = await tool.run(input, below(tracing, span, context));
          span.quote(() => ({ [RESULT]: valueText(output.content, hide) }));
          return output;
        } catch (error) {
          span.quote(() => ({ [RESULT]: valueText(messageOf(error), hide) }));
          throw error;
        }
      });
    },
  };
}

/** Passes the span on to the commands and servers that the call uses. */
function below(tracing: Tracing, span: WorkSpan, context: ToolContext): ToolContext {
  const own = span.spanContext();
  const trace = traceHeaders(tracing, own);
  return { ...context, env: { ...context.env, ...traceVariables(tracing, own) }, trace };
}

function callSpec({ name }: Tool, toolUseId: string, decision: 'allow' | 'deny'): SpanSpec {
  return {
    name: `execute_tool ${name}`,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': toolUseId,
      'gen_ai.tool.type': name.startsWith('mcp__') ? 'extension' : 'function',
      'heddle.permission.decision': decision,
    },
  };
}
