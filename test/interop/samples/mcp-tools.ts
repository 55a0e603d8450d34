import {
  createSdkMcpServer,
  type McpServerConfig,
  type McpServerStatus,
  type McpSetServersResult,
  type Query,
  query,
  type SdkMcpToolDefinition,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';

const weather = tool(
  'weather',
  'The weather of a city',
  { city: z.string().describe('Its name'), unit: z.enum(['C', 'F']).default('C'), days: z.number().int().optional() },
  async ({ city, unit, days }) => {
    const forecast: string = `${city}: 20 ${unit}, ${days?.toFixed() ?? 'today'}`;
    return { content: [{ type: 'text', text: forecast }] };
  },
  { annotations: { readOnlyHint: true, openWorldHint: true } },
);

const plot = tool('plot', 'Draws a curve', { values: z.array(z.number()) }, async ({ values }, extra) => {
  console.log(values.length, typeof extra);
  if (values.length === 0) return { content: [{ type: 'text', text: 'Nothing to draw' }], isError: true };
  return { content: [{ type: 'image', data: '', mimeType: 'image/png' }] };
});

// biome-ignore lint/suspicious/noExplicitAny: as a host of the reference writes it
const tools: SdkMcpToolDefinition<any>[] = [weather, plot];

const mcpServers: Record<string, McpServerConfig> = {
  station: createSdkMcpServer({ name: 'station', version: '1.0.0', tools }),
  files: { command: 'npx', args: ['files-server'], env: { ROOT: '/srv' } },
  search: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { authorization: 'Bearer x' } },
  events: { type: 'sse', url: 'http://127.0.0.1:1/sse' },
};

export async function run(): Promise<void> {
  const started: Query = query({
    prompt: 'How is the weather?',
    options: { mcpServers, allowedTools: ['mcp__station__weather'] },
  });
  const states: McpServerStatus[] = await started.mcpServerStatus();
  for (const { name, status, serverInfo, error, tools: offered } of states) {
    console.log(
      name,
      status,
      serverInfo?.version,
      error,
      offered?.map((each) => each.name),
    );
  }
  const { added, removed, errors }: McpSetServersResult = await started.setMcpServers({});
  console.log(added, removed, errors);
  await started.toggleMcpServer('files', false);
  await started.reconnectMcpServer('files');
  for await (const message of started) {
    if (message.type === 'system' && message.subtype === 'init')
      console.log(message.mcp_servers.map(({ status }) => status));
  }
}
