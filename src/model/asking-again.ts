import { isGroup } from './each-event.ts';
import type { Failure, ModelYield } from './model.ts';

/** The forms of requests in which servers of one API differ. */
export interface Forms<Form> {
  /** The form of the next request. */
  current(): Form;
  /** The form that a refusal asks for, or null when the refusal is about something else. */
  adapt(form: Form, failure: Failure): Form | null;
  remember(form: Form): void;
  /** The failure as the user gets it. */
  explain(failure: Failure): Failure;
}

/** When a refusal names a change to the request, the request is repeated with that change, once per change. */
export async function* askingAgain<Form>(
  forms: Forms<Form>,
  ask: (form: Form) => AsyncIterable<ModelYield>,
): AsyncGenerator<ModelYield, void> {
  for (;;) {
    const form = forms.current();
    let adapted: Form | null = null;
    for await (const item of ask(form)) {
      const failure = !isGroup(item) && item.type === 'failure' ? item.failure : null;
      adapted = failure && forms.adapt(form, failure);
      if (!adapted) yield failure ? { type: 'failure', failure: forms.explain(failure) } : item;
    }
    if (!adapted) return;
    forms.remember(adapted);
  }
}
