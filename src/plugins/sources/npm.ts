import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { checkHttps, checkPackage } from '../marketplace-source.ts';
import { pluginError } from '../plugin-error.ts';
import { type FetchTools, outputOf } from './tools.ts';
import { unpack, unpackedRoot } from './unpack.ts';

export interface NpmSource {
  package: string;
  version?: string | undefined;
  registry?: string | undefined;
}

/** Unpacks a package into a new folder. npm checks what the registry says of its content; no script of it runs. */
export async function fetchPackage(source: NpmSource, to: string, tools: FetchTools): Promise<string> {
  const { package: name, version, registry } = source;
  checkPackage(name, version);
  if (registry !== undefined) checkHttps(registry);
  const packed = `${to}.packed`;
  makeDirectory(packed, 0o700);
  tools.report(`Fetching ${name} from npm`);
  const where = registry === undefined ? [] : [`--registry=${registry}`];
  await outputOf(
    {
      command: 'npm',
      // Without these it waits for minutes where a registry does not answer.
      args: [
        'pack',
        '--ignore-scripts',
        '--silent',
        '--fetch-timeout=30000',
        '--fetch-retries=1',
        ...where,
        '--',
        spec(name, version),
      ],
      cwd: packed,
      // A folder without a package: settings of a project do not count.
      env: { ...withoutModelKeys(tools.env), npm_config_update_notifier: 'false', npm_config_audit: 'false' },
      doing: `npm ${name}`,
    },
    tools,
  );
  const [archive] = readdirSync(packed).filter((each) => each.endsWith('.tgz'));
  if (archive === undefined) throw pluginError(`npm brought no package ${name}`);
  unpack(readFileSync(join(packed, archive)), to, `The package ${name}`);
  return unpackedRoot(to);
}

function spec(name: string, version: string | undefined): string {
  return version === undefined ? name : `${name}@${version}`;
}

function withoutModelKeys(env: FetchTools['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/(_API_KEY|_AUTH_TOKEN)$/.test(name)));
}
