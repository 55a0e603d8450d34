// What the package exports, read from the sources with the TypeScript compiler.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { withoutRowIds } from './row-ids.mjs';
import { root } from './tree.mjs';

/** Export to source file, as the paths of tsconfig.json have it for our own programs. */
export function entryPoints() {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  return Object.entries(config.compilerOptions.paths).map(([specifier, [file]]) => ({
    specifier,
    file: path.join(root, file),
  }));
}

/** A program of ours, with the options of the project. `virtual`: further files that are only in memory, by path. */
export function createProgram(files, virtual = new Map()) {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => virtual.get(name) ?? readFile.call(host, name);
  host.fileExists = (name) => virtual.has(name) || fileExists.call(host, name);
  host.getSourceFile = (name, language, ...rest) => {
    const text = virtual.get(name);
    return text === undefined
      ? getSourceFile.call(host, name, language, ...rest)
      : ts.createSourceFile(name, text, language);
  };
  return ts.createProgram([...files, ...virtual.keys()], { ...options, noEmit: true }, host);
}

/**
 * One record per export: `{ specifier, about, items: [{ name, of, kind, doc, example, source, text, members }] }`. `of`
 * is the name at the declaration, which differs for aliases; `kind` is class, function, constant or type.
 */
export function readPublicApi() {
  const entries = entryPoints();
  const program = createProgram(entries.map(({ file }) => file));
  return entries.map(({ specifier, file }) => readEntry(program, specifier, file));
}

function readEntry(program, specifier, file) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = checker.getSymbolAtLocation(source);
  const values = checker.getTypeOfSymbol(module);
  const items = checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (!symbol.declarations) throw new Error(`${exported.name} of ${specifier} leads nowhere: see what tsc says`);
    // What is exported with `export type` has no value, whatever it was where it was declared.
    const isValue = !!(symbol.flags & ts.SymbolFlags.Value) && !!checker.getPropertyOfType(values, exported.name);
    const isType = !!(symbol.flags & ts.SymbolFlags.Type);
    return isValue || isType ? [describe(checker, exported, symbol, isValue)] : [];
  });
  return { specifier, about: firstComment(source), items: items.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function describe(checker, exported, symbol, isValue) {
  const declaration = declarationOf(symbol, isValue);
  const tags = symbol.getJsDocTags(checker);
  const own = ts.displayPartsToString(exported.getDocumentationComment(checker));
  return {
    name: exported.name,
    of: symbol.name,
    kind: kindOf(symbol, isValue),
    doc: withoutRowIds(own || ts.displayPartsToString(symbol.getDocumentationComment(checker))),
    example: withoutFence(ts.displayPartsToString(tags.find(({ name }) => name === 'example')?.text)),
    source: path.relative(root, declaration.getSourceFile().fileName).split(path.sep).join('/'),
    text: withoutRowIds(textOf(declaration)),
    members: ts.isClassDeclaration(declaration) ? membersOf(declaration) : [],
  };
}

function declarationOf(symbol, isValue) {
  const { declarations } = symbol;
  const type = declarations.find((each) => ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each));
  return (isValue ? symbol.valueDeclaration : type) ?? declarations[0];
}

function kindOf(symbol, isValue) {
  if (!isValue) return 'type';
  if (symbol.flags & ts.SymbolFlags.Class) return 'class';
  if (symbol.flags & ts.SymbolFlags.Function) return 'function';
  const { initializer } = symbol.valueDeclaration;
  return initializer && ts.isArrowFunction(initializer) ? 'function' : 'constant';
}

/** A declaration as people read it: without the word export, without bodies. */
function textOf(declaration) {
  const text = declaration.getText();
  const body = ts.isFunctionDeclaration(declaration) ? declaration.body : undefined;
  const end = body ? body.getStart() - declaration.getStart() : text.length;
  return text
    .slice(0, end)
    .replace(/^export /, '')
    .trim();
}

/** The public ones: the constructor, methods and properties, each with the text above it. */
function membersOf(declaration) {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Override;
  return declaration.members
    .filter((member) => !(ts.getCombinedModifierFlags(member) & hidden) && !isUnnamed(member))
    .map((member) => ({ doc: docOf(member), text: headOf(member) }));
}

function isUnnamed(member) {
  return member.name !== undefined && (ts.isPrivateIdentifier(member.name) || ts.isComputedPropertyName(member.name));
}

function headOf(member) {
  const start = member.getStart();
  const end = member.body?.getStart() ?? member.initializer?.getFullStart() ?? member.getEnd();
  const head = member.getSourceFile().text.slice(start, end);
  return head.replace(/[\s=;]+$/, '').replaceAll(/\s*\n\s*/g, ' ');
}

function docOf(node) {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const text = comment ? (ts.getTextOfJSDocComment(comment.comment) ?? '') : '';
  return withoutRowIds(text).replaceAll(/\s*\n\s*/g, ' ');
}

/** Examples are written with a fence around them, or without. */
function withoutFence(example) {
  return (example ?? '').replace(/^```\w*\n/, '').replace(/\n?```\s*$/, '');
}

/** What the first lines of an entry say about it. */
function firstComment(source) {
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(fs.readFileSync(source.fileName, 'utf8')) ?? [];
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim();
}
