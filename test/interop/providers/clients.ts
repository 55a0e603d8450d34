import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { AwsCredentialLibrary } from '../../../src/model/aws/aws-library.ts';
import { signed } from '../../../src/model/aws/sigv4.ts';
import { fail, reply, startFakeApi, startFakeOpenAi, text, thinking, toolUse } from '../../../src/testing/index.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { signatureProblem } from '../../support/aws-signature.ts';
import { bedrockDialect, exceptionFrame, openFakeCloud, vertexDialect } from '../../support/fake-clouds.ts';
import { startFakeResponses } from '../../support/fake-responses.ts';
import { strictGemini } from '../../support/strict-gemini.ts';
import type { ProviderRig } from './rig.ts';

/** The clients that vendors publish, each run against the fake server that the tests of ours use. */
export const CLIENT_CHECKS: Record<string, (rig: ProviderRig) => Promise<void>> = {
  'the client of OpenAI takes our chat completions': chatCompletions,
  'the client of OpenAI takes our Responses': responses,
  'the client of OpenAI meets the signatures of our Gemini': gemini,
  'the client of AWS takes our Bedrock, its signature included': bedrock,
  'the client of AWS takes the exceptions of our Bedrock': bedrockExceptions,
  'the library of Google takes our token server, and its token our Vertex': vertex,
  'the library of AWS finds keys of a role for us': awsRole,
  'aws4 signs like us': otherSigner,
};

interface OpenAiClient {
  chat: { completions: { create(body: JsonObject): Promise<AsyncIterable<JsonObject> & JsonObject> } };
  responses: { stream(body: JsonObject): AsyncIterable<JsonObject> & { finalResponse(): Promise<JsonObject> } };
}

type OpenAiModule = { default: new (options: JsonObject) => OpenAiClient };

async function openAi({ load }: ProviderRig, baseURL: string): Promise<OpenAiClient> {
  const { default: Client } = await load<OpenAiModule>('openai');
  return new Client({ apiKey: 'key-of-the-test', baseURL, maxRetries: 0 });
}

const USER = [{ role: 'user', content: 'go' }];
const BASH = { name: 'Bash', description: 'runs', parameters: { type: 'object', properties: {} } };

async function chatCompletions(rig: ProviderRig): Promise<void> {
  const api = await startFakeOpenAi([[text('Hel', 'lo'), toolUse('Bash', { command: 'ls' }, 'call_1')]]);
  rig.later(() => api.close());
  const client = await openAi(rig, api.url);
  const stream = await client.chat.completions.create({
    model: 'gpt-5',
    messages: USER,
    tools: [{ type: 'function', function: BASH }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const [said, called, ends, usages]: [string[], string[], unknown[], JsonObject[]] = [[], [], [], []];
  for await (const chunk of stream) {
    if (chunk.usage) usages.push(chunk.usage as JsonObject);
    for (const choice of chunk.choices as JsonObject[]) {
      const piece = choice.delta as JsonObject;
      if (typeof piece.content === 'string') said.push(piece.content);
      for (const call of (piece.tool_calls as JsonObject[]) ?? []) {
        called.push(String((call.function as JsonObject).arguments ?? ''));
      }
      if (choice.finish_reason) ends.push(choice.finish_reason);
    }
  }
  assert.equal(said.join(''), 'Hello');
  assert.deepEqual(JSON.parse(called.join('')), { command: 'ls' });
  assert.deepEqual(ends, ['tool_calls']);
  assert.ok(Number(usages.at(-1)?.prompt_tokens) > 0);
}

async function responses(rig: ProviderRig): Promise<void> {
  const answer = [thinking('hm', 'ZW5j'), text('Hel', 'lo'), toolUse('Bash', { command: 'ls' }, 'call_1')];
  const api = await startFakeResponses([answer, fail(429, 'rate_limit_exceeded', 'slow down')]);
  rig.later(() => api.close());
  const client = await openAi(rig, api.url);
  const request = { model: 'gpt-5', input: USER, store: false, tools: [{ type: 'function', ...BASH }] };
  const stream = client.responses.stream(request);
  const kinds = new Set<unknown>();
  for await (const event of stream) kinds.add(event.type);
  const final = await stream.finalResponse();
  assert.equal(final.output_text, 'Hello');
  const output = final.output as JsonObject[];
  assert.deepEqual(
    output.map(({ type }) => type),
    ['reasoning', 'message', 'function_call'],
  );
  assert.equal(output[0]?.encrypted_content, 'ZW5j');
  assert.deepEqual(JSON.parse(String(output[2]?.arguments)), { command: 'ls' });
  assert.ok(kinds.has('response.reasoning_summary_text.delta') && kinds.has('response.completed'));
  await assert.rejects(
    async () => {
      for await (const _ of client.responses.stream(request));
    },
    { status: 429 },
  );
}

async function gemini(rig: ProviderRig): Promise<void> {
  const api = await startFakeOpenAi(strictGemini);
  rig.later(() => api.close());
  const client = await openAi(rig, api.url);
  const call = { id: 'call_9', type: 'function', function: { name: 'Bash', arguments: '{}' } };
  const result = { role: 'tool', tool_call_id: 'call_9', content: 'ok' };
  const ask = (made: JsonObject) =>
    client.chat.completions.create({
      model: 'gemini-3-pro-preview',
      messages: [...USER, { role: 'assistant', tool_calls: [made] }, result],
      stream: true,
    });
  await assert.rejects(ask(call), { status: 400 });
  const kept: unknown[] = [];
  for await (const chunk of await ask({ ...call, extra_content: { google: { thought_signature: 'sig of call_9' } } })) {
    kept.push(chunk);
  }
  assert.ok(kept.length > 0);
}

interface AwsModule {
  BedrockRuntimeClient: new (
    options: JsonObject,
  ) => { send(command: object): Promise<{ body: AsyncIterable<{ chunk?: { bytes: Uint8Array } }> }>; destroy(): void };
  InvokeModelWithResponseStreamCommand: new (input: JsonObject) => object;
}

interface HandlerModule {
  NodeHttpHandler: new () => object;
}

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'of/the+test', sessionToken: 'a+session/token==' };

async function askBedrock(rig: ProviderRig, endpoint: string): Promise<JsonObject[]> {
  const { BedrockRuntimeClient, InvokeModelWithResponseStreamCommand } = await rig.load<AwsModule>(
    '@aws-sdk/client-bedrock-runtime',
  );
  // Without it the client speaks HTTP/2, which Bedrock takes and our fake does not.
  const { NodeHttpHandler } = await rig.load<HandlerModule>('@smithy/node-http-handler');
  const client = new BedrockRuntimeClient({
    ...{ region: 'us-east-1', endpoint, credentials: KEYS, maxAttempts: 1 },
    requestHandler: new NodeHttpHandler(),
  });
  rig.later(async () => client.destroy());
  const body = JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 9, messages: USER });
  const modelId = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
  const answer = await client.send(
    new InvokeModelWithResponseStreamCommand({ modelId, contentType: 'application/json', body }),
  );
  const events: JsonObject[] = [];
  for await (const { chunk } of answer.body) {
    if (chunk) events.push(JSON.parse(Buffer.from(chunk.bytes).toString('utf8')));
  }
  return events;
}

async function bedrock(rig: ProviderRig): Promise<void> {
  const api = await startFakeApi([reply([text('Hel', 'lo')], { chunkBytes: 7 })]);
  const checked: (string | null)[] = [];
  const cloud = await openFakeCloud(
    api.url,
    bedrockDialect((request) => {
      const problem = signatureProblem(request, KEYS);
      checked.push(problem);
      return problem;
    }),
  );
  rig.later(() => Promise.all([api.close(), cloud.close()]));
  const events = await askBedrock(rig, cloud.url);
  assert.deepEqual(checked, [null]);
  assert.equal(events[0]?.type, 'message_start');
  assert.equal(events.at(-1)?.type, 'message_stop');
  const said = events.flatMap(({ delta: piece }) => (piece as JsonObject | undefined)?.text ?? []);
  assert.equal(said.join(''), 'Hello');
}

async function bedrockExceptions(rig: ProviderRig): Promise<void> {
  for (const type of ['throttlingException', 'modelStreamErrorException', 'validationException']) {
    const body = exceptionFrame(type, 'no');
    const cloud = await openFakeCloud('http://127.0.0.1:9', {
      ...bedrockDialect(),
      refuse: () => ({ status: 200, body, headers: { 'content-type': 'application/vnd.amazon.eventstream' } }),
    });
    rig.later(() => cloud.close());
    const name = type.replace(/^./, (letter) => letter.toUpperCase());
    await assert.rejects(askBedrock(rig, cloud.url), { name });
  }
}

interface GoogleModule {
  OAuth2Client: new (
    options: JsonObject,
  ) => { setCredentials(credentials: JsonObject): void; getAccessToken(): Promise<{ token: string }> };
}

async function vertex(rig: ProviderRig): Promise<void> {
  const tokens = await openTokenServer('ya29.good');
  const api = await startFakeApi(['Hello']);
  const cloud = await openFakeCloud(
    api.url,
    vertexDialect((token) => token === 'ya29.good'),
  );
  rig.later(() => Promise.all([api.close(), cloud.close(), tokens.close()]));
  const user = { client_id: 'c', client_secret: 's', refresh_token: 'r' };
  const file = join(rig.folder, 'user.json');
  writeFileSync(file, JSON.stringify({ type: 'authorized_user', ...user, token_uri: tokens.url }), { mode: 0o600 });
  assert.equal(await rig.googleToken({ GOOGLE_APPLICATION_CREDENTIALS: file }), 'ya29.good');

  const { OAuth2Client } = await rig.load<GoogleModule>('google-auth-library');
  const client = new OAuth2Client({
    clientId: user.client_id,
    clientSecret: user.client_secret,
    endpoints: { oauth2TokenUrl: tokens.url },
  });
  client.setCredentials({ refresh_token: user.refresh_token });
  const { token } = await client.getAccessToken();
  const [mine, theirs] = tokens.forms;
  assert.deepEqual(theirs, mine);
  const path = '/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929';
  const body = { anthropic_version: 'vertex-2023-10-16', stream: true, max_tokens: 9, messages: USER };
  const answer = await fetch(`${cloud.url}${path}:streamRawPredict`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /message_stop/);
}

/** Hands out one token, and keeps the forms in which it was asked for, sorted by their fields. */
async function openTokenServer(token: string) {
  const forms: string[][][] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    forms.push([...new URLSearchParams(Buffer.concat(pieces).toString('utf8'))].sort());
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: token, expires_in: 3600, token_type: 'Bearer' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    forms,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A fake STS hands out keys for a role; the library, which we use where it is installed, gets them by our options. */
async function awsRole(rig: ProviderRig): Promise<void> {
  const asked: string[] = [];
  const sts = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    asked.push(Buffer.concat(pieces).toString('utf8'));
    const fields = '<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>of-the-role</SecretAccessKey>';
    const more = '<SessionToken>st</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration>';
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(
      `<AssumeRoleResponse><AssumeRoleResult><Credentials>${fields}${more}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  });
  await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve));
  rig.later(() => new Promise((resolve) => sts.close(resolve)));
  const file = (name: string, text: string) => {
    writeFileSync(join(rig.folder, name), text, { mode: 0o600 });
    return join(rig.folder, name);
  };
  const env = {
    AWS_PROFILE: 'work',
    AWS_CONFIG_FILE: file('config', '[profile work]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n'),
    AWS_SHARED_CREDENTIALS_FILE: file('credentials', '[base]\naws_access_key_id = AKIB\naws_secret_access_key = s\n'),
  };
  process.env.AWS_ENDPOINT_URL_STS = `http://127.0.0.1:${(sts.address() as AddressInfo).port}`;
  const library = await rig.load<AwsCredentialLibrary>('@aws-sdk/credential-provider-node');
  const found = await rig.awsKeys(env, library);
  const signingKeys = { accessKeyId: 'ASIAROLE', secretAccessKey: 'of-the-role', sessionToken: 'st' };
  assert.deepEqual(found, { credential: { signingKeys }, expires: Date.UTC(2030, 0, 1) });
  assert.equal(new URLSearchParams(asked[0]).get('RoleArn'), 'arn:aws:iam::1:role/r');
}

interface Aws4 {
  default: { sign(request: JsonObject, keys: JsonObject): { headers: Record<string, string> } };
}

async function otherSigner({ load }: ProviderRig): Promise<void> {
  const { default: aws4 } = await load<Aws4>('aws4');
  const names = ['a:b', 'a b', 'ü/ö', "!*()'", 'plain', '%41', 'a%2Fb', '𝄞', 'x,y;z', '~-._'];
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);
  for (const [at, name] of names.entries()) {
    for (const region of ['us-east-1', 'eu-central-2']) {
      const path = `/model/${encodeURIComponent(name).replaceAll('%3A', ':')}/invoke-with-response-stream`;
      const body = JSON.stringify({ at, text: name.repeat(at + 1) });
      const url = new URL(`https://bedrock-runtime.${region}.amazonaws.com${path}`);
      const length = String(Buffer.byteLength(body));
      const headers = { 'content-type': 'application/json', 'content-length': length };
      const request = { method: 'POST' as const, url, headers, body: Buffer.from(body) };
      const payload = createHash('sha256').update(body).digest('hex');
      const mine = signed(request, { keys: KEYS, region, service: 'bedrock', now });
      const theirs = aws4.sign(
        {
          ...{ host: url.host, path, method: 'POST', service: 'bedrock', region, body },
          headers: { ...headers, 'X-Amz-Date': '20260102T030405Z', 'X-Amz-Content-Sha256': payload },
        },
        KEYS,
      );
      assert.equal(mine.authorization?.slice(-64), theirs.headers.Authorization?.slice(-64), name);
    }
  }
}
