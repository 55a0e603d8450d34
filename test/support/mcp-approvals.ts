import { STREAM_BOTH, startCli } from './cli.ts';
import type { Line } from './lines.ts';
import { hostServers, initialized, type McpAnswers, text } from './mcp-host.ts';
import type { Place } from './place.ts';

interface RunOptions {
  tools: object[];
  flags?: string[];
  /** What the host answers with its allow. */
  updates?: object[];
}

/** A session in which the tool is called once per turn; `asked` are the questions that the host got. */
export async function approvalSession(place: Place, { tools, flags = [], updates = [] }: RunOptions) {
  const cli = startCli([...STREAM_BOTH, '--permission-prompt-tool', 'stdio', '--setting-sources', 'local', ...flags], {
    place,
  });
  const calc: McpAnswers = {
    initialize: initialized({ tools: { listChanged: true } }),
    'tools/list': () => ({ result: { tools } }),
    'tools/call': text('2'),
  };
  const asked: Record<string, unknown>[] = [];
  const servers = hostServers(
    cli,
    { calc },
    {
      can_use_tool(request) {
        asked.push(request);
        return { behavior: 'allow', updatedPermissions: updates };
      },
    },
  );
  await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'] });
  const turn = async (): Promise<Line> => {
    cli.say('go');
    return cli.nextResult();
  };
  const change = async (next: object[]) => {
    const listed = () => servers.methods().filter((method) => method === 'tools/list').length;
    const before = listed();
    tools.splice(0, tools.length, ...next);
    await servers.send('calc', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await cli.until(() => listed() > before);
    await cli.control({ subtype: 'mcp_status' });
  };
  return { cli, asked, turn, change };
}

/** An answer to a question that allows a tool from then on. */
export const allow = (toolName: string, destination: string) => ({
  type: 'addRules',
  rules: [{ toolName }],
  behavior: 'allow',
  destination,
});
