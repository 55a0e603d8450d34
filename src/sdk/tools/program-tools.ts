import type { CustomTool } from '../../define/tool.ts';
import { type JsonObject, stringField } from '../../util/json.ts';
import { madeOnce } from '../../util/made-once.ts';
import { messageOf } from '../../util/message-of.ts';
import { ControlError, HeddleError } from '../../wire/errors.ts';
import type { ControlBody, RequestContext } from '../../wire/link/peer.ts';
import type { ReportToHost } from '../report-to-host.ts';
import type { LoadedTool } from './serve-tools.ts';

/** Tools of this program. The agent has them under their own names and asks this program to run them. */
export interface ProgramTools {
  /** Their descriptions for the agent. Rejects with `invalid_option` when a schema cannot be used. */
  described(): Promise<JsonObject[]>;
  /** Answers `call_tool`. */
  call(request: ControlBody, context: RequestContext): Promise<JsonObject>;
}

/** The code that reads schemas and runs calls is loaded when an agent starts. */
export function openProgramTools(tools: readonly CustomTool[], report: ReportToHost): ProgramTools {
  const load = madeOnce(() => loadAll(tools));
  return {
    async described() {
      return (await load()).map(({ tool: { name, description, annotations, alwaysLoad }, schema }) => ({
        name,
        description,
        inputSchema: schema.json,
        ...(annotations && { annotations }),
        ...(alwaysLoad !== undefined && { alwaysLoad }),
      }));
    },
    async call(request, { signal }) {
      const { name, input } = request;
      const found = (await load()).find(({ tool }) => tool.name === name);
      if (!found) throw new ControlError(`There is no tool '${String(name)}'`, 'tool_not_found');
      const { callTool } = await import('./serve-tools.ts');
      const extra = { signal, toolUseId: stringField(request, 'tool_use_id') ?? '' };
      const result = await callTool(found, input, extra, report);
      return typeof result === 'string' ? { content: result } : result;
    },
  };
}

async function loadAll(tools: readonly CustomTool[]): Promise<LoadedTool[]> {
  const { loadTool } = await import('./serve-tools.ts');
  return Promise.all(tools.map(loadTool)).catch((cause) => {
    throw new HeddleError('invalid_option', messageOf(cause), { facts: { option: 'tools' }, cause });
  });
}
