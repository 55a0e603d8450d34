import { describe, expect, it, test } from 'vitest';
import { createBedrockModel } from '../../../src/model/aws/bedrock.ts';
import { createFrameReader } from '../../../src/model/aws/event-frames.ts';
import { signed } from '../../../src/model/aws/sigv4.ts';
import { eachEvent } from '../../../src/model/each-event.ts';
import type { ModelEvent, ModelRequest } from '../../../src/model/model.ts';
import { blocksOf, modelCases, sampleRequest } from '../../../src/testing/index.ts';
import { signatureProblem } from '../../support/aws-signature.ts';
import { bedrockDialect, type CloudRequest, exceptionFrame, frame } from '../../support/fake-clouds.ts';
import { startFakeCloud } from '../../support/start-fake-cloud.ts';
import { failureOf, runtime } from '../support.ts';

const keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'FwoGZXIvYXdzEXAMPLE',
};
const options = { userAgent: 'heddle/0.0.0', timeoutMs: 5000, runtime, region: 'us-east-1' };

async function ask(model: ReturnType<typeof createBedrockModel>, request: Partial<ModelRequest> = {}) {
  const events: ModelEvent[] = [];
  for await (const event of eachEvent(model.stream({ ...sampleRequest(), ...request }, new AbortController().signal))) {
    events.push(event);
  }
  return events;
}

describe('[P4] the contract of a model, on Bedrock', () => {
  for (const { name, run } of modelCases()) {
    it(name, () =>
      run(async (script) => {
        const cloud = await startFakeCloud(
          script,
          bedrockDialect((request) => signatureProblem(request, keys)),
        );
        const model = createBedrockModel({
          ...options,
          baseUrl: cloud.url,
          credential: async () => ({ signingKeys: keys }),
        });
        return { model, close: async () => {} };
      }),
    );
  }
});

describe('signatures', () => {
  const now = Date.UTC(2015, 7, 30, 12, 36, 0);
  const scope = {
    keys: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
    region: 'us-east-1',
    service: 'bedrock',
    now,
  };
  const sign = (address: string) =>
    signed(
      {
        method: 'POST',
        url: new URL(address),
        headers: { 'content-type': 'application/json', 'content-length': '7' },
        body: Buffer.from('{"a":1}'),
      },
      scope,
    ).authorization?.slice(-64);

  // Made with aws4 1.13.2, which signs the same requests.
  it.each([
    [
      'https://h.example/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream',
      'da4c14955cbeda5a042658aae6592ad189d98ce288a494e0e8249c178f2ea909',
    ],
    [
      'https://h.example/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
      'f0eadd499e18ddf1d31643ac114ec28d36988df1ae100e0005c22198ab90ff22',
    ],
    [
      'https://h.example/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aprofile%2Fx%20y/x?b=2&a=1%20x',
      '0c66005c88451871f872e272250cde4d4953dea39cea6b9506969e1b7cf88d9b',
    ],
    ["https://h.example/%C3%BCn%C3%AF/!*()'/x", '4e07a40ca6ab606dd7d9f2b0b444d825c295e8b7bb77f9806dc99f6f0d68e9ee'],
  ])('of %s are those of another signer', (address, signature) => {
    expect(sign(address)).toBe(signature);
  });
});

describe('requests', () => {
  it('have the body of Bedrock, a colon in the path, and betas that Bedrock knows', async () => {
    const cloud = await startFakeCloud(['Hello'], bedrockDialect());
    const model = createBedrockModel({ ...options, baseUrl: cloud.url, authToken: 'bedrock-key' });
    const betas = ['context-1m-2025-08-07', 'of-another-api-2026-01-01'];
    await ask(model, { model: 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', betas });
    const [request] = cloud.requests;
    expect(request?.path).toBe('/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream');
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer bedrock-key',
      accept: 'application/vnd.amazon.eventstream',
    });
    expect(Object.keys(request?.body ?? {})).toEqual([
      'anthropic_version',
      'max_tokens',
      'temperature',
      'anthropic_beta',
      'system',
      'tools',
      'messages',
    ]);
    expect(request?.body.anthropic_beta).toEqual(['context-1m-2025-08-07']);
  });

  it('follow no redirect, not even to another path of the same server', async () => {
    const dialect = {
      ...bedrockDialect(),
      refuse: () => ({ status: 307, body: '', headers: { location: '/elsewhere' } }),
    };
    const cloud = await startFakeCloud([], dialect);
    const model = createBedrockModel({
      ...options,
      baseUrl: cloud.url,
      credential: async () => ({ signingKeys: keys }),
    });
    expect(failureOf(await ask(model))).toMatchObject({ class: 'invalid_request', status: 307 });
    expect(cloud.requests).toHaveLength(1);
  });

  it('show no key in a failure that repeats it', async () => {
    const dialect = bedrockDialect(() => `bad ${keys.secretAccessKey} ${keys.sessionToken}`);
    const cloud = await startFakeCloud([], dialect);
    const model = createBedrockModel({
      ...options,
      baseUrl: cloud.url,
      credential: async () => ({ signingKeys: keys }),
    });
    const told = JSON.stringify(failureOf(await ask(model)));
    expect(told).toContain('bad');
    expect(told).not.toContain(keys.secretAccessKey);
  });

  it('go without a field that was refused, from then on', async () => {
    const warnings: string[] = [];
    const refuse = ({ body }: CloudRequest) =>
      'output_config' in body
        ? { status: 400, body: '{"message":"output_config: Extra inputs are not permitted"}' }
        : null;
    const cloud = await startFakeCloud(['one', 'two'], { ...bedrockDialect(), refuse });
    const log = (_: unknown, message: string) => warnings.push(message);
    const model = createBedrockModel({ ...options, runtime: { ...runtime, log }, baseUrl: cloud.url, authToken: 'k' });
    await ask(model, { effort: 'high' });
    expect(failureOf(await ask(model, { effort: 'high' }))).toBeUndefined();
    expect(cloud.requests).toHaveLength(3);
    expect(warnings.filter((text) => text.includes('does not take output_config'))).toHaveLength(1);
  });
});

describe('answers', () => {
  it('have the name by which the model was asked', async () => {
    const cloud = await startFakeCloud(['Hello'], {
      ...bedrockDialect(),
      toMessages: ({ body }) => ({ ...body, model: 'claude-sonnet-4-5-20250929' }),
    });
    const events = await ask(createBedrockModel({ ...options, baseUrl: cloud.url, authToken: 'k' }), {
      model: 'bedrock/x',
    });
    const start = events.find((event) => event.type === 'event' && event.event.type === 'message_start');
    expect(start).toMatchObject({ event: { message: { model: 'bedrock/x' } } });
    expect(start?.type === 'event' && JSON.parse(start.raw).message.model).toBe('bedrock/x');
  });

  it.each([
    ['throttlingException', 'rate_limit'],
    ['modelStreamErrorException', 'server'],
    ['internalServerException', 'server'],
    ['serviceUnavailableException', 'overloaded'],
    ['modelTimeoutException', 'timeout'],
    ['validationException', 'invalid_request'],
    ['accessDeniedException', 'authentication'],
  ])('with the exception %s fail as %s', async (type, expected) => {
    const body = exceptionFrame(type, 'no');
    const cloud = await startFakeCloud([], { ...bedrockDialect(), refuse: () => ({ status: 200, body }) });
    expect(failureOf(await ask(createBedrockModel({ ...options, baseUrl: cloud.url, authToken: 'k' })))).toMatchObject({
      class: expected,
    });
  });
});

describe('frames', () => {
  const told = [
    frame({ ':message-type': 'event', a: 'b' }, 'one'),
    frame({}, ''),
    frame({ c: 'ü' }, Buffer.alloc(70_000, 7)),
  ];
  const all = Buffer.concat(told);
  const shape = (frames: { headers: object; payload: Buffer }[]) =>
    frames.map(({ headers, payload }) => [headers, payload.length]);
  const whole = [
    [{ ':message-type': 'event', a: 'b' }, 3],
    [{}, 0],
    [{ c: 'ü' }, 70_000],
  ];

  it('are the same wherever they are cut', () => {
    const small = Buffer.concat(told.slice(0, 2));
    for (let cut = 0; cut <= small.length; cut++) {
      const reader = createFrameReader();
      const frames = [...reader.push(small.subarray(0, cut)), ...reader.push(small.subarray(cut))];
      expect(shape(frames)).toEqual(whole.slice(0, 2));
      expect(reader.pendingBytes).toBe(0);
    }
    const reader = createFrameReader();
    expect(shape([...all].flatMap((byte) => reader.push(Buffer.of(byte))))).toEqual(whole);
  });

  it('with any changed byte are refused, or wait for more', () => {
    const [first = Buffer.alloc(0)] = told;
    for (let at = 0; at < first.length; at++) {
      const damaged = Buffer.from(first);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect(() => createFrameReader().push(damaged)).toThrow(/checksum|length/);
    }
  });
});

test('an answer that breaks off in a frame is a connection failure, and a damaged one is malformed', async () => {
  const start = frame(
    { ':message-type': 'event', ':event-type': 'chunk' },
    JSON.stringify({ bytes: Buffer.from('{"type":"message_start","message":{"id":"m"}}').toString('base64') }),
  );
  const damaged = Buffer.from(start);
  damaged[damaged.length - 6] = (damaged[damaged.length - 6] ?? 0) ^ 1;
  for (const [body, expected] of [
    [start.subarray(0, 40), 'connection'],
    [damaged, 'malformed'],
  ] as const) {
    const cloud = await startFakeCloud([], {
      ...bedrockDialect(),
      refuse: () => ({ status: 200, body }),
    });
    const events = await ask(createBedrockModel({ ...options, baseUrl: cloud.url, authToken: 'k' }));
    expect(failureOf(events)).toMatchObject({ class: expected });
    expect(blocksOf(events)).toEqual([]);
  }
});
