// Finds the ids of spec rows in the tests, by parsing them.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { filesBelow, root } from './tree.mjs';

const TEST_FUNCTIONS = new Set(['it', 'test', 'describe', 'suite']);
const BRACKETS = /\[([^[\]]+)\]/g;
const ID = /^[A-Z][A-Z0-9]*-?\d+[a-z]?$/;

/**
 * `titles`: every title of a test or group that names ids, `{ file, title, ids }`.
 * `named`: the ids of tests that run. Here any text in a test file counts, because tables of cases hold titles too;
 * the conformance suites of src/testing are tests as well.
 * `places`: the files in which each of them is named.
 */
export function readTestTitles() {
  const titles = [];
  const places = new Map();
  for (const file of testFiles()) {
    const source = fs.readFileSync(path.join(root, file), 'utf8');
    if (!/\[[A-Z][A-Z0-9]*-?\d/.test(source)) continue; // parsing is what takes the time
    const ast = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
    const visit = (node) => {
      if (isText(node)) {
        const ids = idsIn(textOf(node));
        const call = titleCall(node);
        if (call && ids.length > 0) titles.push({ file, title: textOf(node), ids });
        if (!call || !isSkipped(call)) for (const id of ids) places.set(id, (places.get(id) ?? new Set()).add(file));
      }
      ts.forEachChild(node, visit);
    };
    visit(ast);
  }
  return { titles, named: new Set(places.keys()), places };
}

function testFiles() {
  const isTest = (file) => /\.test(-d)?\.ts$/.test(file);
  const isSuite = (file) => file.endsWith('-suite.ts');
  return [
    ...filesBelow('test').filter((file) => isTest(file) || isSuite(file)),
    ...filesBelow('src/testing').filter(isSuite),
  ];
}

function isText(node) {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
}

function textOf(node) {
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : node.text;
}

/** The ids in the brackets of a title. */
export function idsIn(text) {
  return [...text.matchAll(BRACKETS)].flatMap(([, inside]) => inside.split(/[\s,]+/)).filter((word) => ID.test(word));
}

/** The call that a text is the title of: `test('…')`, `it.each(cases)('…')`; undefined for any other text. */
function titleCall(node) {
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return undefined;
  return TEST_FUNCTIONS.has(calleeWords(call)[0]) ? call : undefined;
}

function isSkipped(call) {
  return calleeWords(call).some((word) => word === 'skip' || word === 'todo');
}

/** `it.skip.each(cases)` → ['it', 'skip', 'each'] */
function calleeWords(call) {
  const words = [];
  let node = call.expression;
  for (;;) {
    if (ts.isPropertyAccessExpression(node)) words.unshift(node.name.text);
    else if (ts.isIdentifier(node)) return [node.text, ...words];
    else if (!ts.isCallExpression(node) && !ts.isTaggedTemplateExpression(node)) return words;
    node = ts.isTaggedTemplateExpression(node) ? node.tag : node.expression;
  }
}
