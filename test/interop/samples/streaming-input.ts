import { randomUUID } from 'node:crypto';
import { type Query, query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

/** A chat window: lines of a person go in, text comes out as it is written. */
async function* lines(source: AsyncIterable<string>): AsyncGenerator<SDKUserMessage> {
  for await (const content of source) {
    yield {
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      session_id: '',
      uuid: randomUUID(),
    };
  }
}

function picture(data: string): SDKUserMessage {
  return {
    type: 'user',
    message: {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      ],
    },
    parent_tool_use_id: null,
    session_id: '',
  };
}

export async function chat(source: AsyncIterable<string>, onStop: (stop: () => Promise<void>) => void): Promise<void> {
  const run: Query = query({
    prompt: lines(source),
    options: { includePartialMessages: true, systemPrompt: 'Be brief.' },
  });
  onStop(async () => void (await run.interrupt()));
  for await (const message of run) {
    if (message.type !== 'stream_event' || message.parent_tool_use_id !== null) continue;
    const { event } = message;
    if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
      process.stdout.write(`[${event.content_block.name}]`);
    }
    if (event.type !== 'content_block_delta') continue;
    if (event.delta.type === 'text_delta') process.stdout.write(event.delta.text);
    if (event.delta.type === 'thinking_delta') process.stderr.write(event.delta.thinking);
  }
}

export async function settings(run: Query): Promise<void> {
  await run.setModel('haiku');
  await run.setModel();
  await run.setPermissionMode('acceptEdits');
  await run.setMaxThinkingTokens(4000);
  await run.setMaxThinkingTokens(null);
  async function* more(): AsyncGenerator<SDKUserMessage> {
    yield picture('');
  }
  await run.streamInput(more());
  for (const { name, description, argumentHint } of await run.supportedCommands())
    console.log(name, description, argumentHint);
  for (const { value, displayName } of await run.supportedModels()) console.log(value, displayName);
  const { email, organization, subscriptionType, apiKeySource } = await run.accountInfo();
  console.log(email, organization, subscriptionType, apiKeySource);
  const { commands, output_style, available_output_styles, models, account } = await run.initializationResult();
  console.log(commands.length, output_style, available_output_styles.join(), models.length, account.tokenSource);
  run.close();
}
