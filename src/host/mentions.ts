import type { Attachment } from '../agent/attachment.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Parts } from './parts.ts';

/** The files and the resources of MCP servers that a prompt mentions, for the model to see beside it. A host's own composition is taken as it is. */
export async function mentioned(parts: Parts, input: UserInput, signal: AbortSignal): Promise<Attachment[]> {
  if (parts.takesPromptsVerbatim || input.client_composed || input.isSynthetic) return [];
  const text = typedText(input);
  if (!/(^|[\s(])@\S/.test(text)) return [];
  const { readMentions } = await import('./mention-files.ts');
  const files = await readMentions(text, parts);
  if (!parts.mcp) return files;
  const { readResourceMentions } = await import('./mcp-mentions.ts');
  return [...files, ...(await readResourceMentions(text, parts, signal))];
}

/** What a person wrote. A message with results of tools is a program's. */
function typedText({ message: { content } }: UserInput): string {
  if (typeof content === 'string') return content;
  if (content.some(({ type }) => type === 'tool_result')) return '';
  return content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
}
