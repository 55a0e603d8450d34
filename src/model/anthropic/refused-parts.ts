import type { Failure } from '../model.ts';

/** What requests to one model leave out. */
export interface Form {
  /** Fields of the body. */
  dropped: readonly string[];
  betas: readonly string[];
}

export const FULL_FORM: Form = { dropped: [], betas: [] };

/** Fields that a request can do without. Tools are not among them: without them an agent would only pretend to work. */
const OPTIONAL = ['output_config', 'thinking', 'metadata', 'temperature'];

/** The form without what a refusal names, or null when the refusal is about something else. */
export function withoutRefused(form: Form, { status, message }: Failure, sent: readonly string[]): Form | null {
  if (status !== 400 && status !== 422) return null;
  const beta = sent.find((each) => !form.betas.includes(each) && message.includes(each));
  if (beta !== undefined) return { ...form, betas: [...form.betas, beta] };
  // Some servers do not say which: then all go.
  if (/invalid beta|anthropic[_-]beta/i.test(message) && sent.some((each) => !form.betas.includes(each))) {
    return { ...form, betas: [...new Set([...form.betas, ...sent])] };
  }
  if (!REFUSED.test(message)) return null;
  const field = OPTIONAL.find((name) => !form.dropped.includes(name) && new RegExp(`\\b${name}\\b`).test(message));
  return field === undefined ? null : { ...form, dropped: [...form.dropped, field] };
}

const REFUSED =
  /extra inputs|not permitted|not supported|unsupported|unknown|unrecognized|unexpected|does not support/i;
