import { createHash } from 'node:crypto';
import { cutText } from '../../util/text/cut-text.ts';
import type { ContentBlock, ToolResultBlock } from '../../wire/api/content.ts';
import { type AnswerBlock, answerEvents } from '../answer-events.ts';
import type { ApiMessage, Model, ModelEvent, ModelRequest } from '../model.ts';
import { INSTRUCTION_FORMS, parseInstructions } from './offline-instructions.ts';
import { type Call, followSteps, type Outcome } from './offline-steps.ts';

/**
 * The built-in model: no network, no language understanding, always the same answer to the same conversation. It
 * follows plain instructions in the last prompt with real tool calls, so that everything around a model can be tried
 * and tested. It keeps no state: each time it reads the calls and results so far from the conversation.
 */
export function createOfflineModel(): Model {
  return { provider: 'offline', stream: streamAnswer };
}

async function* streamAnswer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  yield { type: 'response', requestId: null };
  const conversation = readConversation(request.messages);
  const content = nextBlock(request, conversation);
  const input = Math.ceil(JSON.stringify([request.system, request.tools, request.messages]).length / CHARS_PER_TOKEN);
  const output = Math.ceil(JSON.stringify(content.block).length / CHARS_PER_TOKEN);
  const events = answerEvents({
    id: conversation.idFor('msg'),
    model: request.model,
    content: [content],
    stopReason: content.block.type === 'tool_use' ? 'tool_use' : 'end_turn',
    usage: { input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
    finalUsage: { output_tokens: output },
  });
  for (const event of events) {
    if (signal.aborted) {
      yield { type: 'failure', failure: { class: 'aborted', message: 'The request was aborted.' } };
      return;
    }
    yield { type: 'event', event, raw: JSON.stringify(event) };
  }
}

const CHARS_PER_TOKEN = 4;

interface Conversation {
  /** The newest text of the user. */
  prompt: string;
  /** The results of the calls made since then, in order. */
  outcomes: Outcome[];
  /** The same id for the same conversation; different in other conversations and at other points of this one. */
  idFor(kind: string): string;
}

function readConversation(messages: readonly ApiMessage[]): Conversation {
  const at = messages.findLastIndex((message) => message.role === 'user' && promptOf(message) !== '');
  const prompt = at < 0 ? '' : promptOf(messages[at]);
  const results = new Map<string, ToolResultBlock>();
  const calls: string[] = [];
  for (const block of messages.slice(at + 1).flatMap(({ content }) => content)) {
    if (block.type === 'tool_use') calls.push(block.id);
    if (block.type === 'tool_result') results.set(block.tool_use_id, block);
  }
  const hash = createHash('sha256').update(prompt).digest('hex').slice(0, 8);
  return {
    prompt,
    outcomes: calls.map((id) => outcomeOf(results.get(id))),
    idFor: (kind) => `${kind}_offline_${hash}_${messages.length}`,
  };
}

/**
 * The user's own text: not the reminders and notices that the runtime wraps into tags, nor its interrupt markers. It
 * takes the newest text: after a failed turn, the prompt of that turn comes earlier in the same message.
 */
function promptOf(message: ApiMessage | undefined): string {
  const words = (message?.content ?? [])
    .flatMap((block) => (block.type === 'text' ? [block.text.trim()] : []))
    .map((text) => text.replace(/^(?:<([\w-]+)>[\s\S]*?<\/\1>\s*)+/, '').trim())
    .filter((text) => text !== '' && !/^\[Request interrupted by user.*\]$/.test(text));
  return words.at(-1) ?? '';
}

function outcomeOf(result: ToolResultBlock | undefined): Outcome {
  if (!result) return { text: 'no result came back', isError: true };
  return { text: textOf(result.content ?? ''), isError: result.is_error === true };
}

function textOf(content: string | readonly ContentBlock[]): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

function nextBlock(request: ModelRequest, conversation: Conversation): AnswerBlock {
  const instructions = parseInstructions(conversation.prompt);
  if (!instructions.understood) return say(explain(instructions.passage));
  const tools = new Set(request.tools.map(({ name }) => name));
  const next = followSteps(instructions.steps, tools, conversation.outcomes);
  return next.kind === 'call' ? use(next.call, conversation.idFor('toolu')) : say(next.report);
}

function say(text: string): AnswerBlock {
  return { block: { type: 'text', text }, pieces: text.match(/\s*\S+\s*/g) ?? [text] };
}

function use({ tool, input }: Call, id: string): AnswerBlock {
  return { block: { type: 'tool_use', id, name: tool, input } };
}

function explain(passage: string): string {
  const heard = passage.length > 200 ? `${cutText(passage, 200)}…` : passage;
  return [
    "I am Heddle's built-in offline model. I do not understand language; I only follow plain instructions, and this is none:",
    `> ${heard.replace(/\n/g, '\n> ')}`,
    `What I can follow, also several joined by "then":\n${INSTRUCTION_FORMS.map((form) => `- ${form}`).join('\n')}`,
    'For a real model store a key with heddle auth login, or set ANTHROPIC_API_KEY, or choose one with --model.',
  ].join('\n\n');
}
