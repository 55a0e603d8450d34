import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { put } from '../../support/put.ts';
import { type Client, createHouse } from '../support.ts';

const saidBy = (client: Client) => client.of('user').map(({ message }) => (message as { content: string }).content);

test('/memory lists the files in force with whose they are, their length and why; then the rules that wait', async () => {
  const house = createHouse([toolUse('Read', { file_path: 'src/a.ts' }), 'done']);
  const write = (name: string, text: string) => put(join(house.dir, name), text);
  write('../.heddle/CLAUDE.md', 'Mine.');
  write('CLAUDE.md', 'Größe. @more.txt');
  write('more.txt', 'More.');
  write('src/a.ts', 'x');
  write('.claude/rules/ts.md', '---\npaths: "**/*.ts"\n---\nNo any.');
  write('.claude/rules/go.md', '---\npaths: ["**/*.go", go.mod]\n---\nGo.');
  const client = house.connect();
  await client.ask('/memory');
  await client.ask('go');
  await client.ask('/memory');
  const rules = join(house.dir, '.claude/rules');
  const before = [
    'Memory files in force:',
    `  ${join(house.dir, '../.heddle/CLAUDE.md')} (user, 5 bytes, from the start)`,
    `  ${house.dir}/CLAUDE.md (project, 18 bytes, from the start)`,
    `  ${house.dir}/more.txt (project, 5 bytes, imported by ${house.dir}/CLAUDE.md)`,
  ];
  const [first, last] = [saidBy(client).at(0), saidBy(client).at(-1)];
  const inTags = (lines: string[]) => `<local-command-stdout>${lines.join('\n')}</local-command-stdout>`;
  expect(first).toBe(
    inTags([
      ...before,
      'Rules that wait for a file they are for:',
      `  ${rules}/go.md (project, for **/*.go go.mod)`,
      `  ${rules}/ts.md (project, for **/*.ts)`,
    ]),
  );
  expect(last).toBe(
    inTags([
      ...before,
      `  ${rules}/ts.md (project, 7 bytes, for **/*.ts, because of ${house.dir}/src/a.ts)`,
      'Rules that wait for a file they are for:',
      `  ${rules}/go.md (project, for **/*.go go.mod)`,
    ]),
  );
  expect(house.model.requests).toHaveLength(2);
});

test('[K1] /memory says so where there are none, or none are read', async () => {
  const house = createHouse([]);
  const client = house.connect();
  await client.ask('/memory');
  put(join(house.dir, 'CLAUDE.md'), 'x');
  const without = house.connect({ settingSources: [] });
  await without.ask('/memory');
  for (const each of [client, without]) expect(saidBy(each).at(-1)).toContain('>No memory files are in force.<');
});
