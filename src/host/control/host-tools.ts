import type { CustomTool, HandlerResult } from '../../define/tool.ts';
import { namesProblem } from '../../define/tool-name.ts';
import { loadCustomTools } from '../../tools/custom/load-tools.ts';
import { isObject } from '../../util/json.ts';
import { HostTool } from '../../wire/control/initialize.ts';
import { HeddleError } from '../../wire/errors.ts';
import { firstIssue } from '../../wire/schema.ts';
import type { HostLink } from '../link/host-link.ts';
import type { MainThread } from '../thread/thread.ts';
import { invalidRequest } from './control-handler.ts';

/**
 * Adds the tools that `initialize` names to the session. The host runs their calls. Rejects when one of them cannot be
 * used.
 */
export async function useHostTools({ toolbox, services }: MainThread, raw: unknown): Promise<void> {
  if (!Array.isArray(raw)) throw invalidRequest('hostTools', 'a list of tools');
  const tools = raw.map((each, at) => {
    const parsed = HostTool.safeParse(each);
    if (!parsed.success) throw invalidRequest(`hostTools[${at}]`, `a tool (${firstIssue(parsed.error)})`);
    return parsed.data;
  });
  const names = tools.map(({ name }) => name);
  const taken = names.find((name) => toolbox.registry.get(name) !== undefined);
  const problem = namesProblem(names) ?? (taken === undefined ? null : `Two tools are named ${taken}`);
  if (problem !== null) throw new HeddleError('invalid_option', problem, { facts: { option: 'tools' } });
  await toolbox.setHostTools(await loadCustomTools(tools.map((tool) => runByHost(services.link, tool))));
}

/** The host checks the input again, with its own schema. */
function runByHost(
  link: Pick<HostLink, 'call'>,
  { name, description, inputSchema, annotations, alwaysLoad }: HostTool,
): CustomTool {
  return {
    name,
    description,
    inputSchema,
    ...(annotations && { annotations }),
    ...(alwaysLoad !== undefined && { alwaysLoad }),
    async handler(input, { signal, toolUseId }) {
      const request = { subtype: 'call_tool', name, input, tool_use_id: toolUseId };
      return toResult(await link.call(request, { signal }));
    },
  };
}

/** Also takes a bare text. The caller checks everything else. */
function toResult(answer: unknown): HandlerResult {
  if (!isObject(answer) || typeof answer.content !== 'string') return answer as HandlerResult;
  const { content: text, ...rest } = answer;
  return Object.keys(rest).length === 0 ? text : { ...rest, content: [{ type: 'text', text }] };
}
