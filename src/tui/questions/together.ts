import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Question } from '../../view/view.ts';
import type { Asking } from './asking.ts';
import { callInShort } from './head-rows.ts';

export interface TogetherOptions {
  asking: Asking;
  /** Answers the question for which the rule was chosen. */
  send: () => void;
}

/**
 * Answers the open questions that what was chosen for one of them answers, too, and names them. The session says which:
 * a question that no rule would answer stays open.
 */
export async function answerTogether(
  updates: readonly JsonObject[],
  others: readonly Question[],
  { asking, send }: TogetherOptions,
): Promise<void> {
  const { stage } = asking;
  const covered = await Promise.all(others.map((other) => isCovered(other, updates, asking)));
  send();
  const { link, tracker } = stage;
  for (const question of others.filter((_, index) => covered[index])) {
    if (!link?.answer(question.id, { behavior: 'allow' })) continue;
    stage.print([`\u2713 allowed by the same rule \u00b7 ${callInShort(question)}`], 'good');
    stage.take(tracker.answered(question.id, stage.now()));
  }
}

async function isCovered(
  { kind, request }: Question,
  updates: readonly JsonObject[],
  { stage }: Asking,
): Promise<boolean> {
  const isAboutRules = request.suppress_always_allow_rule !== true && request.default_to_no !== true;
  if (kind !== 'permission' || !isAboutRules) return false;
  try {
    const { behavior } = await stage.call({
      subtype: 'explain_permission',
      tool_name: stringField(request, 'tool_name') ?? '',
      input: isObject(request.input) ? request.input : {},
      updates: [...updates],
    });
    return behavior === 'allow';
  } catch {
    return false; // it stays open, and the person answers it
  }
}
