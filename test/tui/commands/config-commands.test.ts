import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../app/open-terminal.ts';

const provenance = [
  { key: 'model', value: 'opus', scope: 'user', source: '/home/me/.heddle/settings.json' },
  { key: 'permissions.deny', value: 'x'.repeat(99), scope: 'project', source: '/project/.claude/settings.json' },
];
const answers = {
  get_settings: () => ({ provenance, sources: [] }),
  reload_output_styles: () => ({ available_output_styles: ['default', 'Explanatory'] }),
};

async function open() {
  const rig = await openTerminal({ size: { columns: 140, rows: 30 }, answers });
  const requests = () => rig.received.flatMap(({ request }) => (request ? [request as JsonObject] : []));
  return { ...rig, requests };
}

test('/config shows the settings with their files, and changes those of the user', async () => {
  const { terminal, sees, requests } = await open();
  terminal.type('/config\r');
  const shown = await sees(/ {2}model +"opus" +user +\/home\/me\/\.heddle\/settings\.json/);
  expect(shown).toMatch(/ {2}permissions\.deny {2}"x+… {2}project {2}\/project\/\.claude\/settings\.json/);
  const before = requests().filter(({ subtype }) => subtype === 'get_settings').length;
  terminal.type('/config permissions.defaultMode=plan\r');
  await sees('permissions.defaultMode is "plan" in settings.json of the config home.');
  terminal.type('/config prefersReducedMotion = true\r');
  await sees('prefersReducedMotion is true in');
  terminal.type('/config theme=\r');
  await sees('theme is removed from settings.json of the config home.');
  terminal.type('/config theme\r');
  await sees('/config takes KEY=VALUE');
  const changes = requests().filter(({ subtype }) => subtype === 'update_settings');
  expect(changes.map(({ settings, source }) => [source, settings])).toEqual([
    ['userSettings', { permissions: { defaultMode: 'plan' } }],
    ['userSettings', { prefersReducedMotion: true }],
    ['userSettings', { theme: null }],
  ]);
  // What the terminal looks like follows at once.
  await vi.waitFor(() =>
    expect(requests().filter(({ subtype }) => subtype === 'get_settings')).toHaveLength(before + 3),
  );
});

test('/output-style lists the styles, and takes one for this session', async () => {
  const { terminal, sees, requests } = await open();
  terminal.type('/output-style\r');
  await sees(/The output style is default[\s\S]*1 Leave it\n[\s\S]*3 Explanatory/);
  terminal.type('3');
  await sees('The output style is Explanatory from the next turn on, in this session.');
  expect(requests()).toContainEqual({ subtype: 'apply_flag_settings', settings: { outputStyle: 'Explanatory' } });
  terminal.type('/output-style loud\r');
  await sees('there is no output style "loud": default, Explanatory');
});
