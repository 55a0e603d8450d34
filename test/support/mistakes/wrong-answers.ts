import * as z from 'zod';
import { toolUse } from '../../../src/testing/index.ts';
import { sdk } from '../built.ts';
import { askHere, type Mistake, type Wrong } from './mistake.ts';

const bash = toolUse('Bash', { command: 'touch x' });
const fall = (text: string) => () => {
  throw new TypeError(text);
};
const guarded = (hook: Wrong, more: Wrong = {}) => ({
  allowedTools: ['Bash'],
  hooks: { PreToolUse: [{ hooks: [hook], ...more }] },
});
const weave = (handler: Wrong) => sdk.tool('weave', 'Weaves', { yards: z.number() }, handler);
const woven = toolUse('weave', { yards: 3 });
const EXPECTED_RESULT =
  "expected a text, or { content: [{ type: 'text', text: '…' }] }. The model was told that the call failed.";
const EXPECTED_ANSWER =
  "expected { behavior: 'allow' } or { behavior: 'deny', message: '…' }. The call of Bash was denied.";

/** What the program's own functions do wrong while an agent runs: told to the program, with the stack where there is one. */
export const WRONG_ANSWERS: Mistake[] = [
  {
    what: 'canUseTool that throws',
    make: (place) => askHere(place, [bash, 'Well.'], { options: { canUseTool: fall('rules is not a function') } }),
    told: ['warns with a stack: canUseTool threw TypeError: rules is not a function. The call of Bash was denied.'],
  },
  {
    what: 'canUseTool that answers true',
    make: (place) => askHere(place, [bash, 'Well.'], { options: { canUseTool: async () => true } }),
    told: [`warns: canUseTool returned a boolean; ${EXPECTED_ANSWER}`],
  },
  {
    what: 'canUseTool that answers nothing',
    make: (place) => askHere(place, [bash, 'Well.'], { options: { canUseTool: async () => {} } }),
    told: [`warns: canUseTool returned undefined; ${EXPECTED_ANSWER}`],
  },
  {
    what: 'canUseTool that denies without a word',
    make: (place) => askHere(place, [bash, 'Well.'], { options: { canUseTool: async () => ({ behavior: 'deny' }) } }),
    told: [`warns: canUseTool returned a denial without a message; ${EXPECTED_ANSWER}`],
  },
  {
    what: 'a guard that throws',
    make: (place) => askHere(place, [bash, 'Well.'], { options: guarded(fall('no rules')) }),
    told: [
      "warns with a stack: The PreToolUse hook threw TypeError: no rules. The call was denied; onFailure: 'continue' would let it run.",
    ],
  },
  {
    what: 'a guard that throws, and need not be asked',
    make: (place) => askHere(place, [bash, 'Well.'], { options: guarded(fall('no rules'), { onFailure: 'continue' }) }),
    told: ['warns with a stack: The PreToolUse hook threw TypeError: no rules. It was passed over.'],
  },
  {
    what: 'a guard that answers false',
    make: (place) => askHere(place, [bash, 'Well.'], { options: guarded(async () => false) }),
    told: [
      "warns: The PreToolUse hook returned a boolean; expected an object, {} for no answer. The call was denied; onFailure: 'continue' would let it run.",
    ],
  },
  {
    what: 'a guard that answers in words of its own',
    make: (place) => askHere(place, [bash, 'Well.'], { options: guarded(async () => ({ decision: 'deny' })) }),
    told: [
      'warns: The PreToolUse:Bash hook [callback] of the host failed: Its decision is "deny", not "approve" or "block". It counts as an objection.',
    ],
  },
  {
    what: 'a tool whose handler throws',
    make: (place) =>
      askHere(place, [woven, 'Well.'], { options: { tools: [weave(fall('no yarn'))], allowedTools: ['weave'] } }),
    told: [
      'warns with a stack: The handler of the tool weave threw TypeError: no yarn. The model was told that the call failed.',
    ],
  },
  {
    what: 'a tool whose handler returns what it likes',
    make: (place) =>
      askHere(place, [woven, 'Well.'], { options: { tools: [weave(() => ({ yards: 3 }))], allowedTools: ['weave'] } }),
    told: [`warns: The handler of the tool weave returned an object with 'yards'; ${EXPECTED_RESULT}`],
  },
  {
    what: 'a tool of a server whose handler returns nothing',
    make(place) {
      const loom = sdk.createSdkMcpServer({ name: 'loom', tools: [weave(() => {})] });
      const options = { mcpServers: { loom }, allowedTools: ['mcp__loom'] };
      return askHere(place, [toolUse('mcp__loom__weave', { yards: 3 }), 'Well.'], { options });
    },
    told: [`warns: The handler of the tool weave returned undefined; ${EXPECTED_RESULT}`],
  },
  {
    what: 'a tool of the engine whose handler throws',
    make: (place) =>
      askHere(place, [woven, 'Well.'], {
        options: { allowedTools: ['weave'] },
        engineOptions: { tools: [weave(fall('no yarn'))] },
      }),
    told: [
      'warns with a stack: The handler of the tool weave threw TypeError: no yarn. The model was told that the call failed.',
    ],
  },
  {
    what: 'a tool of the engine whose handler returns a number',
    make: (place) =>
      askHere(place, [woven, 'Well.'], {
        options: { allowedTools: ['weave'] },
        engineOptions: { tools: [weave(() => 3)] },
      }),
    told: [`warns: The handler of the tool weave returned a number; ${EXPECTED_RESULT}`],
  },
  {
    what: 'a store that fails',
    make: (place) =>
      askHere(place, ['Well.'], { options: { sessionStore: { append: fall('no table'), load: async () => null } } }),
    told: [
      'warns with a stack: sessionStore.append() threw HeddleError: The session store failed (append): no table (tried 3 times). The session cannot go on without it.',
      'result: The session store of the host failed (store_append): The session store failed (append): no table (tried 3 times)',
    ],
  },
  {
    what: 'tool() without anything',
    make: () => (sdk.tool as Wrong)(),
    told: ['throws invalid_option: A tool needs a name: tool(name, description, inputSchema, handler)'],
  },
  {
    what: 'a tool whose schema is none',
    make: () => (sdk.tool as Wrong)('weather', 'Tells the weather', { city: 'string' }, () => ''),
    told: [
      "throws invalid_option: The input of the tool weather cannot be used: 'city' is a string and no schema; expected a zod object, the shape of one ({ city: z.string() }), or a JSON Schema of an object",
    ],
  },
  {
    what: 'a tool without a handler',
    make: () => (sdk.tool as Wrong)('weather', 'Tells the weather', {}),
    told: ['throws invalid_option: The tool weather needs a handler: its fourth argument, got undefined'],
  },
  {
    what: 'a misspelt hint of a tool',
    make: () => (sdk.tool as Wrong)('weather', 'Tells the weather', {}, () => '', { anotations: {} }),
    told: [
      "throws invalid_option: The fifth argument of the tool weather has 'anotations'; did you mean 'annotations'?",
    ],
  },
  {
    what: 'an MCP server of a bare name',
    make: () => (sdk.createSdkMcpServer as Wrong)('loom'),
    told: [
      "throws invalid_option: createSdkMcpServer takes an object, got a string: createSdkMcpServer({ name: '…', tools: [tool(…)] })",
    ],
  },
  {
    what: 'an MCP server of functions that are no tools',
    make: () => (sdk.createSdkMcpServer as Wrong)({ name: 'loom', tools: [() => 'woven'] }),
    told: ['throws invalid_option: createSdkMcpServer: tools[0] must be a tool that tool() has made, got a function'],
  },
];
