import {
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  type ListSessionsOptions,
  listSessions,
  renameSession,
  type SDKSessionInfo,
  type SessionMessage,
  tagSession,
} from '@anthropic-ai/claude-agent-sdk';

/** The list of a session picker. */
export async function picker(dir: string): Promise<string[]> {
  const page: ListSessionsOptions = { dir, limit: 20, offset: 0, includeWorktrees: false };
  return (await listSessions(page)).map(line);
}

function line({
  sessionId,
  summary,
  customTitle,
  firstPrompt,
  lastModified,
  gitBranch,
  cwd,
  tag,
}: SDKSessionInfo): string {
  const when = new Date(lastModified).toISOString();
  return [sessionId, customTitle ?? summary ?? firstPrompt, when, gitBranch, cwd, tag].join('\t');
}

export async function keep(id: string, dir: string): Promise<string> {
  const info = await getSessionInfo(id, { dir });
  if (!info) throw new Error('There is no such session');
  await renameSession(id, 'Kept', { dir });
  await tagSession(id, 'kept', { dir });
  await tagSession(id, null, { dir });
  const messages: SessionMessage[] = await getSessionMessages(id, { dir, limit: 10, offset: 0 });
  const last = messages.at(-1);
  const { sessionId } = await forkSession(id, { dir, upToMessageId: last?.uuid, title: 'The copy' });
  await deleteSession(id, { dir });
  return sessionId;
}
