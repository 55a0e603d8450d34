import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import ts from 'typescript';
import { ROOT } from './root.ts';

export interface SourceFile {
  /** Relative to the root, with forward slashes: `src/wire/link/peer.ts`. */
  path: string;
  /** The first folder below src: `wire`. */
  folder: string;
  text: string;
  ast: ts.SourceFile;
}

export interface Import {
  /** As written. */
  specifier: string;
  /** The file it means, relative to the root, when it is one of ours. */
  target: string | null;
  kind: 'value' | 'type' | 'dynamic';
  line: number;
}

/** Every TypeScript file below src, parsed. */
export function sourceFiles(): SourceFile[] {
  return filesBelow('src')
    .filter((path) => path.endsWith('.ts') || path.endsWith('.tsx'))
    .map((path) => parseFile(path));
}

/** One file, parsed; its text may be handed in. */
export function parseFile(path: string, text = readFileSync(join(ROOT, path), 'utf8')): SourceFile {
  const folder = path.split('/')[1] ?? '';
  return { path, folder, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/** Files below a folder of the repository, relative to the root, with forward slashes; none if it is absent. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => slashed(relative(ROOT, join(entry.parentPath, entry.name))))
    .sort();
}

/** Everything a file imports or re-exports, statically, by `import()` or in a type by `import('…')`. */
export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: string, kind: Import['kind']) =>
    found.push({ specifier, target: targetOf(file, specifier), kind, line: lineOf(file, node) });

  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node, node.moduleSpecifier.text, isTypeImport(node.importClause) ? 'type' : 'value');
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node, node.moduleSpecifier.text, node.isTypeOnly ? 'type' : 'value');
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteral(specifier)) add(node, specifier.text, 'dynamic');
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) add(node, node.argument.literal.text, 'type');
    }
    ts.forEachChild(node, visit);
  };
  visit(file.ast);
  return found;
}

/** 1-based. */
export function lineOf(file: SourceFile, node: ts.Node): number {
  return file.ast.getLineAndCharacterOfPosition(node.getStart(file.ast)).line + 1;
}

/** `import { type A }` still loads the module (verbatimModuleSyntax); only `import type` does not. */
function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  return clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

function targetOf(file: SourceFile, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return slashed(normalize(join(dirname(file.path), specifier)));
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
