import { describe, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import type * as heddle from '../../src/sdk/index.ts';

declare const sdk: typeof heddle;

const review = z.object({ ok: z.boolean(), lines: z.array(z.number()).default([]) });
type Review = { ok: boolean; lines: number[] };

type Results<Run> = Run extends AsyncIterable<infer Message> ? Extract<Message, { type: 'result' }> : never;
type OutputIn<Run> = Extract<Results<Run>, { subtype: 'success' }>['structured_output'];

/** Never called: what the compiler makes of it is what counts. */
function programs() {
  return {
    zod: sdk.query({ prompt: 'x', options: { outputFormat: review } }),
    wrapped: sdk.query({ prompt: 'x', options: { outputFormat: { type: 'json_schema', schema: review } } }),
    zod3: sdk.query({ prompt: 'x', options: { outputFormat: z3.object({ n: z3.number() }) } }),
    json: sdk.query({ prompt: 'x', options: { outputFormat: { type: 'json_schema', schema: { type: 'object' } } } }),
    none: sdk.query({ prompt: 'x', options: { model: 'sonnet' } }),
    session: sdk.createSession({ outputFormat: review }),
    resumed: sdk.resumeSession('id', { outputFormat: review }),
    client: new sdk.HeddleClient({ outputFormat: review }),
    warm: sdk.startup({ options: { outputFormat: review } }),
    prompted: sdk.prompt('x', { outputFormat: review }),
  };
}
type Programs = ReturnType<typeof programs>;

describe('the type of structured_output', () => {
  test('[OPT-23] is that of the values of the schema of zod', () => {
    expectTypeOf<OutputIn<Programs['zod']>>().toEqualTypeOf<Review | undefined>();
    expectTypeOf<OutputIn<Programs['wrapped']>>().toEqualTypeOf<Review | undefined>();
    expectTypeOf<OutputIn<Programs['zod3']>>().toEqualTypeOf<{ n: number } | undefined>();
  });

  test('is unknown for a JSON Schema and for none, and the messages are those of the reference', () => {
    expectTypeOf<OutputIn<Programs['json']>>().toEqualTypeOf<unknown>();
    expectTypeOf<Programs['json']>().toEqualTypeOf<heddle.Query>();
    expectTypeOf<Programs['none']>().toEqualTypeOf<heddle.Query>();
    expectTypeOf<heddle.SDKMessage<unknown>>().toEqualTypeOf<heddle.SDKMessage>();
  });

  test('is the same behind every door', () => {
    expectTypeOf<OutputIn<ReturnType<Programs['session']['stream']>>>().toEqualTypeOf<Review | undefined>();
    expectTypeOf<OutputIn<ReturnType<Programs['resumed']['stream']>>>().toEqualTypeOf<Review | undefined>();
    expectTypeOf<OutputIn<ReturnType<Programs['client']['receiveResponse']>>>().toEqualTypeOf<Review | undefined>();
    expectTypeOf<OutputIn<ReturnType<Awaited<Programs['warm']>['query']>>>().toEqualTypeOf<Review | undefined>();
    expectTypeOf<Awaited<Programs['prompted']>>().toEqualTypeOf<heddle.SDKResultMessage<Review>>();
    expectTypeOf<Programs['zod']['result']>().toEqualTypeOf<heddle.SDKResultMessage<Review> | null>();
  });

  test('is there for sure where the result is no error', () => {
    type Asked = Awaited<ReturnType<Programs['session']['ask']>>;
    expectTypeOf<Asked['result']['structured_output']>().toEqualTypeOf<Review>();
    const success = () => sdk.successOf({} as heddle.SDKResultMessage<Review>);
    expectTypeOf<ReturnType<typeof success>['structured_output']>().toEqualTypeOf<Review>();
    expectTypeOf<ReturnType<typeof success>['result']>().toEqualTypeOf<string>();
    const untyped = () => sdk.successOf({} as heddle.SDKResultMessage);
    expectTypeOf<ReturnType<typeof untyped>>().toExtend<heddle.SDKResultSuccess>();
  });

  test('what has a type can be handed to who does not know it', () => {
    expectTypeOf<Programs['zod']>().toExtend<heddle.Query>();
    expectTypeOf<Programs['session']>().toExtend<heddle.Session>();
    expectTypeOf<heddle.Options<Review>>().toExtend<heddle.Options>();
    expectTypeOf<heddle.SDKMessage<Review>>().toExtend<heddle.SDKMessage>();
  });

  test('a misspelt option is still an error of the compiler', () => {
    const misspelt = () =>
      sdk.query({
        prompt: 'x',
        // @ts-expect-error there is no such option
        options: { outputFormat: review, modle: 'sonnet' },
      });
    expectTypeOf(misspelt).toBeFunction();
  });
});

describe('tools', () => {
  test('are names, and tools of the program', () => {
    const tools = () => [sdk.tool('add', 'Adds', { a: z.number() }, ({ a }) => String(a)), 'Read'];
    expectTypeOf(tools).returns.toExtend<heddle.ToolsOption>();
    expectTypeOf<string[]>().toExtend<heddle.ToolsOption>();
  });
});
