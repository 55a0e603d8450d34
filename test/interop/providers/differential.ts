import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeApi } from '../../../src/testing/index.ts';
import {
  bedrockDialect,
  type CloudDialect,
  type CloudRequest,
  openFakeCloud,
  vertexDialect,
} from '../../support/fake-clouds.ts';
import type { ProviderRig } from './rig.ts';

/** The reference and Heddle, one prompt each against one recording server for each cloud. */
export const DIFFERENTIAL_CHECKS: Record<string, (rig: ProviderRig) => Promise<void>> = Object.fromEntries(
  ['bedrock', 'vertex', 'foundry'].map((cloud) => [
    `the reference and Heddle ask the same of ${cloud}`,
    (rig: ProviderRig) => compare(rig, cloud as keyof typeof CLOUDS),
  ]),
);

interface Cloud {
  dialect: CloudDialect;
  model: string;
  env(url: string): Record<string, string>;
}

const CLOUDS = {
  bedrock: {
    dialect: bedrockDialect(),
    model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    env: (url) => ({
      CLAUDE_CODE_USE_BEDROCK: '1',
      AWS_REGION: 'us-east-1',
      AWS_BEARER_TOKEN_BEDROCK: 'key-of-the-test',
      ANTHROPIC_BEDROCK_BASE_URL: url,
    }),
  },
  vertex: {
    dialect: vertexDialect(),
    model: 'claude-sonnet-4-5@20250929',
    env: (url) => ({
      CLAUDE_CODE_USE_VERTEX: '1',
      CLOUD_ML_REGION: 'us-east5',
      ANTHROPIC_VERTEX_PROJECT_ID: 'proj',
      CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
      ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
    }),
  },
  foundry: {
    dialect: { refuse: () => null, toMessages: ({ body }) => body },
    model: 'my-deployment',
    env: (url) => ({
      CLAUDE_CODE_USE_FOUNDRY: '1',
      ANTHROPIC_FOUNDRY_API_KEY: 'key-of-the-test',
      ANTHROPIC_FOUNDRY_BASE_URL: url,
    }),
  },
} satisfies Record<string, Cloud>;

/** What only the reference sends: a beta for thoughts between calls. */
const MEANT = new Set(['anthropic_beta']);

async function compare(rig: ProviderRig, name: keyof typeof CLOUDS): Promise<void> {
  const cloud: Cloud = CLOUDS[name];
  const theirs = await mainRequest(rig, { name: 'reference', program: rig.reference, cloud });
  const ours = await mainRequest(rig, { name: 'heddle', program: rig.cli, cloud });
  assert.deepEqual(pathOf(ours), pathOf(theirs));
  assert.deepEqual(keysOf(ours), keysOf(theirs));
  assert.equal(ours.headers.authorization, theirs.headers.authorization);
  assert.equal(ours.headers['x-api-key'], theirs.headers['x-api-key']);
  assert.equal(ours.body.anthropic_version, theirs.body.anthropic_version);
  assert.equal(ours.body.stream, theirs.body.stream);
}

function pathOf({ path }: CloudRequest): string {
  return path.replace(/\?.*/, '');
}

function keysOf({ body }: CloudRequest): string[] {
  return Object.keys(body)
    .filter((key) => !MEANT.has(key))
    .sort();
}

interface Asker {
  name: string;
  program: string;
  cloud: Cloud;
}

/** The request with the tools: the reference makes smaller ones beside it. */
async function mainRequest(rig: ProviderRig, { name, program, cloud }: Asker): Promise<CloudRequest> {
  const api = await startFakeApi(() => 'Hello');
  const server = await openFakeCloud(api.url, cloud.dialect);
  rig.later(() => Promise.all([api.close(), server.close()]));
  const home = join(rig.folder, name, 'home');
  const cwd = join(rig.folder, name, 'work');
  for (const each of [home, cwd]) mkdirSync(each, { recursive: true });
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: home, HEDDLE_HOME: home },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1' },
    ...cloud.env(server.url),
  };
  const child = spawn(process.execPath, [program, '-p', 'say hello', '--model', cloud.model], { cwd, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece) => {
      said += piece;
    });
  }
  child.stdin.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  const found = server.requests.find(({ body }) => Array.isArray(body.tools) && body.tools.length > 0);
  assert.ok(found, `${name} asked ${JSON.stringify(server.requests.map(({ path }) => path))} and said: ${said}`);
  return found;
}
