import { join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../support/root.ts';

export interface Program {
  checker: ts.TypeChecker;
  /** The files of src. */
  sources: readonly ts.SourceFile[];
}

/** Types of everything in src. Takes ten seconds: make one for all rules that need types. */
export function createProgram(): Program {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  return programOf(ts.createProgram(fileNames.filter(isSource), options));
}

/** Types of files that are not on disk: `{ 'src/host/a.ts': 'export …' }`. They know nothing of the language's library. */
export function programOfTexts(texts: Readonly<Record<string, string>>): Program {
  const options: ts.CompilerOptions = {
    strict: true,
    noLib: true,
    types: [],
    target: ts.ScriptTarget.Latest,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options, true);
  const textOf = (name: string) => texts[pathOf(name)];
  const program = ts.createProgram(
    Object.keys(texts).map((path) => join(ROOT, path)),
    options,
    {
      ...host,
      directoryExists: () => true,
      fileExists: (name) => textOf(name) !== undefined,
      readFile: textOf,
      getSourceFile: (name) => ts.createSourceFile(name, textOf(name) ?? '', ts.ScriptTarget.Latest, true),
    },
  );
  return programOf(program);
}

function programOf(program: ts.Program): Program {
  const sources = program.getSourceFiles().filter(({ fileName }) => isSource(fileName));
  return { checker: program.getTypeChecker(), sources };
}

function isSource(fileName: string): boolean {
  return pathOf(fileName).startsWith('src/');
}

/** Relative to the root, with forward slashes: `src/wire/peer.ts`. */
export function pathOf(fileName: string): string {
  return relative(ROOT, fileName).replaceAll('\\', '/');
}

/** `src/wire/peer.ts:12`. */
export function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  return `${pathOf(source.fileName)}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
}

export function fileOf(node: ts.Node): string {
  return pathOf(node.getSourceFile().fileName);
}

/** Every node of a file that is of a kind. */
export function nodesOf<T extends ts.Node>(source: ts.Node, isWanted: (node: ts.Node) => node is T): T[] {
  const found: T[] = [];
  const visit = (node: ts.Node): void => {
    if (isWanted(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What a function, class or interface is called, also where only the variable or property that holds it has a name. */
export function nameOf(node: ts.Node): string {
  if (ts.isConstructorDeclaration(node)) return `${nameOf(node.parent)}.constructor`;
  const own = ts.getNameOfDeclaration(node as ts.Declaration);
  if (own) {
    const inType = ts.isClassLike(node.parent) || ts.isInterfaceDeclaration(node.parent);
    return inType ? `${nameOf(node.parent)}.${own.getText()}` : own.getText();
  }
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))
    return parent.name.getText();
  const around = ts.findAncestor(parent, (each) => ts.isFunctionLike(each) || ts.isVariableDeclaration(each));
  return around ? `${nameOf(around)} (inner)` : '(anonymous)';
}
