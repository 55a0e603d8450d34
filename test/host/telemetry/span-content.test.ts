import { describe, expect, test } from 'vitest';
import { text, toolUse } from '../../../src/testing/script.ts';
import { collectSpans } from '../../support/spans.ts';
import { createHouse } from '../support.ts';

const spans = collectSpans();
const ON = { telemetry: true } as const;
const CANARY = 'canary-in-a-coal-mine';

describe('what was said', () => {
  const talk = () => [[text(`I say ${CANARY}`), toolUse('Bash', { command: `echo ${CANARY}` })], `Done, ${CANARY}.`];
  const told = () =>
    JSON.stringify(spans.all().map(({ name, attributes, events, status }) => [name, attributes, events, status]));

  test('is in no attribute, nor are paths', async () => {
    const house = createHouse(talk(), ON);
    await house.connect({ allowedTools: ['Bash'], appendSystemPrompt: CANARY }).ask(`Say ${CANARY}`);
    expect(spans.all().length).toBe(4);
    expect(told()).not.toContain(CANARY);
    expect(told()).not.toContain(house.dir);
  });

  test('is told where that was asked for, cut to a length', async () => {
    const house = createHouse([toolUse('Bash', { command: `echo ${CANARY}` }), `Done, ${CANARY}.`], {
      telemetry: { captureContent: true },
    });
    await house
      .connect({ allowedTools: ['Bash'], appendSystemPrompt: `${CANARY}-system` })
      .ask(`${CANARY} ${'x'.repeat(1e6)}`);
    const tool = spans.named('execute_tool').attributes;
    expect(tool['gen_ai.tool.call.arguments']).toBe(`{"command":"echo ${CANARY}"}`);
    expect(tool['gen_ai.tool.call.result']).toContain(CANARY);
    const [turn, chat] = [spans.named('invoke_agent').attributes, spans.named('chat').attributes];
    for (const { 'gen_ai.input.messages': input } of [turn, chat]) {
      const [message] = JSON.parse(String(input));
      expect(message).toMatchObject({ role: 'user' });
      expect(message.parts[0].content.startsWith(`${CANARY} xxx`)).toBe(true);
      expect(message.parts[0].content).toMatch(/x… \(\d+ more characters\)$/);
      expect(String(input).length).toBeLessThan(40_000);
    }
    expect(chat['gen_ai.system_instructions']).toContain(`${CANARY}-system`);
    expect(JSON.parse(String(chat['gen_ai.output.messages']))).toMatchObject([
      { role: 'assistant', parts: [{ type: 'tool_call', name: 'Bash' }] },
    ]);
    expect(turn['gen_ai.output.messages']).toContain(`Done, ${CANARY}.`);
  });

  test('[G4] a credential is not', async () => {
    const house = createHouse([toolUse('Bash', { command: 'echo "key: sk-$((40 + 2))-secret"' }), 'Done.'], {
      env: { PATH: process.env.PATH, HOME: '/', ANTHROPIC_API_KEY: 'sk-42-secret' },
      telemetry: { captureContent: true },
    });
    await house.connect({ allowedTools: ['Bash'] }).ask('my key is sk-42-secret');
    expect(spans.named('execute_tool').attributes['gen_ai.tool.call.result']).toContain('key: ');
    expect(spans.named('chat').attributes['gen_ai.input.messages']).toContain('my key is ');
    expect(told()).not.toContain('sk-42-secret');
  });

  test('[G4] nor half of one, where a text is cut', async () => {
    const house = createHouse(['Done.'], {
      env: { HOME: '/', ANTHROPIC_API_KEY: 'sk-42-secret' },
      telemetry: { captureContent: true },
    });
    await house.connect().ask(`${'x'.repeat(3995)}sk-42-secret`);
    expect(told()).toContain('xxx');
    expect(told()).not.toContain('sk-4');
  });
});
