import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Paint } from '../../util/text/paint.ts';
import { printable } from '../../util/text/printable.ts';

/** The questions of a call of AskUserQuestion. */
export function questionsOf({ questions }: JsonObject): JsonObject[] {
  return Array.isArray(questions) ? questions.filter(isObject) : [];
}

export function choiceLines(question: JsonObject, paint: Paint): string[] {
  return [
    paint.bold(printable(stringField(question, 'question') ?? '')),
    ...optionsOf(question).map((option, at) => {
      const about = stringField(option, 'description') ?? '';
      return `  ${at + 1}  ${printable(labelOf(option))}${about === '' ? '' : paint.dim(` – ${printable(about)}`)}`;
    }),
    ...(question.multiSelect === true ? [paint.dim('Several may be chosen: 1,3')] : []),
  ];
}

/** The labels of the selected options; a text that is not the number of an option is a free answer. */
export function selectedText(typed: string, question: JsonObject): string {
  const text = typed.trim();
  const options = optionsOf(question);
  const picks = text.split(/[\s,]+/).map((word) => (/^\d+$/.test(word) ? options[Number(word) - 1] : undefined));
  const isPicked = picks.every((pick) => pick !== undefined) && (picks.length === 1 || question.multiSelect === true);
  return isPicked ? picks.map((pick) => (pick ? labelOf(pick) : '')).join(', ') : text;
}

function optionsOf({ options }: JsonObject): JsonObject[] {
  return Array.isArray(options) ? options.filter(isObject) : [];
}

function labelOf(option: JsonObject): string {
  return stringField(option, 'label') ?? '';
}
