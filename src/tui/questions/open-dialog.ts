import { isObject, type JsonObject } from '../../util/json.ts';
import type { Question } from '../../view/view.ts';
import type { Dialog } from '../stage/dialog.ts';
import type { ProjectTrustView } from '../stage/trust-decision.ts';
import type { Asking, Habits } from './asking.ts';
import { ChoicesDialog } from './choices-dialog.ts';
import { ElicitationDialog } from './elicitation-dialog.ts';
import { callInShort } from './head-rows.ts';
import { PermissionDialog } from './permission-dialog.ts';
import { PlanDialog } from './plan-dialog.ts';
import { TrustDialog } from './trust-dialog.ts';

/** The door hands on the whole module. @public */
export { callInShort };

/** The terminal's own question about the project's files. */
export function trustDialog(view: ProjectTrustView, asking: Asking): Dialog {
  return new TrustDialog(view, asking);
}

/** A question on the screen, by its kind. */
export function openDialog(question: Question, asking: Asking): Dialog {
  switch (question.kind) {
    case 'permission':
      return new PermissionDialog(question, asking);
    case 'plan':
      return new PlanDialog(question, asking);
    case 'choices':
      return new ChoicesDialog(question, asking);
    case 'elicitation':
      return new ElicitationDialog(question, asking);
    default:
      return question.kind satisfies never;
  }
}

/** Of the answer to `get_settings`, the strongest source first. A project does not decide how its questions work. */
export function habitsIn({ sources }: JsonObject): Habits {
  const own = (Array.isArray(sources) ? sources.filter(isObject) : [])
    .filter(({ source }) => source !== 'projectSettings' && source !== 'localSettings')
    .map(({ settings }) => (isObject(settings) && isObject(settings.terminal) ? settings.terminal : {}));
  const first = (key: string) => own.find((terminal) => terminal[key] !== undefined)?.[key];
  return {
    escDeny: first('escDeny') === 'interrupt' ? 'interrupt' : 'deny',
    letterAnswers: first('letterAnswers') === true,
  };
}
