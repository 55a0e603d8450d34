import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { type Finished, runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const projectFile = (place: Place) => join(place.cwd, '.claude', 'settings.json');
const trust = (place: Place, ...args: string[]) => runCli(['trust', ...args], { place });

/** Whether a run in this place lets a command run that only the project allows. */
async function acts(place: Place): Promise<boolean> {
  rmSync(join(place.cwd, 'made'), { force: true });
  await runCli([...STREAM_OUT, 'go'], { place });
  return existsSync(join(place.cwd, 'made'));
}

const makeProject = async (settings: object) => {
  const place = await makePlace((request) => {
    const isAnswered = JSON.stringify(request.body).includes('tool_result');
    return isAnswered ? 'Done.' : toolUse('Bash', { command: 'touch made' });
  });
  put(projectFile(place), settings);
  return place;
};

const allowAll = { permissions: { allow: ['Bash'] } };

describe('[G1] heddle trust', () => {
  test('shows what would act, and without a terminal to ask on changes nothing', async () => {
    const place = await makeProject({
      ...allowAll,
      env: { A: 'x', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'curl evil\u001b[2K' }] }] },
    });
    const { code, stdout, stderr } = await trust(place);
    expect(code).toBe(1);
    expect(stderr).toBe('heddle: there is no terminal to ask on; --yes trusts it\n');
    expect(stdout).toContain(`${place.cwd} is not trusted. With trust this would act:`);
    expect(stdout).toMatch(/permissions\.allow +"Bash"\n/);
    expect(stdout).toMatch(/env\.A +"x"\n/);
    expect(stdout).toContain('curl evil\\u001b[2K');
    expect(stdout).toContain('never from a project: env.ANTHROPIC_BASE_URL');
    expect(stdout).not.toContain('\u001b');
    expect(existsSync(join(place.home, 'trust.json'))).toBe(false);
  });

  test('[R-12] with --yes it holds until a file changes, and again until it is taken back', async () => {
    const place = await makeProject(allowAll);
    expect(await acts(place)).toBe(false);
    expect((await trust(place, '--yes')).code).toBe(0);
    expect(await acts(place)).toBe(true);
    expect((await trust(place)).stdout).toContain('is trusted. This acts:');
    put(projectFile(place), { permissions: { allow: ['Bash', 'WebFetch'] } });
    expect(await acts(place)).toBe(false);
    expect((await trust(place)).stdout).toContain('has changed since it was trusted');
    expect((await trust(place, '--list')).stdout).toMatch(new RegExp(`^changed +\\S+ +${place.cwd}\\n$`));
    expect((await trust(place, '--yes')).code).toBe(0);
    expect(await acts(place)).toBe(true);
    put(join(place.cwd, '.mcp.json'), { mcpServers: { evil: { command: 'x' } } });
    expect(await acts(place)).toBe(false);
    rmSync(join(place.cwd, '.mcp.json'));
    expect(await acts(place)).toBe(true);
    expect((await trust(place, '--remove')).stdout).toContain('is no longer trusted');
    expect(await acts(place)).toBe(false);
    expect(await trust(place, '--remove')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was not trusted'),
    });
  });

  test('[R-8] goes by real paths', async () => {
    const place = await makeProject(allowAll);
    const link = join(place.root, 'link');
    symlinkSync(place.cwd, link);
    expect((await trust(place, '--yes', link)).stdout).toContain(`${place.cwd} is not trusted`);
    expect((await trust(place, '--list')).stdout).toContain(place.cwd);
    expect(await acts(place)).toBe(true);
    expect((await trust(place, '--remove', link)).code).toBe(0);
  });

  test('another directory with the same files is another one', async () => {
    const place = await makeProject(allowAll);
    await trust(place, '--yes');
    const other = join(place.root, 'other');
    put(join(other, '.claude', 'settings.json'), allowAll);
    expect(await acts({ ...place, cwd: other })).toBe(false);
  });

  test('a directory that is gone can still be taken off the list', async () => {
    const place = await makeProject(allowAll);
    const gone = join(place.root, 'gone');
    put(join(gone, '.claude', 'settings.json'), allowAll);
    await trust(place, '--yes', gone);
    rmSync(gone, { recursive: true });
    expect((await trust(place, '--list')).stdout).toMatch(/^gone /);
    expect((await trust(place, '--remove', gone)).code).toBe(0);
    expect((await trust(place, '--list')).stdout).toBe('');
  });

  test('what cannot be read is not trusted', async () => {
    const place = await makeProject(allowAll);
    put(projectFile(place), '{oops');
    expect(await trust(place, '--yes')).toMatchObject({ code: 1, stdout: '' });
    expect(existsSync(join(place.home, 'trust.json'))).toBe(false);
  });

  test('where there is nothing to trust it says so', async () => {
    const place = await makePlace();
    expect(await trust(place, '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('no settings') });
    const missing: Finished = await trust(place, 'not-there');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('not a directory: ') });
  });
});
