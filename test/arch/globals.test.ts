import ts from 'typescript';
import { expect, test } from 'vitest';
import { lineOf, type SourceFile, sourceFiles } from '../support/source-tree.ts';

/** The edge of the program: here the process, the console and state of the module are at home. */
const EDGE = /^src\/(cli|tui)\/|^src\/host\/stdio|^src\/sdk\/subprocess/;

/** What process control may read or do although it is not at the edge: nothing that belongs to one session. */
const PROCESS_CONTROL = /^src\/util\/process/;
const PROCESS_CONTROL_MEMBERS = new Set(['kill', 'platform', 'pid', 'getuid', 'emitWarning', 'cpuUsage']);

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']);
const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);
const MUTATORS = new Set([
  'set',
  'add',
  'delete',
  'clear',
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
]);

const inner = sourceFiles().filter((file) => !EDGE.test(file.path));

test('only the edge touches the process and the console', () => {
  expect(inner.flatMap(globalUses)).toEqual([]);
});

test('no module starts a timer when it is loaded', () => {
  const found = inner.flatMap((file) =>
    moduleLevelNodes(file)
      .filter((node) => ts.isCallExpression(node) && TIMERS.has(node.expression.getText()))
      .map((node) => at(file, node, 'starts a timer when the module is loaded')),
  );
  expect(found).toEqual([]);
});

test('no module keeps mutable state', () => {
  expect(inner.flatMap((file) => [...mutableVariables(file), ...mutableStatics(file)])).toEqual([]);
});

function globalUses(file: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    if (ts.isImportDeclaration(node) && /^(node:)?(process|console)$/.test(literal(node.moduleSpecifier))) {
      found.push(at(file, node, `imports ${node.moduleSpecifier.getText()}: have cwd, env and logger handed in`));
    }
    if (ts.isIdentifier(node) && isGlobalReference(node) && !isAllowedProcessUse(file, node)) {
      found.push(at(file, node, `uses ${node.parent.getText().split('\n')[0]}: have cwd, env and logger handed in`));
    }
    ts.forEachChild(node, visit);
  };
  visit(file.ast);
  return found;
}

/** True for the identifier `process` or `console` when it means the global, also as `globalThis.process`. */
function isGlobalReference(node: ts.Identifier): boolean {
  if (node.text !== 'process' && node.text !== 'console') return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return parent.expression.getText() === 'globalThis';
  if (isNameOfSomething(node)) return false;
  return !isShadowed(node);
}

/** A property key, a declared name, a label: written like the global, but not a reference to it. */
function isNameOfSomething(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return false;
  return (
    ('name' in parent && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node) ||
    (ts.isImportSpecifier(parent) && parent.propertyName === node) ||
    ts.isExportSpecifier(parent)
  );
}

function isShadowed(node: ts.Identifier): boolean {
  for (let scope: ts.Node | undefined = node.parent; scope; scope = scope.parent) {
    if (declaredIn(scope).has(node.text)) return true;
  }
  return false;
}

/** The names that a function's parameters or a block's own statements bind. */
function declaredIn(scope: ts.Node): Set<string> {
  const names = new Set<string>();
  const bind = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) names.add(name.text);
    else for (const element of name.elements) if (!ts.isOmittedExpression(element)) bind(element.name);
  };
  if (ts.isFunctionLike(scope)) for (const parameter of scope.parameters) bind(parameter.name);
  if (ts.isForOfStatement(scope) || ts.isForInStatement(scope) || ts.isForStatement(scope)) {
    const { initializer } = scope;
    if (initializer && ts.isVariableDeclarationList(initializer))
      for (const { name } of initializer.declarations) bind(name);
  }
  if (ts.isBlock(scope) || ts.isSourceFile(scope)) {
    for (const statement of scope.statements) {
      if (ts.isVariableStatement(statement)) for (const { name } of statement.declarationList.declarations) bind(name);
      if (ts.isFunctionDeclaration(statement) && statement.name) bind(statement.name);
    }
  }
  return names;
}

function isAllowedProcessUse(file: SourceFile, node: ts.Identifier): boolean {
  const { parent } = node;
  if (node.text !== 'process' || !PROCESS_CONTROL.test(file.path) || !ts.isPropertyAccessExpression(parent))
    return false;
  return parent.expression === node && PROCESS_CONTROL_MEMBERS.has(parent.name.text);
}

function mutableVariables(file: SourceFile): string[] {
  return file.ast.statements.filter(ts.isVariableStatement).flatMap((statement) => {
    const { declarationList } = statement;
    if (!(declarationList.flags & ts.NodeFlags.Const)) return [at(file, statement, 'let or var at module level')];
    return declarationList.declarations
      .filter((each) => isMutable(file, each))
      .map((each) =>
        at(file, each, `${each.name.getText()} is state of the module: keep it in an object that is handed on`),
      );
  });
}

/** A constant that is filled or changed later. A table that is written once, in place, is plain data. */
function isMutable(file: SourceFile, { name, initializer }: ts.VariableDeclaration): boolean {
  if (!initializer || !ts.isIdentifier(name)) return false;
  const isCollection = ts.isNewExpression(initializer) && COLLECTIONS.has(initializer.expression.getText());
  if (isCollection && !initializer.arguments?.length) return true;
  const isLiteral = ts.isArrayLiteralExpression(initializer) || ts.isObjectLiteralExpression(initializer);
  return (isCollection || isLiteral) && isChanged(file, name.text);
}

function isChanged(file: SourceFile, name: string): boolean {
  let changed = false;
  const isMember = (node: ts.Node): node is ts.PropertyAccessExpression | ts.ElementAccessExpression =>
    (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) && node.expression.getText() === name;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      if (isMember(node.expression) && MUTATORS.has(node.expression.name.text)) changed = true;
    }
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind) && isMember(node.left)) changed = true;
    if (ts.isDeleteExpression(node) && isMember(node.expression)) changed = true;
    ts.forEachChild(node, visit);
  };
  visit(file.ast);
  return changed;
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** Static fields that are not readonly are module state in disguise. */
function mutableStatics(file: SourceFile): string[] {
  return file.ast.statements.filter(ts.isClassDeclaration).flatMap((each) =>
    each.members
      .filter(ts.isPropertyDeclaration)
      .filter((member) => {
        const flags = ts.getCombinedModifierFlags(member);
        return flags & ts.ModifierFlags.Static && !(flags & ts.ModifierFlags.Readonly);
      })
      .map((member) => at(file, member, 'static field that is not readonly')),
  );
}

/** What runs when the module is loaded: everything outside of functions. */
function moduleLevelNodes(file: SourceFile): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file.ast);
  return nodes;
}

function literal(node: ts.Expression): string {
  return ts.isStringLiteral(node) ? node.text : '';
}

function at(file: SourceFile, node: ts.Node, what: string): string {
  return `${file.path}:${lineOf(file, node)} ${what}`;
}
