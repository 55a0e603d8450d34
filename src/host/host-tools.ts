import type { CustomTool, HandlerResult } from '../define/tool.ts';
import { namesProblem } from '../define/tool-name.ts';
import { loadCustomTools } from '../tools/custom-tool-load.ts';
import { isObject } from '../util/json.ts';
import { HostTool } from '../wire/control/initialize.ts';
import { HeddleError } from '../wire/errors.ts';
import { firstIssue } from '../wire/schema.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Parts } from './parts.ts';

/**
 * Takes over the tools that `initialize` names: they are those of the session, and the host is asked to run each call.
 * Rejects when one of them cannot be used.
 */
export async function useHostTools(parts: Parts, given: unknown): Promise<void> {
  if (!Array.isArray(given)) throw invalidRequest('hostTools', 'a list of tools');
  const tools = given.map((each, at) => {
    const parsed = HostTool.safeParse(each);
    if (!parsed.success) throw invalidRequest(`hostTools[${at}]`, `a tool (${firstIssue(parsed.error)})`);
    return parsed.data;
  });
  const names = tools.map(({ name }) => name);
  const taken = names.find((name) => parts.tools.get(name) !== undefined);
  const problem = namesProblem(names) ?? (taken === undefined ? null : `Two tools are named ${taken}`);
  if (problem !== null) throw new HeddleError('invalid_option', problem, { facts: { option: 'tools' } });
  await parts.setHostTools(await loadCustomTools(tools.map((tool) => runByHost(parts, tool))));
}

/** The host checks the input once more, with the schema that its program has. */
function runByHost(parts: Parts, { name, description, inputSchema, annotations, alwaysLoad }: HostTool): CustomTool {
  return {
    name,
    description,
    inputSchema,
    ...(annotations && { annotations }),
    ...(alwaysLoad !== undefined && { alwaysLoad }),
    async handler(input, { signal, toolUseId }) {
      const request = { subtype: 'call_tool', name, input, tool_use_id: toolUseId };
      return toResult(await parts.callHost(request, { signal }));
    },
  };
}

/** A text alone is what a handler may return, too. Anything else is checked by who reads it. */
function toResult(answer: unknown): HandlerResult {
  if (!isObject(answer) || typeof answer.content !== 'string') return answer as HandlerResult;
  const { content: text, ...rest } = answer;
  return Object.keys(rest).length === 0 ? text : { ...rest, content: [{ type: 'text', text }] };
}
