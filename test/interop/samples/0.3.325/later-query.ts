import { type EffortLevel, type Options, type Query, query, type ThinkingConfig } from '@anthropic-ai/claude-agent-sdk';

const effort: EffortLevel = 'xhigh';
const thinking: ThinkingConfig = { type: 'adaptive' };

const options: Options = {
  effort,
  thinking,
  title: 'Nightly',
  settings: { permissions: { deny: ['Bash(rm:*)'] } },
  managedSettings: { permissions: { deny: ['WebFetch'] } },
  systemPrompt: ['You are a reviewer.', 'You are brief.'],
  includeHookEvents: true,
  permissionPrompts: 'none',
  taskBudget: { total: 10_000 },
  skills: 'all',
  onElicitation: async (request) => {
    console.log(request.serverName, request.message);
    return { action: 'decline' };
  },
};

export async function look(): Promise<void> {
  const run: Query = query({ prompt: 'hi', options });
  const { totalTokens, maxTokens, percentage, categories } = await run.getContextUsage();
  console.log(
    totalTokens,
    maxTokens,
    percentage,
    categories.map(({ name, tokens }) => `${name} ${tokens}`),
  );
  for (const { name, description } of await run.supportedAgents()) console.log(name, description);
  await run.applyFlagSettings({ permissions: { allow: ['Bash(ls:*)'] } });
  const isMoved: boolean = await run.backgroundTasks();
  console.log(isMoved);
  const receipt = await run.interrupt();
  console.log(receipt?.still_queued);
  const file = await run.readFile('README.md', { maxBytes: 1000 });
  console.log(file?.contents, file?.absPath);
}
