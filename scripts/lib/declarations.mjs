// The declarations that are published: what tsc makes of the sources, with what people wrote about the fields of messages,
// which tsc does not carry over from the schemas, without the numbers of rulings, and with `| undefined` where something
// may be left out.
import fs from 'node:fs';
import path from 'node:path';
import { withMaybeUndefined } from './maybe-undefined.mjs';
import { withoutRowIds } from './row-ids.mjs';
import { wireComments } from './source-comments.mjs';
import { root } from './tree.mjs';

/** Writes what is published of the declarations in `from` into `to`; files that are no more go, others are touched only when they change. */
export function publishDeclarations(from, to) {
  const comments = wireComments();
  const wanted = reachable(from);
  for (const file of wanted) {
    const text = fs.readFileSync(path.join(from, file), 'utf8');
    const told = withoutRowIds(withFieldComments(text, sourceOf(file), comments));
    writeChanged(path.join(to, file), withMaybeUndefined(told));
  }
  if (!fs.existsSync(to)) return;
  for (const entry of fs.readdirSync(to, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name.endsWith('.d.ts') && !wanted.has(path.relative(to, file))) fs.rmSync(file);
  }
}

const SPECIFIER = /(?:\bfrom |\bimport\(|^import )\s*['"](\.[^'"]+)['"]/gm;

/** The declarations that the exports of the package lead to. Nobody can import the others, and the package stays small. */
function reachable(from) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const queue = Object.values(exports).flatMap(({ types }) => types?.replace('./dist/types/', '') ?? []);
  const found = new Set();
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const text = fs.readFileSync(path.join(from, file), 'utf8');
    for (const [, name] of text.matchAll(SPECIFIER)) {
      queue.push(path.join(path.dirname(file), name).replace(/(?:\.d)?\.[jt]s$/, '.d.ts'));
    }
  }
  return found;
}

function sourceOf(file) {
  return `src/${file.replace(/\.d\.ts$/, '.ts')}`;
}

function writeChanged(file, text) {
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

const DEFINITION = /^(?:export )?declare const (\w+): .*Schema<\{$/;
const FIELD = /^( {4,})(\w+)\??: (.*)$/;

/**
 * Puts a comment above each field of a schema that has one in the sources. `comments` is what `wireComments` has found; a
 * field whose schema has a name of its own brings the comments of that one for the fields inside.
 */
export function withFieldComments(text, source, comments) {
  const find = (name) => comments.get(name) ?? comments.get(`${source}:${name}`);
  /** What is known of the fields at each depth of the definition that is being written. */
  let open = [];
  const out = [];
  for (const line of text.split('\n')) {
    const [, name] = DEFINITION.exec(line) ?? [];
    if (name !== undefined) open = [find(name)?.members];
    else if (/^\S/.test(line)) open = [];
    const [, indent = '', field, type = ''] = FIELD.exec(line) ?? [];
    const depth = indent.length / 4 - 1;
    if (field !== undefined && depth < open.length) {
      open.length = depth + 1;
      const known = open[depth]?.get(field);
      if (known?.text) out.push(`${indent}/** ${known.text.replaceAll('*/', '* /')} */`);
      if (/\{$/.test(type)) open.push(known?.parts.map(find).find(Boolean)?.members);
    }
    out.push(line);
  }
  return out.join('\n');
}
