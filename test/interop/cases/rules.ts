import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKUserMessage } from '../../../src/sdk/index.ts';
import { toolUse } from '../../../src/testing/index.ts';
import { Channel } from '../../../src/util/channel.ts';
import { bodyOf } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import { bash, initOf, namesOf, next, nextResult, toolText, user, write } from '../talk.ts';

/** Rules, modes and the choice of tools: what is decided without asking. */
export const ruleCases: InteropCase[] = [
  {
    id: 'rules-allowed-tool',
    title: 'allowedTools lets a tool run without asking',
    script: [bash('touch made'), 'Done.'],
    async run({ resultOf, cwd }) {
      assert.equal((await resultOf('go', { allowedTools: ['Bash'] })).result, 'Done.');
      assert(existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'rules-allowed-pattern',
    title: 'a rule with a pattern allows only what fits it',
    script: [bash('touch a'), bash('mkdir b'), 'Done.'],
    async run({ resultOf, cwd }) {
      const result = await resultOf('go', { allowedTools: ['Bash(touch:*)', 'Read'] });
      assert.deepEqual([existsSync(join(cwd, 'a')), existsSync(join(cwd, 'b'))], [true, false]);
      assert.deepEqual(namesOf(result.permission_denials), ['Bash']);
    },
  },
  {
    id: 'rules-disallowed-tool',
    title: 'a disallowed tool is not offered to the model',
    script: ['Hello.'],
    async run({ ask, api }) {
      const lines = await ask('hi', { disallowedTools: ['Bash', 'WebFetch'] });
      const tools = initOf(lines).tools as string[];
      assert(tools.includes('Read') && !tools.includes('Bash') && !tools.includes('WebFetch'));
      assert(!bodyOf(api.requests[0]).tools?.some(({ name }) => name === 'Bash'));
    },
  },
  {
    id: 'rules-disallowed-pattern',
    title: 'a disallowed pattern is denied also where the tool is allowed',
    script: [bash('mkdir b'), 'I may not.'],
    async run({ resultOf, cwd }) {
      await resultOf('go', { allowedTools: ['Bash'], disallowedTools: ['Bash(mkdir:*)'] });
      assert(!existsSync(join(cwd, 'b')));
    },
  },
  {
    id: 'mode-accept-edits',
    title: 'acceptEdits writes files of the working directory without asking',
    script: [write('a.txt'), 'Done.'],
    async run({ ask, cwd }) {
      const lines = await ask('go', { permissionMode: 'acceptEdits' });
      assert.equal(initOf(lines).permissionMode, 'acceptEdits');
      assert(existsSync(join(cwd, 'a.txt')));
    },
  },
  {
    id: 'mode-plan',
    title: 'plan mode does not write',
    script: [write('a.txt'), 'I only plan.'],
    async run({ ask, cwd }) {
      const lines = await ask('go', { permissionMode: 'plan' });
      assert.equal(initOf(lines).permissionMode, 'plan');
      assert(!existsSync(join(cwd, 'a.txt')));
    },
  },
  {
    id: 'mode-dont-ask',
    title: 'dontAsk denies what no rule allows, without asking',
    script: [bash('touch made'), 'I may not.'],
    async run({ resultOf, cwd }) {
      const result = await resultOf('go', {
        permissionMode: 'dontAsk',
        canUseTool: async (_name, input) => ({ behavior: 'allow', updatedInput: input }),
      });
      assert.deepEqual(namesOf(result.permission_denials), ['Bash']);
      assert(!existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'mode-bypass',
    title: 'bypassPermissions runs everything, where it was permitted at the start',
    script: [bash('touch made'), 'Done.'],
    async run({ ask, cwd }) {
      const lines = await ask('go', { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true });
      assert.equal(initOf(lines).permissionMode, 'bypassPermissions');
      assert(existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'mode-change',
    title: 'setPermissionMode holds from the next call on',
    script: [write('a.txt'), 'I may not.', write('b.txt'), 'Done.'],
    async run({ start, cwd }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      input.push(user('write a'));
      await nextResult(run);
      await run.setPermissionMode('acceptEdits');
      input.push(user('write b'));
      const init = await next(run, ({ subtype }) => subtype === 'init');
      assert.equal(init.permissionMode, 'acceptEdits');
      await nextResult(run);
      input.end();
      assert.deepEqual([existsSync(join(cwd, 'a.txt')), existsSync(join(cwd, 'b.txt'))], [false, true]);
    },
  },
  {
    id: 'tools-list',
    title: 'tools names the tools that exist',
    script: ['Hello.'],
    async run({ ask, api }) {
      const lines = await ask('hi', { tools: ['Read', 'Grep'] });
      assert.deepEqual([...(initOf(lines).tools as string[])].sort(), ['Grep', 'Read']);
      assert.equal(bodyOf(api.requests[0]).tools?.length, 2);
    },
  },
  {
    id: 'tools-none',
    title: 'an empty list of tools leaves none',
    script: ['Hello.'],
    async run({ ask, api }) {
      assert.deepEqual(initOf(await ask('hi', { tools: [] })).tools, []);
      assert.equal(bodyOf(api.requests[0]).tools?.length ?? 0, 0);
    },
  },
  {
    id: 'tools-preset',
    title: 'the preset has the usual tools',
    script: ['Hello.'],
    async run({ ask }) {
      const tools = initOf(await ask('hi', { tools: { type: 'preset', preset: 'claude_code' } })).tools as string[];
      for (const name of ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep']) assert(tools.includes(name), name);
    },
  },
  {
    id: 'tools-files',
    title: 'Read, Edit and Grep work on the files of cwd, and report what they did',
    script: (_request, index) =>
      [
        toolUse('Read', { file_path: 'notes.txt' }),
        toolUse('Edit', { file_path: 'notes.txt', old_string: 'colour', new_string: 'color' }),
        toolUse('Grep', { pattern: 'color', output_mode: 'content' }),
      ][index] ?? 'Done.',
    async run({ ask, cwd }) {
      writeFileSync(join(cwd, 'notes.txt'), 'a colour\n');
      const lines = await ask('go', { permissionMode: 'acceptEdits' });
      assert.match(toolText(lines, 0), /a colour/);
      assert.match(toolText(lines, 2), /a color/);
      const reports = lines.filter(({ tool_use_result }) => tool_use_result !== undefined);
      assert.equal(reports.length, 3);
    },
  },
  {
    id: 'additional-directories',
    title: 'additionalDirectories may be read and, where edits are accepted, written',
    script: (_request, index) => (index === 0 ? write('../other/a.txt') : 'Done.'),
    async run({ resultOf, cwd }) {
      const other = join(cwd, '../other');
      mkdirSync(other);
      await resultOf('go', { additionalDirectories: [other], permissionMode: 'acceptEdits' });
      assert(existsSync(join(other, 'a.txt')));
    },
  },
];
