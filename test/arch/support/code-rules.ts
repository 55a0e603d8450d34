import ts from 'typescript';
import { importsOf, lineOf, type SourceFile } from '../../support/source-tree.ts';
import type { Finding } from './exceptions.ts';
import { nameOf, nodesOf } from './program.ts';

/** Objects that a caller writes once, in place, and hands over. */
const OPTIONS = /(Options|Spec)$/;

/** Functions with more lines than a reader can hold. */
export function longFunctions(files: readonly SourceFile[], limit: number): Finding[] {
  return files.flatMap((file) =>
    nodesOf(file.ast, ts.isFunctionLike).flatMap((node): Finding[] => {
      const first = lineOf(file, node);
      const lines = file.ast.getLineAndCharacterOfPosition(node.end).line + 1 - first + 1;
      if (lines <= limit) return [];
      const name = nameOf(node);
      const text = `${file.path}:${first} ${name} has ${lines} lines: cut it into functions that have a name each`;
      return [{ key: `${file.path} ${name}`, amount: lines, text }];
    }),
  );
}

/** `onX: (…) => …` of an interface, an object type or a class, which a second owner could take over by assigning it. */
export function callbackSlots(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) =>
    nodesOf(file.ast, isCallbackSlot).map((slot) => {
      const name = `${nameOf(slot.parent)}.${slot.name.getText()}`;
      const text = `${file.path}:${lineOf(file, slot)} ${name} can be assigned: make it readonly, or let any number of listeners register`;
      return { key: `${file.path} ${name}`, text };
    }),
  );
}

/** `as unknown as T` where T is, or holds, a type of src/host: a fake of which the compiler no longer checks a thing. */
export function forcedCasts(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => {
    const ofHost = namesFromHost(file);
    return nodesOf(file.ast, isForcedCast).flatMap(({ type }): Finding[] => {
      const name = nodesOf(type, ts.isIdentifier).find(({ text }) => ofHost.has(text))?.text;
      if (!name) return [];
      const text = `${file.path}:${lineOf(file, type)} writes \`as unknown as ${name}\`: build a real one, or let the function under test take less`;
      return [{ key: `${file.path} ${name}`, text }];
    });
  });
}

function isCallbackSlot(node: ts.Node): node is ts.PropertySignature | ts.PropertyDeclaration {
  if (!ts.isPropertySignature(node) && !ts.isPropertyDeclaration(node)) return false;
  if (!/^on[A-Z]/.test(node.name.getText()) || !isFunctionType(node)) return false;
  const isFixed = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword);
  const isArgument = ts.isTypeLiteralNode(node.parent) && ts.isParameter(node.parent.parent);
  return !isFixed && !isArgument && !OPTIONS.test(nameOf(node.parent));
}

/** A function, or a type that has a name: by convention only callbacks are called `onX`. */
function isFunctionType({ type }: ts.PropertySignature | ts.PropertyDeclaration): boolean {
  if (!type) return true;
  return nodesOf(type, ts.isFunctionTypeNode).length > 0 || nodesOf(type, ts.isTypeReferenceNode).length > 0;
}

function isForcedCast(node: ts.Node): node is ts.AsExpression {
  if (!ts.isAsExpression(node)) return false;
  let inner = node.expression;
  while (ts.isParenthesizedExpression(inner)) inner = inner.expression;
  return ts.isAsExpression(inner) && inner.type.kind === ts.SyntaxKind.UnknownKeyword;
}

/** What a file imports from src/host, by its local name. */
function namesFromHost(file: SourceFile): Set<string> {
  const specifiers = new Set(
    importsOf(file)
      .filter(({ target }) => target?.startsWith('src/host/'))
      .map(({ specifier }) => specifier),
  );
  const declarations = file.ast.statements
    .filter(ts.isImportDeclaration)
    .filter(({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && specifiers.has(moduleSpecifier.text));
  return new Set(declarations.flatMap((each) => nodesOf(each, ts.isImportSpecifier)).map(({ name }) => name.text));
}
