import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import type * as heddle from '../../src/sdk/index.ts';
import { ROOT } from '../support/root.ts';

const { types } = JSON.parse(readFileSync(join(ROOT, 'test/sdk/seed-types.json'), 'utf8')) as {
  types: { name: string; seeds: string[]; ours?: string }[];
};

test('[ARC-14] every type that the seeds name is named in seed-types.test-d.ts, which tsc checks', () => {
  const source = readFileSync(join(ROOT, 'test/sdk/seed-types.test-d.ts'), 'utf8');
  const named = [...source.matchAll(/heddle\.(\w+)/g)].map(([, name]) => name);
  const expected = new Set(types.map(({ name, ours }) => ours ?? name));
  expect(named.sort()).toEqual([...expected].sort());
});

test('[ARC-14, MSG-29, FWD-05] what hosts take apart has the fields that they expect', () => {
  expectTypeOf<heddle.SDKResultSuccess['result']>().toEqualTypeOf<string>();
  expectTypeOf<heddle.SDKResultError['errors']>().toEqualTypeOf<string[]>();
  expectTypeOf<heddle.SDKResultMessage['modelUsage'][string]>().toExtend<heddle.ModelUsage>();
  expectTypeOf<heddle.SDKResultMessage['permission_denials'][number]>().toExtend<heddle.SDKPermissionDenial>();
  expectTypeOf<heddle.SDKSystemMessage['subtype']>().toEqualTypeOf<'init'>();
  expectTypeOf<heddle.SDKAssistantMessage['parent_tool_use_id']>().toEqualTypeOf<string | null>();
  expectTypeOf<heddle.SDKTaskNotificationMessage['output_file']>().toEqualTypeOf<string>();
  expectTypeOf<heddle.SDKPartialAssistantMessage['type']>().toEqualTypeOf<'stream_event'>();
  expectTypeOf<heddle.SDKControlRequest>().toExtend<heddle.StdoutMessage>();
  expectTypeOf<heddle.SDKMessage>().toExtend<heddle.StdoutMessage>();
});

test('[ARC-14, HK-18, PRM-02] what hosts put together is taken', () => {
  expectTypeOf<{ behavior: 'allow'; updatedInput: heddle.ToolInput }>().toExtend<heddle.PermissionResultAllow>();
  expectTypeOf<{ behavior: 'deny'; message: string; interrupt: boolean }>().toExtend<heddle.PermissionResultDeny>();
  expectTypeOf<{ async: true; asyncTimeout: number }>().toExtend<heddle.HookJSONOutput>();
  expectTypeOf<{ type: 'enabled'; budgetTokens: number }>().toExtend<heddle.ThinkingConfig>();
  expectTypeOf<string>().toExtend<heddle.Prompt>();
  expectTypeOf<{ type: 'preset'; preset: 'claude_code'; append: string }>().toExtend<heddle.SystemPromptConfig>();
  expectTypeOf<heddle.CanUseToolCallback>().toEqualTypeOf<heddle.CanUseTool>();
});
