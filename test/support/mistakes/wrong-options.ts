import { sdk } from '../built.ts';
import type { Mistake, Wrong } from './mistake.ts';

const query = (options: Wrong, prompt: Wrong = 'hello') => sdk.query({ prompt, options });
const guard = async () => ({});
const agent = { description: 'reviews', prompt: 'You review.' };

/** Wrong types, misspelt names and missing values: told before anything starts. */
export const WRONG_OPTIONS: Mistake[] = [
  {
    what: 'query without anything',
    make: () => (sdk.query as Wrong)(),
    told: ["throws invalid_option: query takes an object, got undefined: query({ prompt: '…', options: {} })"],
  },
  {
    what: 'query with a bare text',
    make: () => (sdk.query as Wrong)('fix the bug'),
    told: ['throws invalid_option: query takes an object, got a string: query({ prompt: "fix the bug" })'],
  },
  {
    what: 'no prompt',
    make: () => (sdk.query as Wrong)({}),
    told: [
      "throws invalid_option: prompt must be a text that is not empty, or an async iterable of texts and user messages, got undefined: query({ prompt: '…' })",
    ],
  },
  {
    what: 'a prompt of blanks',
    make: () => query({}, '  '),
    told: [
      'throws invalid_option: prompt must be a text that is not empty, or an async iterable of texts and user messages, got a text that says nothing',
    ],
  },
  {
    what: 'an array of messages as the prompt',
    make: () => query({}, ['hello']),
    told: [
      'throws invalid_option: prompt must be a text that is not empty, or an async iterable of texts and user messages, got an array: give an async generator that yields its items',
    ],
  },
  {
    what: 'an item of a stream that is no message',
    make: ({ cwd, env }) => (sdk.prompt as Wrong)(itemsOf({ message: 'hello' }), { cwd, env }),
    told: [
      "throws invalid_option: Item 1 of the prompt stream is an object without a 'type'; expected a text, or { type: 'user', message: { role: 'user', content: '…' } }",
    ],
  },
  {
    what: 'options that are no object',
    make: () => query('fast'),
    told: ['throws invalid_option: options must be an object, got a string'],
  },
  {
    what: 'a number as a text',
    make: () => query({ maxTurns: '3' }),
    told: ['throws invalid_option: options.maxTurns must be a whole number above 0, got "3"'],
  },
  {
    what: 'a text in place of a list',
    make: () => query({ allowedTools: 'Read' }),
    told: ['throws invalid_option: options.allowedTools must be an array of strings, got "Read"'],
  },
  {
    what: 'a flag as a text',
    make: () => query({ includePartialMessages: 'yes' }),
    told: ['throws invalid_option: options.includePartialMessages must be true or false, got "yes"'],
  },
  {
    what: 'an unknown mode',
    make: () => query({ permissionMode: 'yolo' }),
    told: [
      'throws invalid_option: options.permissionMode must be one of acceptEdits, auto, bypassPermissions, default, delegate, dontAsk, manual, plan, got "yolo"',
    ],
  },
  {
    what: 'a mode that needs a second word',
    make: () => query({ permissionMode: 'bypassPermissions' }),
    told: ["throws invalid_option: permissionMode 'bypassPermissions' needs allowDangerouslySkipPermissions: true"],
  },
  {
    what: 'a variable that is a number',
    make: () => query({ env: { PORT: 8080 } }),
    told: ['throws invalid_option: options.env.PORT must be a string, got a number'],
  },
  {
    what: 'a callback that is none',
    make: () => query({ canUseTool: true }),
    told: ['throws invalid_option: options.canUseTool must be a function, got a boolean'],
  },
  {
    what: 'a misspelt option',
    make: () => query({ modle: 'haiku' }),
    told: ["throws invalid_option: There is no option 'modle'; did you mean 'model'?"],
  },
  {
    what: 'an option in the spelling of another language',
    make: () => query({ max_turns: 3 }),
    told: ["throws invalid_option: There is no option 'max_turns'; did you mean 'maxTurns'?"],
  },
  {
    what: 'an option of other libraries',
    make: () => query({ signal: new AbortController().signal }),
    told: [
      "throws invalid_option: There is no option 'signal': to cancel from outside, give an AbortController as abortController",
    ],
  },
  {
    what: 'an option that nobody has',
    make: () => query({ turbo: true }),
    told: ["throws invalid_option: There is no option 'turbo' in this version; docs/sdk.md lists all of them"],
  },
  {
    what: 'a misspelt event of a guard',
    make: () => query({ hooks: { PreTooluse: [{ hooks: [guard] }] } }),
    told: ["throws invalid_option: options.hooks has 'PreTooluse'; did you mean 'PreToolUse'?"],
  },
  {
    what: 'a misspelt tool in the matcher of a guard',
    make: () => query({ hooks: { PreToolUse: [{ matcher: 'Bsh', hooks: [guard] }] } }),
    told: ["throws invalid_option: options.hooks.PreToolUse[0].matcher names the tool 'Bsh'; did you mean 'Bash'?"],
  },
  {
    what: 'a hook without the list around it',
    make: () => query({ hooks: { PreToolUse: guard } }),
    told: ['throws invalid_option: options.hooks.PreToolUse must be an array, got a function'],
  },
  {
    what: 'a word for onFailure that is none',
    make: () => query({ hooks: { PreToolUse: [{ hooks: [guard], onFailure: 'deny' }] } }),
    told: [
      'throws invalid_option: options.hooks.PreToolUse[0].onFailure must be one of block, continue, ignore, got "deny"',
    ],
  },
  {
    what: 'a misspelt tool',
    make: () => query({ tools: ['Bsh'] }),
    told: ["throws invalid_option: options.tools[0] names the tool 'Bsh'; did you mean 'Bash'?"],
  },
  {
    what: 'a misspelt tool in a rule that allows',
    make: () => query({ allowedTools: ['Bsh(ls)'] }),
    told: ["throws invalid_option: options.allowedTools[0] names the tool 'Bsh'; did you mean 'Bash'?"],
  },
  {
    what: 'a misspelt tool in a rule that forbids',
    make: () => query({ disallowedTools: ['webfetch'] }),
    told: ["throws invalid_option: options.disallowedTools[0] names the tool 'webfetch'; did you mean 'WebFetch'?"],
  },
  {
    what: 'an agent without its prompt',
    make: () => query({ agents: { reviewer: { description: 'reviews' } } }),
    told: ['throws invalid_option: options.agents.reviewer.prompt must be a string, got undefined'],
  },
  {
    what: 'a misspelt tool of an agent',
    make: () => query({ agents: { reviewer: { ...agent, tools: ['Gerp'] } } }),
    told: ["throws invalid_option: options.agents.reviewer.tools[0] names the tool 'Gerp'; did you mean 'Grep'?"],
  },
  {
    what: 'a misspelt key of an MCP server',
    make: () => query({ mcpServers: { loom: { comand: 'loom' } } }),
    told: ["throws invalid_option: options.mcpServers.loom has 'comand'; did you mean 'command'?"],
  },
  {
    what: 'a remote MCP server without its type',
    make: () => query({ mcpServers: { loom: { url: 'https://example.com' } } }),
    told: ["throws invalid_option: options.mcpServers.loom has a url and no type: add type: 'http' (or 'sse')"],
  },
  {
    what: 'a misspelt key of the sandbox',
    make: () => query({ sandbox: { enabld: true } }),
    told: ["throws invalid_option: options.sandbox has 'enabld'; did you mean 'enabled'?"],
  },
  {
    what: 'half of a store',
    make: () => query({ sessionStore: { append: guard } }),
    told: ['throws invalid_option: options.sessionStore.load must be a function, got undefined'],
  },
  {
    what: 'a point to go on from, and no session',
    make: () => query({ resumeSessionAt: 'abc' }),
    told: ['throws invalid_option: resumeSessionAt needs resume or continue: which session is meant?'],
  },
  {
    what: 'resumeSession without an id',
    make: () => (sdk.resumeSession as Wrong)(),
    told: ['throws invalid_option: resumeSession needs the id of a session, got undefined: listSessions() has them'],
  },
  {
    what: 'startup with options that are not in options',
    make: () => (sdk.startup as Wrong)({ model: 'haiku' }),
    told: [
      "throws invalid_option: startup takes options and initializeTimeoutMs, not 'model': startup({ options: { model } })",
    ],
  },
  {
    what: 'a client that remembers nothing',
    make: () => new sdk.HeddleClient({ historySize: 0 }),
    told: ['throws invalid_option: options.historySize must be a whole number above 0, got 0'],
  },
  {
    what: 'a client that is not connected',
    make: () => new sdk.HeddleClient().query('hello'),
    told: ['throws not_connected: Not connected. Call connect() first.'],
  },
  {
    what: 'a misspelt option for stored sessions',
    make: () => (sdk.listSessions as Wrong)({ limt: 3 }),
    told: ["throws invalid_option: There is no option 'limt' for stored sessions; did you mean 'limit'?"],
  },
  {
    what: 'a session that is named by something else than its id',
    make: ({ home }) => sdk.getSessionMessages('yesterday', { home }),
    told: ['throws invalid_option: Not a session id: "yesterday". It must be a UUID.'],
  },
  {
    what: 'the success of what is no result',
    make: () => (sdk.successOf as Wrong)(undefined),
    told: [
      "throws invalid_option: successOf takes a result, got undefined: if (message.type === 'result') successOf(message)",
    ],
  },
];

async function* itemsOf(item: Wrong): AsyncGenerator<Wrong, void> {
  yield item;
}
