import { describe, expectTypeOf, test } from 'vitest';
import type * as engine from '../../src/host/index.ts';
import * as heddle from '../../src/sdk/index.ts';

describe('the types that hosts of the reference import', () => {
  test('[QRY-01, QRY-10] query takes a text or a stream, and is an AsyncGenerator', () => {
    type Prompt = Parameters<typeof heddle.query>[0]['prompt'];
    expectTypeOf<string>().toExtend<Prompt>();
    expectTypeOf<AsyncIterable<heddle.SDKUserMessage>>().toExtend<Prompt>();
    expectTypeOf<AsyncIterable<string>>().toExtend<Prompt>();
    expectTypeOf<heddle.Query>().toExtend<AsyncGenerator<heddle.SDKMessage, void>>();
    expectTypeOf<heddle.Query>().toExtend<AsyncDisposable>();
  });

  test('[B-148, B-149] what a host writes can say where it belongs in the queue, and that it needs no answer', () => {
    expectTypeOf<heddle.SDKUserMessage['priority']>().toEqualTypeOf<'now' | 'next' | 'later' | undefined>();
    expectTypeOf<heddle.SDKUserMessage['shouldQuery']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<heddle.SDKUserMessage['client_composed']>().toEqualTypeOf<boolean | undefined>();
  });

  test('[FLD-19] what a host writes is a kind and a content; what it reads says more', () => {
    expectTypeOf<{ type: 'user'; message: { role: 'user'; content: string } }>().toExtend<heddle.SDKUserMessage>();
    expectTypeOf<heddle.SDKMessage['session_id']>().toEqualTypeOf<string>();
    type Read = Extract<heddle.SDKMessage, { type: 'user' }>;
    expectTypeOf<Read['parent_tool_use_id']>().toEqualTypeOf<string | null>();
    expectTypeOf<Read>().toExtend<heddle.SDKUserMessage>();
    // As programs have it that were written for a later SDK of the reference, and for an earlier one.
    async function* later(): AsyncGenerator<heddle.SDKUserMessage> {
      yield { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null };
      yield { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null, session_id: '' };
    }
    async function* unnamed() {
      yield { type: 'user' as const, message: { role: 'user' as const, content: 'hi' } };
      yield 'a text';
    }
    type Prompt = Parameters<typeof heddle.query>[0]['prompt'];
    expectTypeOf(later).returns.toExtend<Prompt>();
    expectTypeOf(unnamed).returns.toExtend<Prompt>();
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
    expectTypeOf<heddle.SDKSession['stream']>().returns.toExtend<AsyncGenerator<heddle.SDKMessage, void>>();
    expectTypeOf<ReturnType<heddle.SDKSession['stream']>['next']>().returns.resolves.toEqualTypeOf<
      IteratorResult<heddle.SDKMessage, void>
    >();
    expectTypeOf<heddle.Options>().toExtend<heddle.SDKSessionOptions>();
  });

  test('all that a store of one needs is exported here, and from heddle/engine', () => {
    class Mine implements heddle.HeddleSessionStore {
      async append(_key: heddle.HeddleSessionKey, _entries: readonly heddle.Entry[], _options?: heddle.AppendOptions) {}
      async *load(_key: heddle.HeddleSessionKey): AsyncGenerator<heddle.Loaded> {}
      exists = async (_key: heddle.HeddleSessionKey) => true;
      list = async (_project: string): Promise<heddle.SessionInfo[]> => [];
      listSessionSummaries = async (_project: string): Promise<heddle.SessionSummaryEntry[]> => [];
      lease = async (_key: heddle.HeddleSessionKey, _holder: heddle.LeaseHolder): Promise<heddle.Lease> => ({
        release: async () => {},
      });
      loadRecent = async (_key: heddle.HeddleSessionKey): Promise<heddle.RecentPart | null> => null;
    }
    expectTypeOf<Mine>().toExtend<heddle.HeddleSessionStore>();
    expectTypeOf<Extract<heddle.Loaded, { damage: unknown }>['damage']>().toEqualTypeOf<heddle.Damage>();
    expectTypeOf<engine.Entry>().toEqualTypeOf<heddle.Entry>();
    expectTypeOf<engine.SessionStore>().toEqualTypeOf<heddle.HeddleSessionStore>();
    expectTypeOf<engine.RecentPart>().toEqualTypeOf<heddle.RecentPart>();
    expectTypeOf<engine.Lease & engine.LeaseHolder & engine.AppendOptions>().toBeObject();
  });

  test('[K48] SessionStore is what programs for the reference mean by it; both kinds are taken', () => {
    class Theirs implements heddle.SessionStore {
      readonly inner: heddle.SessionStore = new heddle.InMemorySessionStore();
      append = (key: heddle.SessionKey, entries: heddle.SessionStoreEntry[]) => this.inner.append(key, entries);
      async load({ projectKey, sessionId, subpath }: heddle.SessionKey): Promise<heddle.SessionStoreEntry[] | null> {
        const key: heddle.SessionKey = { projectKey, sessionId, ...(subpath !== undefined && { subpath }) };
        const entries = await this.inner.load(key);
        return entries?.filter(({ uuid }) => uuid !== '') ?? null;
      }
    }
    expectTypeOf<Theirs>().toExtend<NonNullable<heddle.Options['sessionStore']>>();
    expectTypeOf<heddle.HeddleSessionStore>().toExtend<NonNullable<heddle.Options['sessionStore']>>();
    expectTypeOf<heddle.SessionStore>().toEqualTypeOf<heddle.ReferenceSessionStore>();
  });

  test('what a method tells of the tree has the names of options, beside those of the wire', () => {
    type Node = Awaited<ReturnType<heddle.Query['tree']>>['nodes'][number];
    expectTypeOf<Node['parentUuid']>().toEqualTypeOf<Node['parent_uuid']>();
    expectTypeOf<Node['parentUuid']>().toExtend<heddle.SendOptions['parentUuid']>();
    expectTypeOf<heddle.Branch['leafUuid']>().toEqualTypeOf<heddle.Branch['leaf_uuid']>();
    expectTypeOf<heddle.SessionTree['leafUuid']>().toEqualTypeOf<string | null>();
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
    expectTypeOf<keyof heddle.GivenOptions>().toEqualTypeOf<keyof Groups>();
    expectTypeOf<heddle.Options>().toExtend<heddle.GivenOptions>();
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
