import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { choiceLines, questionsOf, selectedText } from './choices.ts';
import { type Answer, answerOf, answersText, type Question, type QuestionView, questionOf } from './question-text.ts';
import type { Typed } from './read-line.ts';

/** Asks the person at the terminal about tool calls, one after the other. */
export interface Asker {
  /** The body of the answer to a `can_use_tool` request. */
  ask(request: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Whether a question is on the screen. */
  isAsking(): boolean;
}

export interface AskerOptions extends QuestionView {
  /** A line above the prompt. */
  print(line: string): void;
  read(prompt: string, signal: AbortSignal): Promise<Typed>;
  /** The user typed Ctrl-C at a question. */
  onInterrupt(): void;
}

/** After this many invalid answers, the answer is no: whatever types there does not read. */
const MAX_TRIES = 5;

const SAID_NO = 'The user said no to this call.';

/** Ends the turn before anything else can begin. */
const INTERRUPTED = { behavior: 'deny', message: 'The user has interrupted the turn.', interrupt: true };

export function createAsker(options: AskerOptions): Asker {
  let last: Promise<unknown> = Promise.resolve();
  let open = 0;

  async function askNow(request: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    signal.throwIfAborted();
    if (request.tool_name === 'AskUserQuestion') return answerQuestions(request, signal, options);
    const question = questionOf(request, options);
    const answer = await answerTo(question, signal, options);
    if (answer === 'no') return { behavior: 'deny', message: SAID_NO };
    if (answer === 'interrupt') return INTERRUPTED;
    return { behavior: 'allow', ...(answer === 'always' && { updatedPermissions: question.always }) };
  }

  return {
    isAsking: () => open > 0,
    ask(request, signal) {
      const turn = last.then(async () => {
        open++;
        try {
          return await askNow(request, signal);
        } finally {
          open--;
        }
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}

async function answerTo(
  question: Question,
  signal: AbortSignal,
  { print, read, onInterrupt }: AskerOptions,
): Promise<Answer | 'interrupt'> {
  for (const line of question.lines) print(line);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const typed = await read(question.prompt, signal);
    if (typed === 'interrupt') {
      onInterrupt();
      return 'interrupt';
    }
    if (typed === 'end') return 'no';
    const answer = typed === 'paste' ? null : answerOf(typed.line, question);
    if (answer !== null) return answer;
    print(typed === 'paste' ? `Several lines are no answer. ${answersText(question)}` : answersText(question));
  }
  print('That was no answer: the call is denied.');
  return 'no';
}

/** Asks the model's own questions: a number selects an option, any other text is a free answer. */
async function answerQuestions(
  request: JsonObject,
  signal: AbortSignal,
  { print, read, onInterrupt, paint }: AskerOptions,
): Promise<JsonObject> {
  const input = isObject(request.input) ? request.input : {};
  const answers: Record<string, string> = {};
  for (const question of questionsOf(input)) {
    for (const line of choiceLines(question, paint)) print(line);
    const typed = await read('Your answer (a number, or own words): ', signal);
    if (typed === 'interrupt') {
      onInterrupt();
      return INTERRUPTED;
    }
    if (typed === 'end') return { behavior: 'deny', message: 'The user gave no answer.' };
    const text = typed === 'paste' ? '' : selectedText(typed.line, question);
    if (text !== '') answers[stringField(question, 'question') ?? ''] = text;
  }
  return { behavior: 'allow', updatedInput: { ...input, answers } };
}
