import type { ApiMessage } from '../../model/model.ts';
import type { ContentBlock } from '../../wire/api/content.ts';

/** Asks for the summary that replaces a conversation. It goes after everything that the provider has cached. */
export function summaryRequest(instructions: string): string {
  const extra = instructions.trim() === '' ? '' : `\n\nThe user adds: ${instructions.trim()}`;
  return `This conversation has to be continued from a summary, because it no longer fits. Write that summary now, as text, without calling any tool. Whoever continues sees nothing but it.

Put it between <summary> and </summary>, and cover, as far as it applies:
1. What the user wants: quote the current request and every instruction that still holds, word for word.
2. What was done so far and why: decisions, files that were read, created or changed (with paths), commands that were run and what came out.
3. Facts that took effort to find: names, signatures, error messages, values.
4. What failed, and what was learned from it.
5. Where things stand: what is finished, what is in progress, what is the very next step.

Be complete about what matters and brief about the rest. Do not invent anything.${extra}`;
}

/** The text between the tags, or the whole answer when the model forgot them. */
export function summaryOf(answer: string): string {
  const found = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(answer);
  return (found?.[1] ?? answer).trim();
}

/** The message that the conversation continues from: the summary, and the last exchange word for word. */
export function summaryMessage(summary: string, messages: readonly ApiMessage[]): string {
  const last = lastExchange(messages);
  const parts = [`The earlier part of this conversation was replaced by this summary:\n\n${summary}`];
  if (last !== '') parts.push(`What was said last, word for word:\n\n${last}`);
  parts.push('Continue from there. Do not ask again what is answered above.');
  return parts.join('\n\n');
}

/** A longer last exchange is left to the summary. */
const MAX_EXCHANGE_CHARS = 16_000;

/** The last answer and what came after it: a prompt that is not answered yet, or the results of its calls. */
function lastExchange(messages: readonly ApiMessage[]): string {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const text = messages
    .slice(Math.max(at, 0))
    .map(({ role, content }) => `${role}: ${content.map(asText).filter(Boolean).join('\n')}`)
    .join('\n\n');
  return text.length <= MAX_EXCHANGE_CHARS ? text : `… ${text.slice(-MAX_EXCHANGE_CHARS)}`;
}

function asText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return /^\s*<system-reminder>/.test(block.text) ? '' : block.text;
    case 'tool_use':
      return `[call of ${block.name}: ${JSON.stringify(block.input)}]`;
    case 'tool_result':
      return `[result: ${typeof block.content === 'string' ? block.content : (block.content ?? []).map(asText).join('\n')}]`;
    case 'image':
    case 'document':
      return `[${block.type}]`;
    default:
      return '';
  }
}

/** The newer half, from a user message on. Results whose calls fell away stay as texts: the API takes no others. */
export function newerHalf(messages: readonly ApiMessage[]): ApiMessage[] {
  const from = messages.findIndex(({ role }, at) => at >= messages.length / 2 && role === 'user');
  const [first, ...rest] = from < 0 ? [] : messages.slice(from);
  if (!first) return [];
  const content = first.content.map((block): ContentBlock => {
    return block.type === 'tool_result' ? { type: 'text', text: asText(block) } : block;
  });
  return [{ ...first, content }, ...rest];
}

const MAX_TRIMMED_RESULT = 2_000;

/** The conversation without its heaviest parts: images, documents, thoughts, long results. For a request that did not fit. */
export function trimmed(messages: readonly ApiMessage[]): ApiMessage[] {
  return messages
    .map(({ role, content }) => ({ role, content: content.flatMap(trimBlock) }))
    .filter(({ content }) => content.length > 0);
}

function trimBlock(block: ContentBlock): ContentBlock[] {
  switch (block.type) {
    case 'image':
    case 'document':
      return [{ type: 'text', text: `[${block.type} left out]` }];
    case 'thinking':
    case 'redacted_thinking':
      return [];
    case 'tool_result': {
      const text = asText(block).slice('[result: '.length, -1);
      const content = text.length <= MAX_TRIMMED_RESULT ? text : `${text.slice(0, MAX_TRIMMED_RESULT)}… [cut]`;
      return [{ ...block, content }];
    }
    default:
      return [block];
  }
}
