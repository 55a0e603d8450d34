// Type-checks the examples of the documents and of the comments, so that they stay true.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { createProgram } from './public-api.mjs';
import { root } from './tree.mjs';

/** Documents whose blocks of TypeScript must be whole programs; test/docs runs them. */
const DOCUMENTS = ['', 'docs', 'docs/reference'].flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name)),
);

/** What an example may talk about without saying where it has it from. */
const GIVEN = ['sessionId', 'agentId', 'uuid'];

/** What is wrong with examples, one line each: where it is, and what the compiler says. */
export function brokenSnippets(api) {
  const virtual = new Map();
  const places = new Map();
  const add = (name, place, code) => {
    const file = path.join(root, 'docs', `snippet-${name.replaceAll(/\W+/g, '-')}.ts`);
    virtual.set(file, code);
    places.set(file, place);
  };
  for (const { name, place, code } of exampleSnippets(api)) add(name, place, code);
  for (const { name, place, code } of DOCUMENTS.flatMap(documentSnippets)) add(name, place, code);
  const program = createProgram([], virtual);
  return [...virtual.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    const problems = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return problems.filter(isProblem).map((problem) => `${places.get(file)}: ${textOf(problem)}`);
  });
}

/** Names of the package need no import in an example: the page says where they come from. */
function exampleSnippets(api) {
  const homes = new Map(api.flatMap(({ specifier, items }) => items.map(({ name }) => [name, specifier])).reverse());
  const seen = new Set();
  return api.flatMap(({ specifier, items }) => {
    const own = new Map([...homes, ...items.map(({ name }) => [name, specifier])]);
    return items
      .filter(({ example, source, of }) => example !== '' && !seen.has(source + of) && seen.add(source + of))
      .map(({ name, example, source }) => ({
        name: `${specifier}-${name}`,
        place: `${source}, example of ${name}`,
        code: `${importsFor(example, own)}\n${example}\nexport {};\n`,
      }));
  });
}

function importsFor(code, homes) {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true);
  const used = new Set();
  const declared = new Set();
  const visit = (node) => {
    const { parent } = node;
    if (ts.isIdentifier(node)) {
      const isDeclared = parent.name === node && !ts.isPropertyAccessExpression(parent);
      (isDeclared ? declared : used).add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const free = [...used].filter((name) => !declared.has(name));
  return [
    ...free.filter((name) => homes.has(name)).map((name) => `import { ${name} } from '${homes.get(name)}';`),
    ...free.filter((name) => GIVEN.includes(name)).map((name) => `declare const ${name}: string;`),
  ].join('\n');
}

function documentSnippets(document) {
  const text = fs.readFileSync(path.join(root, document), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ 1: code, index }) => {
    const line = text.slice(0, index).split('\n').length;
    return { name: `${document}-${line}`, place: `${document}:${line}`, code: `${code}\nexport {};\n` };
  });
}

/** Examples may declare what they do not use, and import a type without saying so. */
function isProblem({ code }) {
  const unused = [6133, 6192, 6196, 6198];
  const isTypeOnly = code === 1484;
  return !unused.includes(code) && !isTypeOnly;
}

function textOf({ messageText, file, start }) {
  const message = ts.flattenDiagnosticMessageText(messageText, ' ');
  if (!file || start === undefined) return message;
  const line = file.text.slice(0, start).split('\n').length;
  return `${message} (${file.text.split('\n')[line - 1]?.trim()})`;
}
