import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { brokenToolUse, reply, text } from '../../../src/testing/index.ts';
import { toolResult } from '../../support/lines.ts';
import { eventually } from '../../support/processes.ts';
import { conversationText } from '../../support/requests.ts';
import { BASH, bash, broken, errorAnswer, failed, type Row, stuck, times } from './row.ts';

const OVER_BUDGET = {
  situation: '`--max-budget-usd` reached',
  outcome: failed('error_max_budget_usd', 'budget_exhausted'),
  says: 'Exceeded USD budget (1)',
};
const LATE = { situation: '`--max-duration-ms` reached', outcome: broken('max_duration') };
const LEFT_BEHIND = {
  situation: 'background work had to be stopped: `--on-end stop`, or `--background-wait` is over',
  outcome: broken('background_stopped'),
  says: /^The background task b\w{6} \(.*\) was stopped/,
};
const CUT_OFF = {
  situation: 'the answer was cut off at the output limit, also after 3 recoveries',
  outcome: errorAnswer('max_output_tokens'),
  says: /^API Error: The answer was cut off/,
};
const IN_ANSWER = { situation: 'interrupted while the model answered', outcome: broken('aborted_streaming') };
const IN_TOOLS = {
  situation: 'interrupted while tools ran, or a host denied with `interrupt`',
  outcome: broken('aborted_tools'),
};

/** 1.5 dollars. */
const dear = { usage: { output_tokens: 100_000 } };

/** What the user, the host or the model itself puts an end to. */
export const LIMITS: Row[] = [
  {
    situation: '`--max-turns` reached',
    title: '[LOOP-08, MSG-14]',
    outcome: failed('error_max_turns', 'max_turns'),
    script: times(9, bash('echo 1')),
    args: [...BASH, '--max-turns', '2'],
    requests: 2,
    says: 'Reached max turns (2)',
  },
  {
    ...OVER_BUDGET,
    title: '[LOOP-09, MSG-15] calls are answered and not run, and there is no other request',
    script: [reply([bash('touch ran')], dear), 'never'],
    args: [...BASH, '--max-budget-usd', '1'],
    requests: 1,
    and({ lines, place }) {
      expect(toolResult(lines.at(-2))?.content).toMatch(/^Not run/);
      expect(existsSync(join(place.cwd, 'ran'))).toBe(false);
    },
  },
  {
    ...OVER_BUDGET,
    title: '[LOOP-09] the turn after it makes no request at all',
    script: [reply([text('First.')], dear), 'never'],
    args: ['--max-budget-usd', '1'],
    prompts: ['one', 'two'],
    requests: 1,
  },
  {
    ...OVER_BUDGET,
    title: '[LOOP-09] a compaction counts, and nothing is asked after it',
    script: [reply([text('First.')], { usage: { input_tokens: 5000 } }), reply([text('Summary.')], dear), 'never'],
    args: ['--max-budget-usd', '1', '--autocompact', '1000'],
    prompts: ['one', 'two'],
    requests: 2,
  },
  {
    ...OVER_BUDGET,
    title: '[LOOP-09] /compact is a request, too',
    script: [reply([text('First.')], dear), 'never'],
    args: ['--max-budget-usd', '1'],
    prompts: ['one', '/compact'],
    requests: 1,
  },
  {
    ...LATE,
    title: 'in the middle of an answer',
    script: [stuck],
    args: ['--max-duration-ms', '1000'],
    requests: 1,
    says: 'Took longer than 1000 ms',
  },
  {
    ...LATE,
    title: 'in a tool',
    script: [bash('sleep 600'), 'never'],
    args: [...BASH, '--max-duration-ms', '1500'],
    requests: 1,
    and: ({ lines }) => expect(lines.some((line) => toolResult(line)?.is_error)).toBe(true),
  },
  {
    ...LEFT_BEHIND,
    title: '[K25] at once',
    script: [bash('sleep 600', { run_in_background: true }), 'done'],
    args: [...BASH, '--on-end', 'stop'],
    requests: 2,
    results: 2,
  },
  {
    ...LEFT_BEHIND,
    title: '[K25] after a while',
    script: [bash('sleep 600', { run_in_background: true }), 'done'],
    args: [...BASH, '--background-wait', '0.5'],
    requests: 2,
    results: 2,
  },
  {
    ...IN_ANSWER,
    title: '[LOOP-10]',
    script: [stuck],
    async host(cli, place) {
      cli.say('go');
      await eventually(() => place.api.requests.length === 1);
      await cli.control({ subtype: 'interrupt' });
    },
    requests: 1,
    says: 'The turn was interrupted',
    and: ({ lines }) => expect(JSON.stringify(lines)).toContain('"[Request interrupted by user]"'),
  },
  {
    ...IN_ANSWER,
    title: 'in the middle of a summary',
    script: ['First.', stuck],
    prompts: ['one', '/compact'],
    async host(cli, place) {
      cli.say('one');
      cli.say('/compact');
      await eventually(() => place.api.requests.length === 2);
      await cli.control({ subtype: 'interrupt' });
    },
    requests: 2,
  },
  {
    ...IN_TOOLS,
    title: '[LOOP-10] interrupted',
    script: [bash('sleep 600'), 'never'],
    args: BASH,
    async host(cli) {
      cli.say('go');
      await cli.next(({ type }) => type === 'assistant');
      await cli.control({ subtype: 'interrupt' });
    },
    requests: 1,
    says: 'The turn was interrupted',
    and: ({ lines }) => expect(JSON.stringify(lines)).toContain('"[Request interrupted by user for tool use]"'),
  },
  {
    ...IN_TOOLS,
    title: '[PRM-06] denied with `interrupt`',
    script: [bash('touch ran'), 'never'],
    args: ['--permission-prompt-tool', 'stdio'],
    async host(cli) {
      cli.say('go');
      const { request_id } = await cli.next(({ type }) => type === 'control_request');
      const response = { behavior: 'deny', message: 'Stop.', interrupt: true };
      cli.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
      await cli.nextResult();
    },
    requests: 1,
    and: ({ place }) => expect(existsSync(join(place.cwd, 'ran'))).toBe(false),
  },
  {
    situation: 'the model gave an empty answer twice',
    title: '[K31, M-11]',
    outcome: broken('empty_answer'),
    script: times(9, [text(' ')]),
    requests: 2,
  },
  {
    ...CUT_OFF,
    title: '[LOOP-11, K31] in a text',
    script: times(9, reply([text('And then')], { stopReason: 'max_tokens' })),
    requests: 4,
  },
  {
    ...CUT_OFF,
    title: '[LOOP-11, M-11] in the input of a call',
    script: times(9, reply([brokenToolUse('Bash', ['{"command": "touch ran; to'])], { stopReason: 'max_tokens' })),
    args: BASH,
    requests: 4,
    and: ({ place }) => expect(conversationText(place.api.requests[1])).toContain('cut off at the output limit'),
  },
  {
    situation: 'the model refused',
    title: '[K31, M-11]',
    outcome: errorAnswer('refusal', 'refusal'),
    script: [reply([text('I will not do that.')], { stopReason: 'refusal' }), 'never'],
    requests: 1,
    says: /I will not do that\.$/,
  },
];
