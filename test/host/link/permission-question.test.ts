import { describe, expect, test } from 'vitest';
import type { AskRequest } from '../../../src/agent/calls/gate.ts';
import { canUseTool } from '../../../src/host/link/permission-question.ts';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { createHouse } from '../support.ts';

type Asked = Partial<Omit<AskRequest, 'decision'>> & { decision?: Partial<AskRequest['decision']> };

function question({ decision, ...asked }: Asked): JsonObject {
  return canUseTool({
    toolName: 'Bash',
    input: {},
    toolUseId: 'toolu_1',
    ...asked,
    decision: { behavior: 'ask', layer: 'default', reason: 'why', suggestions: [], ...decision },
  });
}

/** The question that a host gets about a call. */
async function asked(call: { name: string; input: JsonObject }, config: RunConfig = {}): Promise<JsonObject> {
  const questions: JsonObject[] = [];
  const house = createHouse([toolUse(call.name, call.input), 'understood']);
  const answer = (request: JsonObject) => {
    questions.push(request);
    return { behavior: 'deny', message: 'no' };
  };
  await house.connect({ permissionPromptTool: 'stdio', ...config }, { answer }).ask('go');
  return questions[0] ?? {};
}

describe('the words of a question', () => {
  test.each<[string, JsonObject, string, string]>([
    ['Bash', { command: 'make test' }, 'Run command', 'Heddle wants to run: make test'],
    ['Read', { file_path: '/etc/hosts' }, 'Read file', 'Heddle wants to read: /etc/hosts'],
    ['Write', { file_path: 'a.txt', content: 'x' }, 'Write file', 'Heddle wants to write: a.txt'],
    ['Edit', { file_path: 'a.txt' }, 'Edit file', 'Heddle wants to edit: a.txt'],
    ['NotebookEdit', { notebook_path: 'a.ipynb' }, 'Edit notebook', 'Heddle wants to edit: a.ipynb'],
    ['Glob', { pattern: '/etc/*' }, 'Find files', 'Heddle wants to look for files: /etc/*'],
    ['Grep', { pattern: 'x', path: '/etc' }, 'Search files', 'Heddle wants to search files: /etc'],
    ['Grep', { pattern: 'x' }, 'Search files', 'Heddle wants to search files'],
    ['WebFetch', { url: 'http://a.example/' }, 'Fetch page', 'Heddle wants to fetch: http://a.example/'],
    ['Skill', { skill: 'weave' }, 'Use skill', 'Heddle wants to use the skill: weave'],
    ['AskUserQuestion', { questions: [] }, 'Answer questions', 'Heddle has questions for you'],
    ['Loom', { file_path: 'a.txt' }, 'Use tool', 'Heddle wants to use the tool: Loom'],
    ['constructor', {}, 'Use tool', 'Heddle wants to use the tool: constructor'],
  ])('[B-194] %s %j', (toolName, input, display_name, title) => {
    expect(question({ toolName, input })).toMatchObject({ title, display_name, description: 'why' });
  });

  test("[B-194] the model's own description of a command is not among them", () => {
    const input = { command: 'rm -rf build', description: 'Show the weather' };
    const { title, display_name, description } = question({ input });
    expect([title, display_name, description]).toEqual(['Heddle wants to run: rm -rf build', 'Run command', 'why']);
  });

  test.each([
    ['a line end', 'ls\nrm -rf ~', 'ls\\u{a}rm -rf ~'],
    ['an escape of terminals', 'ls\u001b[2K\rrm', 'ls\\u{1b}[2K\\u{d}rm'],
    ['a turn of the direction', 'cat \u202etxt.exe', 'cat \\u{202e}txt.exe'],
    ['an isolate', 'cat \u2066x\u2069', 'cat \\u{2066}x\\u{2069}'],
    ['no width', 'r\u200bm \ufeff-rf', 'r\\u{200b}m \\u{feff}-rf'],
    ['a filler', 'rm\u3164-rf', 'rm\\u{3164}-rf'],
    ['a tag', 'ls\u{e0072}', 'ls\\u{e0072}'],
    ['half a character', 'ls \ud800', 'ls \\u{d800}'],
  ])('[B-194, B-195] %s is shown as an escape, and no stray key approves it', (_what, command, shown) => {
    expect(question({ input: { command } })).toMatchObject({
      title: `Heddle wants to run: ${shown}`,
      default_to_no: true,
      input: { command },
    });
  });

  test('[B-194, B-195] what is too long is not shown in part, as if that were all', () => {
    const command = `echo ${'a'.repeat(5000)}; rm -rf ~`;
    const { title, default_to_no } = question({ input: { command } });
    expect(title).toBe(`Heddle wants to run what is too long to be shown here: ${command.length} characters`);
    expect(default_to_no).toBe(true);
    const reason = `${'/a'.repeat(5000)} is outside the directories of this session.`;
    expect(question({ decision: { layer: 'outside-roots', reason } })).not.toHaveProperty('description');
  });

  test('[B-194] the reason may hold paths of the model: it is escaped, too', () => {
    const reason = '/tmp/\u202ex is outside the directories of this session.';
    expect(question({ decision: { layer: 'outside-roots', reason } }).description).toBe(
      '/tmp/\\u{202e}x is outside the directories of this session.',
    );
  });
});

describe('hints for dialogs', () => {
  test('[B-195] a plain question has none', async () => {
    const plain = await asked({ name: 'Write', input: { file_path: 'a.txt', content: 'x' } });
    expect(plain).toMatchObject({ title: 'Heddle wants to write: a.txt' });
    for (const hint of ['default_to_no', 'suppress_always_allow_rule', 'matched_ask_rule', 'mcp_server']) {
      expect(plain).not.toHaveProperty(hint);
    }
  });

  test('[B-195] a protected path opens on "no", and no rule is offered for it', async () => {
    const write = { name: 'Write', input: { file_path: '.claude/settings.json', content: '{}' } };
    expect(await asked(write)).toMatchObject({ default_to_no: true, suppress_always_allow_rule: true });
  });

  test('[B-195] what a mode holds back, and what only a person can answer, no rule would answer either', async () => {
    const write = { name: 'Write', input: { file_path: 'a.txt', content: 'x' } };
    expect(await asked(write, { permissionMode: 'plan' })).toMatchObject({ suppress_always_allow_rule: true });
    const options = ['a', 'b'].map((label) => ({ label, description: label }));
    const questions = [{ question: 'Which?', header: 'Wool', options, multiSelect: false }];
    expect(await asked({ name: 'AskUserQuestion', input: { questions } })).toMatchObject({
      suppress_always_allow_rule: true,
    });
  });

  test('[B-195] an ask rule is named, with its source', async () => {
    const settings = JSON.stringify({ permissions: { ask: ['Bash(git push:*)', 'Write'] } });
    expect(await asked({ name: 'Bash', input: { command: 'git push -f' } }, { settings })).toMatchObject({
      matched_ask_rule: { source: 'flagSettings', tool_name: 'Bash', rule_content: 'git push:*' },
      suppress_always_allow_rule: true,
    });
    const write = await asked({ name: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { settings });
    expect(write.matched_ask_rule).toEqual({ source: 'flagSettings', tool_name: 'Write' });
  });

  test('[B-196] the server of an MCP tool is named by who has defined it', () => {
    const server = { name: 'calc', source: 'project' };
    expect(question({ toolName: 'mcp__calc__add', server })).toMatchObject({
      mcp_server: server,
      display_name: 'Use MCP tool',
      title: 'Heddle wants to use a tool of an MCP server: mcp__calc__add',
    });
  });
});
