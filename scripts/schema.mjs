// Writes the JSON Schema of every line of the wire into schema/. With --check it only says what differs.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSources } from './lib/load-sources.mjs';
import { root } from './lib/tree.mjs';

const target = join(root, 'schema');

const wire = await loadSources(`export * from './src/wire/index.ts'; export * as z from 'zod/mini';`);
const files = documents(wire);
if (process.argv.includes('--check')) await check(files);
else await write(files);

/** File name to text. A document accepts its `lines`; `parts` are definitions to refer to. */
function documents(wire) {
  const { hostRequests, cliRequests } = wire;
  const permissionParts = ['PermissionMode', 'PermissionRuleValue', 'PermissionUpdate', 'PermissionResult'];
  return new Map(
    [
      {
        name: 'messages',
        title: 'Lines that the agent prints, and user messages that it reads',
        lines: [...new Set(Object.values(wire.messageSchemas)), wire.UserInput],
      },
      {
        name: 'control',
        title: 'Control lines, in both directions',
        lines: Object.values(wire.controlFrames),
        parts: { ...exchangeParts('Host', hostRequests), ...exchangeParts('Cli', cliRequests) },
      },
      {
        name: 'entries',
        title: 'Lines of a session file; other kinds of entry are allowed',
        lines: [...Object.values(wire.entrySchemas)],
      },
      {
        name: 'hooks',
        title: 'What hooks are told, and what they may answer',
        lines: [wire.HookInput, wire.HookOutput],
        parts: Object.fromEntries(Object.entries(wire.hookInputs).map(([name, s]) => [`${name}HookInput`, s])),
      },
      {
        name: 'permissions',
        title: 'Permission rules and decisions',
        lines: permissionParts.map((name) => wire[name]),
      },
    ].map((document) => [`${document.name}.json`, render(wire, document)]),
  );
}

function exchangeParts(asker, table) {
  return Object.fromEntries(
    Object.entries(table).flatMap(([subtype, { request, response }]) => [
      [`${asker}Request.${subtype}`, request],
      [`${asker}Response.${subtype}`, response],
    ]),
  );
}

function render(wire, { title, lines, parts = {} }) {
  const { z } = wire;
  const metadata = z.registry();
  for (const [id, schema] of Object.entries({ ...wire, ...parts })) {
    if (schema?._zod && !metadata.has(schema)) metadata.add(schema, { id });
  }
  const all = z.union([...lines, ...Object.values(parts)]);
  const { $schema, $defs, anyOf } = z.toJSONSchema(all, { metadata, io: 'input' });
  // A part that is known under another name is told by a reference to it.
  for (const [index, id] of Object.keys(parts).entries()) $defs[id] ??= anyOf[lines.length + index];
  const head = { $schema, title, anyOf: anyOf.slice(0, lines.length) };
  // One line for each definition: differences stay readable, and the package stays small.
  return `{\n${membersOf(head)},\n"$defs":{\n${membersOf(sorted($defs))}\n}\n}\n`;
}

/** The members of an object as JSON, one on each line. */
function membersOf(object) {
  return Object.entries(object)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(',\n');
}

function sorted(object) {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function write(files) {
  await mkdir(target, { recursive: true });
  for (const [name, text] of files) await writeFile(join(target, name), text);
  console.log(`wrote ${[...files.keys()].map((name) => `schema/${name}`).join(', ')}`);
}

async function check(files) {
  const stale = [];
  for (const [name, text] of files) {
    const current = await readFile(join(target, name), 'utf8').catch(() => undefined);
    if (current !== text)
      stale.push(`schema/${name} ${current === undefined ? 'is missing' : 'differs from src/wire'}`);
  }
  if (stale.length === 0) return console.log('schema/ is up to date');
  console.error(`${stale.join('\n')}\nRun \`node scripts/schema.mjs\` and commit the result.`);
  process.exitCode = 1;
}
