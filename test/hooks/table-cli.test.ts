import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { isResult, type Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { ANSWERS, COMMAND_ENDS } from './table.ts';
import { answersFor, commandFor, SAID } from './table-answers.ts';
import { OTHER_INPUT, SCENES } from './table-scenes.ts';

/** The cells of the table that are also looked at from outside, by event. */
const CHOSEN: Readonly<Record<string, { answers: readonly string[]; happened: (place: Place) => boolean }>> = {
  PreToolUse: {
    answers: [
      'nothing',
      'exit1',
      'exit2',
      'slow',
      'garbage',
      'crash',
      'deny',
      'ask',
      'input',
      'context',
      'stop',
      'async',
    ],
    happened: ({ cwd }) => existsSync(join(cwd, 'canary')) || existsSync(join(cwd, 'other')),
  },
  PostToolUse: {
    answers: ['exit2', 'block', 'context', 'message', 'prevent', 'quiet'],
    happened: ({ cwd }) => existsSync(join(cwd, 'canary')),
  },
  UserPromptSubmit: {
    answers: ['plain', 'exit2', 'block', 'context', 'stop'],
    happened: ({ api }) => api.requests.length > 0,
  },
  SessionStart: {
    answers: ['plain', 'exit2', 'context', 'stop'],
    happened: ({ api }) => conversationText(api.requests[0]).includes('first prompt'),
  },
  Stop: { answers: ['exit2', 'slow', 'block', 'stop'], happened: ({ api }) => api.requests.length === 2 },
};

describe.each(Object.entries(CHOSEN))(
  '[HK-01, K18] the command line with a hook for %s',
  (event, { answers, happened }) => {
    test.each(answers)('%s', async (answer) => {
      const script = SCENES[event]?.script ?? [];
      const place = await makePlace((_request, index) => script[index] ?? 'done');
      const hook = commandFor(answer, answersFor(event, OTHER_INPUT), place.root);
      mkdirSync(place.home, { recursive: true });
      writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ hooks: { [event]: [{ hooks: [hook] }] } }));
      const { lines, stderr } = await twoPrompts(place);
      const effects = {
        '-': !happened(place),
        '?': lines.some(({ type }) => type === 'control_request'),
        i: existsSync(join(place.cwd, 'other')),
        m: place.api.requests.some((request) => conversationText(request).includes(SAID)),
        n: lines.some(({ content, level }) => level === 'notice' && String(content).includes(SAID)),
        w: /The \S+ hook \[/.test(stderr),
        h: answer === 'quiet' && lines.some(({ subtype, stdout }) => subtype === 'hook_response' && stdout === ''),
        '!': lines.some(({ terminal_reason }) => terminal_reason === 'hook_stopped'),
      };
      const found = Object.entries(effects).reduce(
        (letters, [letter, isSo]) => (isSo ? letters + letter : letters),
        '',
      );
      expect(found || '.').toBe({ ...COMMAND_ENDS.get(event), ...ANSWERS.get(event) }[answer]);
    });
  },
);

/** With a host that allows everything it is asked for. */
async function twoPrompts(place: Place): Promise<{ lines: Line[]; stderr: string }> {
  const flags = [
    '--permission-mode',
    'bypassPermissions',
    '--permission-prompt-tool',
    'stdio',
    '--include-hook-events',
  ];
  const cli = startCli([...STREAM_BOTH, ...flags], { place });
  for (const prompt of ['first prompt', 'second prompt']) {
    cli.say(prompt);
    let line = await cli.next(isQuestionOrResult);
    while (!isResult(line)) {
      const response = { subtype: 'success', request_id: line.request_id, response: { behavior: 'allow' } };
      cli.send({ type: 'control_response', response });
      line = await cli.next(isQuestionOrResult);
    }
  }
  cli.endInput();
  return cli.finished;
}

function isQuestionOrResult(line: Line): boolean {
  return line.type === 'control_request' || isResult(line);
}
