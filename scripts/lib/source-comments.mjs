// Reads off the sources of src/wire what people wrote about the definitions: the reference says it in the same words.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutRowIds } from './row-ids.mjs';
import { filesBelow, root } from './tree.mjs';

/**
 * By name of the definition: `{ text, own, members }`, with the same for its fields (or the requests of a table), and in
 * `parts` the names of the schemas that a field is made of. `own`: it is an addition of Heddle's, as the file or a comment `// Heddle's own` above it says.
 */
export function wireComments() {
  const files = filesBelow('src/wire').filter((file) => file.endsWith('.ts'));
  const all = new Map();
  for (const file of files) {
    for (const definition of definitionsIn(readFileSync(join(root, file), 'utf8'), file)) {
      const { name, isExported } = definition;
      all.set(isExported ? name : `${file}:${name}`, definition);
    }
  }
  return new Map([...all].map(([name, definition]) => [name, { ...definition, members: allMembers(definition, all) }]));
}

const DEFINITION = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?(export )?const (\w+) = ([^\n]*;$|[\s\S]*?^[)\]}].*$)/gm;

function definitionsIn(source, file) {
  const own = file.endsWith('/heddle.ts');
  return [...source.matchAll(DEFINITION)].map(([, comment, exported, name, body]) => ({
    name,
    file,
    isExported: exported !== undefined,
    text: plain(comment),
    own,
    members: membersIn(body),
    spreads: [...body.matchAll(/^ {2}\.\.\.(\w+),$/gm)].map(([, spread]) => spread),
  }));
}

/** Its own, and those that it takes over from other objects. */
function allMembers({ file, members, spreads }, all) {
  const taken = spreads.map((name) => all.get(`${file}:${name}`) ?? all.get(name)).filter(Boolean);
  return new Map([...taken.flatMap((other) => [...allMembers(other, all)]), ...members]);
}

function membersIn(body) {
  const members = new Map();
  let comment = [];
  let own = false;
  for (const line of body.split('\n')) {
    const section = /^ {2}\/\/ (.*)$/.exec(line);
    if (section) own = section[1].startsWith("Heddle's own");
    if (/^ {2}(\/\*\*| \*)/.test(line)) comment.push(line);
    const member = /^ {2}'?([\w-]+)'?: (.*)$/.exec(line);
    if (!member) continue;
    const text = plain(comment.join('\n'));
    members.set(member[1], {
      text: text.replace(/^Heddle's own: /, ''),
      own: own || text.startsWith("Heddle's own"),
      parts: [...member[2].matchAll(/\b[A-Z]\w+/g)].map(([part]) => part),
    });
    comment = [];
  }
  return members;
}

/** Without the marks of a comment, and without the numbers of rulings and rows, which are for those who work on it. */
function plain(comment = '') {
  const text = comment
    .replaceAll(/^\s*\/?\*+\/?|\*\/\s*$/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return withoutRowIds(text).replaceAll(/ ?\(docs\/[^)]*\)/g, '');
}
