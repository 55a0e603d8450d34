import { createHash } from 'node:crypto';
import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';

export const LEADER = 'team-lead';
/** The sender of messages from the runtime itself. No teammate may have this name. */
export const RUNTIME = 'heddle';

/** One message, as it is in an inbox file (wire.md 9.4). Only Heddle writes `id`. */
export interface Mail {
  /** Identifies the mail: posting or reading the same id twice counts once. */
  id: string;
  from: string;
  text: string;
  summary?: string;
  timestamp: string;
  color?: string;
  read: boolean;
}

/** The kinds of messages whose text is JSON. */
const TYPES = [
  'idle_notification',
  'shutdown_request',
  'shutdown_response',
  'plan_approval_request',
  'plan_approval_response',
] as const;
export type MessageType = (typeof TYPES)[number];

export interface TypedMessage {
  type: MessageType;
  from: string;
  timestamp: string;
  idleReason?: string;
  requestId?: string;
  approve?: boolean;
  reason?: string;
  plan?: string;
}

/** The kind of a message; null for plain words. */
export function messageTypeOf(text: string): MessageType | null {
  const type = stringField(tryParseJson(text), 'type');
  return TYPES.find((each) => each === type) ?? null;
}

/** The request id when this mail is the leader's request to shut down; mail from others never is. */
export function shutdownRequestOf({ from, text }: Mail): string | null {
  if (from !== LEADER || messageTypeOf(text) !== 'shutdown_request') return null;
  return stringField(tryParseJson(text), 'requestId') ?? null;
}

/**
 * Reads a mail from the file; null when the value is not a mail. A mail that another program wrote without an id gets
 * an id that is always the same.
 */
export function toMail(value: unknown): Mail | null {
  if (!isObject(value) || typeof value.from !== 'string' || typeof value.text !== 'string') return null;
  const { from, text } = value;
  const timestamp = stringField(value, 'timestamp') ?? '';
  return {
    id: stringField(value, 'id') ?? digest(`${from}\n${timestamp}\n${text}`),
    from,
    text,
    ...optionalTexts(value),
    timestamp,
    read: value.read === true,
  };
}

const ANSWER_SHUTDOWN = `You are asked to shut down. Answer with SendMessage, type "shutdown_response": \
approve true when your work is done, or approve false with the reason in content when it is not.`;

/**
 * All mails together, as the prompt of a turn. Each carries its id, so that a transcript shows which mails it has seen.
 */
export function promptOf(mails: readonly Mail[]): string {
  const parts = mails.map(tagged);
  if (mails.some((mail) => shutdownRequestOf(mail) !== null)) parts.push(ANSWER_SHUTDOWN);
  return parts.join('\n\n');
}

const TAG_WITH_ID = /<(?:teammate-message|team-notice)(?: [a-z_]+="[^"]*")*? message_id="([^"]*)"/g;

/**
 * The ids of the mails in a prompt. Call it only for prompts that the runtime recorded: the output of a tool may look
 * the same.
 */
export function messageIdsIn(prompt: string): string[] {
  return [...prompt.matchAll(TAG_WITH_ID)].map(([, id = '']) => unescaped(id));
}

function tagged({ id, from, text, summary }: Mail): string {
  const isNotice = from === RUNTIME;
  const name = isNotice ? 'team-notice' : 'teammate-message';
  const attributes = [
    ...(isNotice ? [] : [attribute('teammate_id', from)]),
    ...(summary === undefined ? [] : [attribute('summary', summary)]),
    attribute('message_id', id),
  ];
  return `<${name} ${attributes.join(' ')}>\n${withoutTags(text)}\n</${name}>`;
}

function attribute(name: string, value: string): string {
  return `${name}="${escaped(value)}"`;
}

/** Removes the tags from a text, so that no sender can write in the name of another. */
function withoutTags(text: string): string {
  return text.replaceAll(/<(?=\/?(?:teammate-message|team-notice))/gi, '&lt;');
}

const ESCAPES: readonly [string, string][] = [
  ['&', '&amp;'],
  ['"', '&quot;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\n', '&#10;'],
];

function escaped(text: string): string {
  return ESCAPES.reduce((result, [plain, entity]) => result.replaceAll(plain, entity), text);
}

function unescaped(text: string): string {
  return ESCAPES.reduceRight((result, [plain, entity]) => result.replaceAll(entity, plain), text);
}

function optionalTexts(value: JsonObject): Pick<Mail, 'summary' | 'color'> {
  const summary = stringField(value, 'summary');
  const color = stringField(value, 'color');
  return { ...(summary === undefined ? {} : { summary }), ...(color === undefined ? {} : { color }) };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
