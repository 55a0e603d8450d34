import {
  type SDKSession,
  type SDKSessionOptions,
  unstable_v2_createSession,
  unstable_v2_prompt,
  unstable_v2_resumeSession,
} from '@anthropic-ai/claude-agent-sdk';

const options: SDKSessionOptions = {
  model: 'claude-sonnet-4-5',
  allowedTools: ['Read'],
  permissionMode: 'acceptEdits',
  env: { PATH: process.env.PATH },
  canUseTool: async (_name, input) => ({ behavior: 'allow', updatedInput: input }),
};

export async function talk(): Promise<string> {
  await using session = unstable_v2_createSession(options);
  await turn(session, 'What is in this folder?');
  await turn(session, 'And in the folder above?');
  return session.sessionId;
}

export async function goOn(id: string): Promise<void> {
  const session = unstable_v2_resumeSession(id, options);
  try {
    await turn(session, 'Where were we?');
  } finally {
    session.close();
  }
}

export async function once(): Promise<string> {
  const result = await unstable_v2_prompt('What is 2 + 2?', options);
  return result.subtype === 'success' ? result.result : result.errors.join('\n');
}

async function turn(session: SDKSession, prompt: string): Promise<void> {
  await session.send(prompt);
  for await (const message of session.stream()) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) if (block.type === 'text') console.log(block.text);
  }
}
