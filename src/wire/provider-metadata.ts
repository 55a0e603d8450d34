import { isObject, type JsonObject } from '../util/json.ts';

/**
 * What a provider added to an answer and expects back with it: signatures, encrypted reasoning. It is kept as it came,
 * and sent to the same provider and family of models only.
 */
export interface ProviderMetadata {
  provider: string;
  /** The family of models that understands it, such as `gemini-3`. */
  family: string;
  /** Fields of calls, by the id of the call. */
  calls?: Readonly<Record<string, JsonObject>>;
  /** Fields of the answer as a whole. */
  answer?: JsonObject;
}

/** What the end of one block brings. */
export type BlockMetadata = Pick<ProviderMetadata, 'provider' | 'family' | 'answer'> & {
  /** Fields of the call that the block is. */
  call?: JsonObject;
};

/** The metadata of an entry or of a message; undefined where there is none that can be used. */
export function readProviderMetadata(value: unknown): ProviderMetadata | undefined {
  if (!isObject(value) || typeof value.provider !== 'string' || typeof value.family !== 'string') return undefined;
  const { provider, family, calls, answer } = value;
  return {
    provider,
    family,
    ...(isObject(calls) && { calls: Object.fromEntries(Object.entries(calls).filter(isFields)) }),
    ...(isObject(answer) && { answer }),
  };
}

/** The metadata of an answer whose blocks come one by one. Of two providers the later one is kept. */
export function joinedMetadata(
  before: ProviderMetadata | undefined,
  more: ProviderMetadata | undefined,
): ProviderMetadata | undefined {
  if (!before || !more) return more ?? before;
  if (before.provider !== more.provider || before.family !== more.family) return more;
  return {
    ...before,
    ...((before.calls || more.calls) && { calls: { ...before.calls, ...more.calls } }),
    ...((before.answer || more.answer) && { answer: { ...before.answer, ...more.answer } }),
  };
}

function isFields(entry: [string, unknown]): entry is [string, JsonObject] {
  return isObject(entry[1]);
}
