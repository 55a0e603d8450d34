import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awsRegion, findAwsKeys } from '../../../src/model/aws/aws-keys.ts';
import type { AwsCredentialLibrary, AwsLibraryOptions } from '../../../src/model/aws/aws-library.ts';
import type { ShortAnswer } from '../../../src/model/http/ask-once.ts';
import { afterTest } from '../../support/after-test.ts';

const printed = {
  Version: 1,
  AccessKeyId: 'ASIA',
  SecretAccessKey: 'printed',
  SessionToken: 'st',
  Expiration: '2026-01-01T00:00:00Z',
};
const expires = Date.UTC(2026, 0, 1);
const temporary = {
  credential: { signingKeys: { accessKeyId: 'ASIA', secretAccessKey: 'printed', sessionToken: 'st' } },
  expires,
};

function sources(env: Record<string, string>, more: { exportCommand?: string; answer?: ShortAnswer } = {}) {
  const asked: { url: string; headers: object; body?: string }[] = [];
  const ran: string[] = [];
  return {
    asked,
    ran,
    sources: {
      env,
      region: 'eu-west-1',
      exportCommand: more.exportCommand,
      run: async (command: string) => {
        ran.push(command);
        return JSON.stringify(command.includes('export') ? { Credentials: printed } : printed);
      },
      ask: async ({ url, headers, body }: { url: URL; headers: object; body?: string }) => {
        asked.push({ url: url.href, headers, ...(body !== undefined && { body }) });
        return (
          more.answer ?? { status: 200, text: JSON.stringify({ ...printed, Token: 'st', SessionToken: undefined }) }
        );
      },
    },
  };
}

function aws(config: string, credentials = ''): Record<string, string> {
  const dir = mkdtempSync(join(tmpdir(), 'heddle-aws-'));
  afterTest(() => rmSync(dir, { recursive: true, force: true }));
  const files = { AWS_CONFIG_FILE: join(dir, 'config'), AWS_SHARED_CREDENTIALS_FILE: join(dir, 'credentials') };
  writeFileSync(files.AWS_CONFIG_FILE, config);
  writeFileSync(files.AWS_SHARED_CREDENTIALS_FILE, credentials);
  return files;
}

describe('keys of an AWS account', () => {
  it('of the environment come first', async () => {
    const env = {
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY: 's',
      ...aws('', '[default]\naws_access_key_id=x\naws_secret_access_key=y'),
    };
    expect(await findAwsKeys(sources(env, { exportCommand: 'export' }).sources)).toEqual({
      credential: { signingKeys: { accessKeyId: 'AKIA', secretAccessKey: 's' } },
      expires: null,
    });
  });

  it('of awsCredentialExport come before those of a profile', async () => {
    const given = sources(aws('', '[default]\naws_access_key_id=x\naws_secret_access_key=y'), {
      exportCommand: 'my export',
    });
    expect(await findAwsKeys(given.sources)).toEqual(temporary);
    expect(given.ran).toEqual(['my export']);
  });

  it('of a profile: fixed ones, with comments and blanks', async () => {
    const env = {
      AWS_PROFILE: 'work',
      ...aws(
        '[profile work]\nregion = eu-west-3 # near\n',
        '# mine\n[work]\naws_access_key_id = AKIW\naws_secret_access_key = a=b/c\n',
      ),
    };
    expect((await findAwsKeys(sources(env).sources)).credential).toEqual({
      signingKeys: { accessKeyId: 'AKIW', secretAccessKey: 'a=b/c' },
    });
    expect(await awsRegion(env)).toBe('eu-west-3');
    expect(await awsRegion({ ...env, AWS_REGION: 'us-east-2' })).toBe('us-east-2');
  });

  it('of a profile: what its credential_process prints', async () => {
    const given = sources(aws('[default]\ncredential_process = /opt/keys --for "me"\n'));
    expect(await findAwsKeys(given.sources)).toEqual(temporary);
    expect(given.ran).toEqual(['/opt/keys --for "me"']);
  });

  it('of a container are asked for with its token', async () => {
    const given = sources({
      ...aws(''),
      AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/x',
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 't',
    });
    expect(await findAwsKeys(given.sources)).toEqual(temporary);
    expect(given.asked).toEqual([{ url: 'http://169.254.170.2/v2/x', headers: { authorization: 't' } }]);
  });

  it.each(['[default]\nsso_session = x\n', '[default]\nrole_arn = arn:role\nsource_profile = base\n', ''])(
    'come from AWS’s own library where it is installed and nothing else has them: %j',
    async (config) => {
      const given = sources(aws(config));
      const asked: AwsLibraryOptions[] = [];
      const library: AwsCredentialLibrary = {
        defaultProvider: (options) => async () => {
          asked.push(options);
          return {
            ...{ accessKeyId: 'ASIA', secretAccessKey: 'printed', sessionToken: 'st' },
            expiration: new Date(expires),
          };
        },
      };
      expect(await findAwsKeys({ ...given.sources, library: async () => library })).toEqual(temporary);
      expect(asked).toMatchObject([{ clientConfig: { region: 'eu-west-1' } }]);
      await expect(findAwsKeys({ ...given.sources, library: async () => null })).rejects.toThrow(
        /awsCredentialExport|no AWS keys/,
      );
    },
  );

  it('of a web identity come from STS', async () => {
    const env = aws('', '');
    writeFileSync(env.AWS_CONFIG_FILE ?? '', 'the-token');
    const xml =
      '<A><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>printed</SecretAccessKey><SessionToken>st</SessionToken><Expiration>2026-01-01T00:00:00Z</Expiration></Credentials></A>';
    const given = sources(
      { ...env, AWS_WEB_IDENTITY_TOKEN_FILE: env.AWS_CONFIG_FILE ?? '', AWS_ROLE_ARN: 'arn:role' },
      { answer: { status: 200, text: xml } },
    );
    expect(await findAwsKeys(given.sources)).toEqual(temporary);
    expect(given.asked[0]?.url).toBe('https://sts.eu-west-1.amazonaws.com/');
    expect(given.asked[0]?.body).toContain('WebIdentityToken=the-token');
  });

  it.each([
    [() => aws(''), /no AWS keys were found: set AWS_BEARER_TOKEN_BEDROCK/],
    [() => ({ ...aws(''), AWS_PROFILE: 'gone' }), /no profile gone \(AWS_PROFILE\)/],
    [() => aws('[default]\nsso_session = x\n'), /signs in by SSO or a role: set awsCredentialExport/],
  ])('that are missing say what to set', async (makeEnv, message) => {
    await expect(findAwsKeys(sources(makeEnv()).sources)).rejects.toThrow(message);
  });
});
