import { type Options, query, type RewindFilesResult, type SDKAssistantMessage } from '@anthropic-ai/claude-agent-sdk';

const options: Options = { enableFileCheckpointing: true, extraArgs: { 'replay-user-messages': null } };

/** Where a conversation can be gone back to. */
interface Turn {
  session: string;
  question: string | undefined;
  answer: string | undefined;
}

export async function turn(prompt: string, more: Options = {}): Promise<Turn> {
  const seen: Turn = { session: '', question: undefined, answer: undefined };
  for await (const message of query({ prompt, options: { ...options, ...more } })) {
    if ('session_id' in message && message.session_id !== undefined) seen.session = message.session_id;
    if (message.type === 'user' && message.uuid) seen.question ??= message.uuid;
    if (message.type === 'assistant') seen.answer = idOf(message);
    if (message.type === 'system' && message.subtype === 'compact_boundary')
      console.log(message.compact_metadata.trigger);
    if (message.type === 'system' && message.subtype === 'status') console.log(message.status, message.permissionMode);
  }
  return seen;
}

function idOf({ uuid, error, parent_tool_use_id, message }: SDKAssistantMessage): string {
  if (error === 'rate_limit' || error === 'authentication_failed') console.error(message.id, parent_tool_use_id);
  return uuid;
}

export async function tryAgain(first: Turn): Promise<Turn> {
  const resumed = await turn('Go on.', { resume: first.session });
  const { answer } = await turn('Another way.', {
    resume: resumed.session,
    resumeSessionAt: first.answer,
    forkSession: true,
  });
  console.log(answer);
  return turn('Where were we?', { continue: true });
}

export async function undo({ session, question = '' }: Turn): Promise<RewindFilesResult> {
  const run = query({ prompt: '', options: { ...options, resume: session } });
  const { canRewind, error, filesChanged, insertions, deletions } = await run.rewindFiles(question, { dryRun: true });
  console.log(canRewind, error, filesChanged?.length, insertions, deletions);
  return run.rewindFiles(question);
}
