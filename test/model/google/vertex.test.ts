import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectElsewhere } from '../../../src/host/engine/elsewhere.ts';
import { findGoogleToken } from '../../../src/model/google/google-token.ts';
import { createVertexModel } from '../../../src/model/google/vertex.ts';
import { createAskOnce } from '../../../src/model/http/ask-once.ts';
import { collectEvents, modelCases } from '../../../src/testing/index.ts';
import { HeddleError } from '../../../src/wire/errors.ts';
import { afterTest } from '../../support/after-test.ts';
import { vertexDialect } from '../../support/fake-clouds.ts';
import { startFakeCloud } from '../../support/start-fake-cloud.ts';
import { failureOf, runtime } from '../support.ts';

const options = { userAgent: 'heddle/0.0.0', timeoutMs: 5000, runtime, project: 'proj', region: 'us-east5' };

describe('[P4] the contract of a model, on Vertex', () => {
  for (const { name, run } of modelCases()) {
    it(name, () =>
      run(async (script) => {
        const cloud = await startFakeCloud(
          script,
          vertexDialect((token) => token === 'ya29.ok'),
        );
        const model = createVertexModel({ ...options, baseUrl: `${cloud.url}/v1`, authToken: 'ya29.ok' });
        return { model, close: async () => {} };
      }),
    );
  }
});

/** A token endpoint; each request gets the next token. */
async function tokenServer(expiresIn: number) {
  const forms: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    forms.push(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
    response.end(
      JSON.stringify({ access_token: `ya29.token-${forms.length}`, expires_in: expiresIn, token_type: 'Bearer' }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, forms };
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'heddle-google-'));
  afterTest(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const sources = (env: Record<string, string>) => ({
  env,
  run: async () => '',
  ask: createAskOnce({}),
  now: () => Date.UTC(2026, 0, 1),
});

describe('tokens', () => {
  it('of a service account are asked for with a statement that its key has signed', async () => {
    const tokens = await tokenServer(3600);
    const file = join(folder(), 'account.json');
    const account = {
      type: 'service_account',
      client_email: 'robot@proj.iam.gserviceaccount.com',
      private_key_id: 'k1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: tokens.url,
    };
    writeFileSync(file, JSON.stringify(account));
    const found = await findGoogleToken(sources({ GOOGLE_APPLICATION_CREDENTIALS: file }));
    expect(found).toEqual({ credential: { authToken: 'ya29.token-1' }, expires: Date.UTC(2026, 0, 1, 1) });
    const [head = '', claims = '', signature = ''] = tokens.forms[0]?.get('assertion')?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: account.client_email,
      aud: tokens.url,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
    expect(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(
      true,
    );
  });

  it('of a person come from the file that gcloud writes', async () => {
    const tokens = await tokenServer(60);
    const home = folder();
    const own = join(home, '.config', 'gcloud');
    mkdirSync(own, { recursive: true });
    const user = {
      type: 'authorized_user',
      client_id: 'c',
      client_secret: 's',
      refresh_token: 'r',
      token_uri: tokens.url,
    };
    writeFileSync(join(own, 'application_default_credentials.json'), JSON.stringify(user));
    expect((await findGoogleToken(sources({ HOME: home }))).credential).toEqual({ authToken: 'ya29.token-1' });
    expect(Object.fromEntries(tokens.forms[0] ?? [])).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'r',
    });
  });

  it.each<[string, Record<string, string>, string, string | null]>([
    ['a machine of Google', {}, 'Google Compute Engine', '169.254.169.254'],
    ['Cloud Run', { K_SERVICE: 'web' }, '', '169.254.169.254'],
    ['a host that the environment names', { GCE_METADATA_HOST: 'meta.example:80' }, 'Other', 'meta.example'],
    ['any other machine', {}, 'Virtual Machine', null],
  ])('of %s come from the metadata server', async (_what, env, product, host) => {
    const asked: string[] = [];
    const ask: ReturnType<typeof createAskOnce> = async ({ url, headers }) => {
      asked.push(url.hostname);
      expect(headers).toEqual({ 'metadata-flavor': 'Google' });
      return { status: 200, text: JSON.stringify({ access_token: 'ya29.machine', expires_in: 60 }) };
    };
    const given = { ...sources({ HOME: folder(), ...env }), ask, product: async () => product };
    const finding = findGoogleToken(given);
    if (host === null) await expect(finding).rejects.toThrow(/no Google credentials/);
    else expect((await finding).credential).toEqual({ authToken: 'ya29.machine' });
    expect(asked).toEqual(host === null ? [] : [host]);
  });

  it('that cannot be found say what to do', async () => {
    await expect(findGoogleToken(sources({ HOME: folder() }))).rejects.toThrow(/gcloud auth application-default login/);
    const gone = sources({ GOOGLE_APPLICATION_CREDENTIALS: '/nowhere.json' });
    await expect(findGoogleToken(gone)).rejects.toThrow(/GOOGLE_APPLICATION_CREDENTIALS cannot be read/);
  });

  it('that the server refuses are replaced once', async () => {
    const tokens = await tokenServer(3600);
    const cloud = await startFakeCloud(
      ['Hello'],
      vertexDialect((token) => token === 'ya29.token-2'),
    );
    const file = join(folder(), 'user.json');
    writeFileSync(file, JSON.stringify({ type: 'authorized_user', refresh_token: 'r', token_uri: tokens.url }));
    const env = {
      ANTHROPIC_VERTEX_BASE_URL: `${cloud.url}/v1`,
      ANTHROPIC_VERTEX_PROJECT_ID: 'proj',
      CLOUD_ML_REGION: 'us-east5',
      GOOGLE_APPLICATION_CREDENTIALS: file,
    };
    const noted: string[] = [];
    const note = (secrets: readonly string[]) => noted.push(...secrets);
    const own = { runtime, userAgent: 'heddle' };
    const found = await connectElsewhere('vertex', env, { commands: undefined, processes: undefined, note, own });
    if (found instanceof HeddleError) throw found;
    expect(failureOf(await collectEvents(found.make()))).toBeUndefined();
    expect(cloud.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer ya29.token-1',
      'Bearer ya29.token-2',
    ]);
    expect(noted).toEqual(['ya29.token-1', 'ya29.token-2']);
  });
});
