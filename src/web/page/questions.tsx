import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { OpenQuestion, Turns } from './use-turns.ts';
import { type Fields, isFields, listIn, textIn } from './values.ts';

/** What the session asks: permissions with allow, always and deny; questions with their options. */
export function Questions({ turns }: { turns: Turns }): VNode | null {
  if (turns.questions.length === 0) return null;
  return (
    <div class="questions" role="region" aria-label="questions" aria-live="polite">
      {turns.questions.map((question) => (
        <OneQuestion key={question.id} question={question} turns={turns} />
      ))}
    </div>
  );
}

function OneQuestion({ question, turns }: { question: OpenQuestion; turns: Turns }): VNode {
  const { request } = question;
  const [isSent, setIsSent] = useState(false);
  const [reason, setReason] = useState('');
  const input = isFields(request.input) ? request.input : {};
  const answer = async (body: Fields) => {
    setIsSent(true);
    await turns.answer(question.id, body).catch(() => setIsSent(false));
  };
  const allow = (more: Fields = {}) => answer({ behavior: 'allow', updatedInput: input, ...more });
  const submit = (event: Event) => {
    event.preventDefault();
    allow();
  };
  const tool = textIn(request, 'tool_name') ?? textIn(request, 'subtype') ?? 'question';
  if (tool === 'AskUserQuestion')
    return (
      <Choices input={input} isSent={isSent} answer={(answers) => allow({ updatedInput: { ...input, answers } })} />
    );
  const suggestions = listIn(request, 'permission_suggestions');
  const isPermission = request.subtype === 'can_use_tool';
  return (
    <form class="question" onSubmit={submit}>
      <p>
        <strong>{tool}</strong> {textIn(request, 'description') ?? textIn(request, 'message') ?? ''}
      </p>
      <pre tabIndex={0} aria-label="input">
        {textIn(input, 'command') ?? JSON.stringify(input, null, 2)}
      </pre>
      {isPermission ? (
        <p class="answers">
          <button type="submit" class="main" disabled={isSent}>
            allow
          </button>
          {suggestions.length > 0 && (
            <button type="button" disabled={isSent} onClick={() => allow({ updatedPermissions: suggestions })}>
              always
            </button>
          )}
          <button
            type="button"
            disabled={isSent}
            onClick={() => answer({ behavior: 'deny', message: reason || 'The user does not want this.' })}
          >
            deny
          </button>
          <input
            value={reason}
            placeholder="why not, for the model"
            aria-label="reason for a denial"
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </p>
      ) : (
        <p class="answers">
          <button type="button" disabled={isSent} onClick={() => answer({ action: 'accept', content: {} })}>
            accept
          </button>
          <button type="button" disabled={isSent} onClick={() => answer({ action: 'decline' })}>
            decline
          </button>
        </p>
      )}
    </form>
  );
}

function Choices({
  input,
  isSent,
  answer,
}: {
  input: Fields;
  isSent: boolean;
  answer: (answers: Fields) => void;
}): VNode {
  const [chosen, setChosen] = useState<Record<string, string[]>>({});
  const questions = listIn(input, 'questions').filter(isFields);
  const toggle = (name: string, label: string, isMulti: boolean) => {
    const before = chosen[name] ?? [];
    const without = before.filter((each) => each !== label);
    setChosen({
      ...chosen,
      [name]: !isMulti ? [label] : without.length < before.length ? without : [...before, label],
    });
  };
  const send = (event: Event) => {
    event.preventDefault();
    answer(Object.fromEntries(Object.entries(chosen).map(([name, labels]) => [name, labels.join(', ')])));
  };
  return (
    <form class="question" onSubmit={send}>
      {questions.map((question, at) => {
        const name = textIn(question, 'question') ?? '';
        const isMulti = question.multiSelect === true;
        return (
          <fieldset key={at}>
            <legend>{name}</legend>
            {listIn(question, 'options')
              .filter(isFields)
              .map((option, each) => {
                const label = textIn(option, 'label') ?? '';
                return (
                  <label key={each}>
                    <input
                      type={isMulti ? 'checkbox' : 'radio'}
                      name={`q${at}`}
                      checked={chosen[name]?.includes(label) === true}
                      onChange={() => toggle(name, label, isMulti)}
                    />{' '}
                    {label} <span class="note">{textIn(option, 'description')}</span>
                  </label>
                );
              })}
          </fieldset>
        );
      })}
      <button type="submit" class="main" disabled={isSent || Object.keys(chosen).length < questions.length}>
        answer
      </button>
    </form>
  );
}
