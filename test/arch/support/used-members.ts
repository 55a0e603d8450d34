import ts from 'typescript';
import { fileOf, nameOf, nodesOf, type Program, placeOf } from './program.ts';
import { hostTypeName, SERVICES } from './session-wide.ts';

/** A parameter or a field of a class that holds the services of a session, a thread, or what has taken their place. */
export interface Holder {
  /** `src/host/a.ts:12`. */
  place: string;
  file: string;
  /** The function or class. */
  owner: string;
  type: string;
  /** The members it reads, itself or through what it calls with the whole; null where nobody can tell. */
  members: ReadonlySet<string> | null;
  isField: boolean;
}

type Declared = ts.ParameterDeclaration | ts.PropertyDeclaration;

interface Uses {
  members: Set<string>;
  /** Parameters and fields that get the whole. */
  handedTo: Set<ts.Node>;
  /** It is put where its uses cannot be followed: into an object, a list, a function that is a value. */
  isLost: boolean;
}

/** What every function and class does with the whole that it is handed, followed through calls. */
export function holdersOf({ checker, sources }: Program): Holder[] {
  const uses = new Map<ts.Node, Uses>();
  for (const node of sources.flatMap((source) => nodesOf(source, isDeclared))) {
    if (!hostTypeName(checker.getTypeAtLocation(node), SERVICES)) continue;
    const own: Uses = { members: new Set(), handedTo: new Set(), isLost: false };
    if (ts.isObjectBindingPattern(node.name)) noteBinding(node.name, own);
    uses.set(node, own);
  }
  for (const name of sources.flatMap((source) => nodesOf(source, isName))) {
    const declaration = symbolOf(checker, name)?.valueDeclaration;
    const own = declaration && uses.get(declaration);
    if (own) note(checker, name, own);
  }
  return [...(uses.keys() as MapIterator<Declared>)].map((node) => ({
    place: placeOf(node),
    file: fileOf(node),
    owner: nameOf(node.parent),
    type: hostTypeName(checker.getTypeAtLocation(node), SERVICES) ?? '',
    members: membersOf(node, uses),
    isField: ts.isPropertyDeclaration(node),
  }));
}

/** Only where the type is written down, and parameters only of functions with a body: others take what a table hands them. */
function isDeclared(node: ts.Node): node is Declared {
  if (!ts.isPropertyDeclaration(node) && !ts.isParameter(node)) return false;
  return !!node.type && (ts.isPropertyDeclaration(node) || 'body' in node.parent);
}

function isName(node: ts.Node): node is ts.Identifier | ts.PrivateIdentifier {
  return ts.isIdentifier(node) || ts.isPrivateIdentifier(node);
}

function symbolOf(checker: ts.TypeChecker, node: ts.Identifier | ts.PrivateIdentifier): ts.Symbol | undefined {
  if (ts.isShorthandPropertyAssignment(node.parent)) return checker.getShorthandAssignmentValueSymbol(node.parent);
  return checker.getSymbolAtLocation(node);
}

/** Notes what one occurrence of a holder's name does with it. */
function note(checker: ts.TypeChecker, name: ts.Node, uses: Uses): void {
  const { parent } = name;
  if (isDeclared(parent) && parent.name === name) return;
  // `this.#parts` is the field as a whole, like `parts`; `parts.tools` is a member of it.
  const isWhole = ts.isPropertyAccessExpression(parent) && parent.name === name;
  if (isWhole || ts.isParenthesizedExpression(parent) || ts.isNonNullExpression(parent)) note(checker, parent, uses);
  else if (ts.isPropertyAccessExpression(parent)) uses.members.add(parent.name.text);
  else if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) noteBinding(parent.name, uses);
  else if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) noteArgument(checker, parent, name, uses);
  else if (isAssignedFrom(parent, name)) hand(checker.getSymbolAtLocation(parent.left)?.valueDeclaration, uses);
  else if (!isAssignedTo(parent, name)) uses.isLost = true;
}

function noteBinding(pattern: ts.ObjectBindingPattern, uses: Uses): void {
  for (const { dotDotDotToken, propertyName, name } of pattern.elements) {
    if (dotDotDotToken) uses.isLost = true;
    else uses.members.add((propertyName ?? name).getText());
  }
}

function noteArgument(
  checker: ts.TypeChecker,
  call: ts.CallExpression | ts.NewExpression,
  argument: ts.Node,
  uses: Uses,
): void {
  const index = call.arguments?.indexOf(argument as ts.Expression) ?? -1;
  hand(checker.getResolvedSignature(call)?.declaration?.parameters[index], uses);
}

function hand(to: ts.Node | undefined, uses: Uses): void {
  if (to) uses.handedTo.add(to);
  else uses.isLost = true;
}

function isAssignedFrom(node: ts.Node, value: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && node.right === value;
}

function isAssignedTo(node: ts.Node, target: ts.Node): boolean {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && node.left === target;
}

/** Its own members and those of everything that it hands the whole to; null if one of them loses it. */
function membersOf(start: ts.Node, uses: ReadonlyMap<ts.Node, Uses>): Set<string> | null {
  const members = new Set<string>();
  const seen = new Set<ts.Node>();
  const queue = [start];
  for (let node = queue.pop(); node; node = queue.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const found = uses.get(node);
    if (!found || found.isLost) return null;
    for (const member of found.members) members.add(member);
    queue.push(...found.handedTo);
  }
  return members;
}
