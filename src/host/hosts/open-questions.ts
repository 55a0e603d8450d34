import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { AttachedHost } from './attached-host.ts';

/** The requests of a session that any person may answer. All others belong to the program that registered for them. */
const QUESTIONS: ReadonlySet<string> = new Set(['can_use_tool', 'elicitation', 'request_user_dialog']);

export function isQuestion(line: JsonObject): boolean {
  return isObject(line.request) && QUESTIONS.has(stringField(line.request, 'subtype') ?? '');
}

/** A question that waits for its first well-formed answer. */
export interface OpenQuestion {
  readonly id: string;
  /** The request, as the session has sent it. */
  readonly line: JsonObject;
  /** The hosts that have it and may still answer. */
  readonly asked: Set<AttachedHost>;
}

/** The questions of a session that nobody has answered, the oldest first. */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();

  get size(): number {
    return this.#open.size;
  }

  all(): OpenQuestion[] {
    return [...this.#open.values()];
  }

  add(line: JsonObject): OpenQuestion {
    const question = { id: stringField(line, 'request_id') ?? '', line, asked: new Set<AttachedHost>() };
    this.#open.set(question.id, question);
    return question;
  }

  get(id: string): OpenQuestion | undefined {
    return this.#open.get(id);
  }

  close(id: string): OpenQuestion | undefined {
    const question = this.#open.get(id);
    this.#open.delete(id);
    return question;
  }
}

/**
 * What a response answers: `allow`, `deny`, `accept`, and so on. Null where it is not well-formed: then another host may
 * still answer.
 */
export function answerIn(question: OpenQuestion, response: JsonObject): string | null {
  const body = response.response;
  if (response.subtype !== 'success' || !isObject(body)) return null;
  const subtype = isObject(question.line.request) ? stringField(question.line.request, 'subtype') : undefined;
  if (subtype === 'can_use_tool') return permissionIn(body);
  const action = stringField(body, 'action') ?? (subtype === 'elicitation' ? '' : 'answered');
  return ['accept', 'decline', 'cancel', 'answered'].includes(action) ? action : null;
}

function permissionIn({ behavior, updatedInput, updatedPermissions, message }: JsonObject): string | null {
  if (behavior === 'deny') return message === undefined || typeof message === 'string' ? 'deny' : null;
  if (behavior !== 'allow') return null;
  const isFine =
    (updatedInput === undefined || isObject(updatedInput)) &&
    (updatedPermissions === undefined || Array.isArray(updatedPermissions));
  return isFine ? 'allow' : null;
}
