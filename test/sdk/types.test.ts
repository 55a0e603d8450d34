import { describe, expectTypeOf, test } from 'vitest';
import type * as heddle from '../../src/sdk/index.ts';

describe('the types that hosts of the reference import', () => {
  test('[QRY-01, QRY-10] query takes a text or a stream, and is an AsyncGenerator', () => {
    type Prompt = Parameters<typeof heddle.query>[0]['prompt'];
    expectTypeOf<string>().toExtend<Prompt>();
    expectTypeOf<AsyncIterable<heddle.SDKUserMessage>>().toExtend<Prompt>();
    expectTypeOf<heddle.Query>().toExtend<AsyncGenerator<heddle.SDKMessage, void>>();
    expectTypeOf<heddle.Query>().toExtend<AsyncDisposable>();
  });

  test('[B-148, B-149] what a host writes can say where it belongs in the queue, and that it needs no answer', () => {
    expectTypeOf<heddle.SDKUserMessage['priority']>().toEqualTypeOf<'now' | 'next' | 'later' | undefined>();
    expectTypeOf<heddle.SDKUserMessage['shouldQuery']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<heddle.SDKUserMessage['client_composed']>().toEqualTypeOf<boolean | undefined>();
  });

  test('[QRY-07] query may be given a transport as well, which the reference keeps for its client', () => {
    type QueryOptions = NonNullable<Parameters<typeof heddle.query>[0]['options']>;
    expectTypeOf<QueryOptions['transport']>().toEqualTypeOf<heddle.Connect | undefined>();
    expectTypeOf<ConstructorParameters<typeof heddle.HeddleClient>[1]>().toExtend<
      heddle.Connect | heddle.Transport | undefined
    >();
  });

  test('[B-028] a transport of the program has the methods of the reference', () => {
    type Method = 'write' | 'close' | 'isReady' | 'readMessages' | 'endInput';
    expectTypeOf<Method>().toExtend<keyof heddle.Transport>();
    expectTypeOf<heddle.Transport['isReady']>().toEqualTypeOf<() => boolean>();
    expectTypeOf<ReturnType<heddle.Transport['readMessages']>>().toExtend<AsyncIterable<unknown>>();
  });

  test('[HK-15] a hook gets its input, the id of the call, and a signal', () => {
    expectTypeOf<Parameters<heddle.HookCallback>>().toEqualTypeOf<
      [input: heddle.HookInput, toolUseID: string | undefined, options: { signal: AbortSignal }]
    >();
    expectTypeOf<heddle.HookCallback>().returns.resolves.toEqualTypeOf<heddle.HookJSONOutput>();
  });

  test('[B-009, B-013] methods of Query have the types of the reference', () => {
    expectTypeOf<heddle.Query['interrupt']>().returns.resolves.toEqualTypeOf<heddle.InterruptReceipt | undefined>();
    expectTypeOf<heddle.Query['setModel']>().toEqualTypeOf<(model?: string) => Promise<void>>();
    expectTypeOf<heddle.Query['setMaxThinkingTokens']>().toEqualTypeOf<
      (tokens: number | null, thinkingDisplay?: heddle.ThinkingDisplay | null) => Promise<void>
    >();
    expectTypeOf<heddle.Query['supportedCommands']>().returns.resolves.toEqualTypeOf<heddle.SlashCommand[]>();
    expectTypeOf<heddle.Query['supportedModels']>().returns.resolves.toEqualTypeOf<heddle.ModelInfo[]>();
    expectTypeOf<heddle.Query['supportedAgents']>().returns.resolves.toEqualTypeOf<heddle.AgentInfo[]>();
    expectTypeOf<heddle.Query['mcpServerStatus']>().returns.resolves.toEqualTypeOf<heddle.McpServerStatus[]>();
    expectTypeOf<heddle.Query['accountInfo']>().returns.resolves.toEqualTypeOf<heddle.AccountInfo>();
    expectTypeOf<heddle.Query['rewindFiles']>().returns.resolves.toEqualTypeOf<heddle.RewindFilesResult>();
    expectTypeOf<heddle.Query['setMcpServers']>().returns.resolves.toEqualTypeOf<heddle.McpSetServersResult>();
    expectTypeOf<heddle.Query['close']>().returns.resolves.toEqualTypeOf<heddle.ExitInfo>();
    expectTypeOf<
      heddle.Query['initializationResult']
    >().returns.resolves.toEqualTypeOf<heddle.SDKControlInitializeResponse>();
  });

  test('[V2-01, V2-07] a session of the reference is one of ours', () => {
    expectTypeOf<heddle.SDKSession>().toEqualTypeOf<heddle.Session>();
    expectTypeOf<heddle.SDKSession>().toExtend<AsyncDisposable>();
    expectTypeOf<heddle.SDKSession['sessionId']>().toEqualTypeOf<string>();
    expectTypeOf<heddle.SDKSession['stream']>().returns.toEqualTypeOf<AsyncGenerator<heddle.SDKMessage, void>>();
    expectTypeOf<heddle.SDKSessionOptions>().toEqualTypeOf<heddle.Options>();
  });

  test('[K16, OPT-46] options: one type with two names, of six groups', () => {
    expectTypeOf<heddle.ClaudeAgentOptions>().toEqualTypeOf<heddle.Options>();
    type Groups = heddle.EnvironmentOptions &
      heddle.ModelOptions &
      heddle.ToolOptions &
      heddle.ExtensionOptions &
      heddle.SessionStateOptions &
      heddle.ObserverOptions;
    expectTypeOf<keyof heddle.Options>().toEqualTypeOf<keyof Groups>();
  });

  test('[TYP-05, TYP-06, TYP-16] words', () => {
    expectTypeOf<'delegate' | 'dontAsk' | 'plan' | 'acceptEdits'>().toExtend<heddle.PermissionMode>();
    expectTypeOf<'extreme'>().not.toExtend<heddle.EffortLevel>();
    expectTypeOf<heddle.SettingSource>().toEqualTypeOf<'user' | 'project' | 'local'>();
    expectTypeOf<'context-1m-2025-08-07'>().toExtend<heddle.SdkBeta>();
  });

  test('[ARC-14, B-017] callbacks, servers and agents', () => {
    expectTypeOf<heddle.HookCallback>().toExtend<NonNullable<heddle.HookCallbackMatcher['hooks']>[number]>();
    expectTypeOf<{ command: string }>().toExtend<heddle.McpServerConfig>();
    expectTypeOf<{ description: string; prompt: string; maxTurns: number }>().toExtend<heddle.AgentDefinition>();
    expectTypeOf<heddle.Options['canUseTool']>().toEqualTypeOf<heddle.CanUseTool | undefined>();
    expectTypeOf<heddle.Options['spawnClaudeCodeProcess']>().toEqualTypeOf<
      ((options: heddle.SpawnOptions) => heddle.SpawnedProcess) | undefined
    >();
    expectTypeOf<import('node:child_process').ChildProcessWithoutNullStreams>().toExtend<heddle.SpawnedProcess>();
  });
});
