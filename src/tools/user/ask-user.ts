import { isTexts } from '../../util/json.ts';
import type { AskUserQuestionOutput } from '../../wire/tools/tool-outputs.ts';
import {
  anything,
  arrayOf,
  boolean,
  type Field,
  type InputOf,
  objectInput,
  objectOf,
  optional,
  recordOf,
  string,
  withDefault,
} from '../input-schema.ts';
import { type Tool, ToolError } from '../tool.ts';

export const ASK_USER_QUESTION = 'AskUserQuestion';

const option = objectOf('', {
  label: string('What the user picks, in a few words'),
  description: string('What it means, and what follows from it'),
  preview: optional(string('Text to compare by: a sketch, code, a configuration')),
});

const question = objectOf('', {
  question: string('The whole question'),
  header: string('A word or two to show above it, at most 12 characters'),
  options: arrayOf(option, 'Choices that differ', { minItems: 2, maxItems: 4 }),
  multiSelect: withDefault(boolean('Whether several may be picked'), false),
});

/** Several picks come as a list from some hosts; the wire has them in one text. */
const answer: Field<string> = {
  ...string(''),
  read(value, name, problems) {
    const picks = isTexts(value) ? value.join(', ') : value;
    return string('').read(picks, name, problems);
  },
};

const note = objectOf('', { preview: optional(string('')), notes: optional(string('')) });

const input = objectInput({
  questions: arrayOf(question, 'One to four questions', { minItems: 1, maxItems: 4 }),
  answers: optional(recordOf(answer, "The user's answers. Never set by you")),
  annotations: optional(recordOf(note, 'What the user added to the answers. Never set by you')),
  metadata: optional(recordOf(anything(''), 'Not shown')),
});

type AskInput = InputOf<typeof input>;

/** The answers come with the permission: the host asks its user and allows the call with `answers` in its input. */
export const askUserTool: Tool<AskInput> = {
  name: ASK_USER_QUESTION,
  description: `Asks the user one to four questions with choices, and waits for the answers.

- Ask when a decision is the user's: what is wanted, a preference, one of several ways. What you can find out, or what has a sensible default, needs no question.
- The user can always answer in own words, so there is no choice "Other". Name the choice that you recommend first.
- Not for approving a plan: that is ExitPlanMode.`,
  input,
  access: () => ({ kind: 'interaction' }),
  async prepare(given) {
    if (given.answers || given.annotations) {
      throw new ToolError('The answers come from the user. Ask again without them.', { wrap: true });
    }
    const texts = given.questions.map((each) => each.question);
    if (new Set(texts).size === texts.length) return given;
    throw new ToolError('Two questions have the same text, so their answers could not be told apart.', { wrap: true });
  },
  isConcurrencySafe: () => false,
  async run({ questions, answers = {}, annotations }) {
    const given = Object.entries(answers).filter(([, text]) => text.trim() !== '');
    if (given.length === 0)
      throw new ToolError('The user gave no answer. Do not guess one: say what you need to know.');
    const lines = given.map(([asked, text]) => `- ${asked}\n  ${text}${noted(annotations?.[asked])}`);
    const open = questions.filter((each) => !given.some(([asked]) => asked === each.question));
    const unanswered = open.map((each) => `- ${each.question}\n  (no answer)`);
    return {
      content: ['The user answered:', ...lines, ...unanswered].join('\n'),
      data: { questions, answers, ...(annotations && { annotations }) } satisfies AskUserQuestionOutput,
    };
  },
};

function noted(annotation: { notes?: string } | undefined): string {
  return annotation?.notes ? `\n  Note: ${annotation.notes}` : '';
}
