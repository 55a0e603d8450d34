import ts from 'typescript';
import type { Finding } from './exceptions.ts';
import { fileOf, nameOf, nodesOf, type Program, placeOf } from './program.ts';
import { hostTypeName, SERVICES, SESSION_WIDE } from './session-wide.ts';
import { holdersOf } from './used-members.ts';

/** Folders whose types stay small. */
const SMALL_TYPES = /^src\/(host|agent|tools)\//;
/** The rooms that make and own the services of a session. */
const OWNERS = /^src\/host\/(thread|session|control)\//;

/** Interfaces, object types and classes with more members than one can know. Private members do not count. */
export function crowdedTypes(program: Program, limit: number): Finding[] {
  return nodesIn(program, isTypeWithMembers).flatMap((node): Finding[] => {
    const amount = SMALL_TYPES.test(fileOf(node)) ? membersOf(program, node).length : 0;
    if (amount <= limit) return [];
    const text = `${placeOf(node)} ${nameOf(node)} has ${amount} members: group them, one owner for each group`;
    return [{ key: `${fileOf(node)} ${nameOf(node)}`, amount, text }];
  });
}

/** Parameters and fields through which a session, a thread or the services are asked for when they exist. */
export function lateGetters(program: Program): Finding[] {
  return nodesIn(program, isParameterOrField).flatMap((node): Finding[] => {
    const signatures = program.checker.getTypeAtLocation(node).getNonNullableType().getCallSignatures();
    const name = signatures.map((each) => hostTypeName(each.getReturnType(), SESSION_WIDE)).find((each) => each);
    if (!name) return [];
    const own = node.name.getText();
    const owner = nameOf(node.parent);
    const text = `${placeOf(node)} ${own} of ${owner} is a function that returns ${name}: make ${owner} when the ${name} exists, and hand over what is needed of it`;
    return [{ key: `${fileOf(node)} ${owner} ${own}`, text }];
  });
}

/** `{ ...x }` where x is an instance of a class, or the services of a session: a copy that goes stale. */
export function spreadInstances(program: Program): Finding[] {
  return nodesIn(program, ts.isSpreadAssignment).flatMap((node): Finding[] => {
    const isEdge = fileOf(node).startsWith('src/cli/');
    const name = isEdge ? null : instanceName(program.checker.getTypeAtLocation(node.expression));
    if (!name) return [];
    const text = `${placeOf(node)} spreads ${name}: hand on the object itself, or name the fields that are needed`;
    return [{ key: `${fileOf(node)} ${name}`, text }];
  });
}

/** Functions and classes that take all services of a session and use fewer of them than a number. */
export function wholeServices(program: Program, enough: number): Finding[] {
  return holdersOf(program).flatMap(({ file, place, owner, type, members, isField }): Finding[] => {
    if (OWNERS.test(file) || !members || members.size >= enough) return [];
    const used = [...members].sort().join(', ') || 'nothing';
    const text = `${place} ${owner} ${isField ? 'keeps' : 'takes'} a whole ${type} and uses ${used}: take only that`;
    return [{ key: `${file} ${owner}`, text }];
  });
}

function nodesIn<T extends ts.Node>({ sources }: Program, isWanted: (node: ts.Node) => node is T): T[] {
  return sources.flatMap((source) => nodesOf(source, isWanted));
}

function isTypeWithMembers(
  node: ts.Node,
): node is ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeAliasDeclaration {
  if (ts.isTypeAliasDeclaration(node)) return ts.isTypeLiteralNode(node.type);
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node);
}

/** What users of the type see: inherited members, too, but not those that come with the language. */
function membersOf({ checker }: Program, node: ts.Declaration): ts.Symbol[] {
  return checker
    .getTypeAtLocation(node)
    .getProperties()
    .filter(({ declarations: [declaration] = [] }) => {
      if (!declaration || !fileOf(declaration).startsWith('src/')) return false;
      const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
      const name = ts.getNameOfDeclaration(declaration);
      return !(ts.getCombinedModifierFlags(declaration) & hidden) && !(name && ts.isPrivateIdentifier(name));
    });
}

function isParameterOrField(
  node: ts.Node,
): node is ts.ParameterDeclaration | ts.PropertyDeclaration | ts.PropertySignature {
  return ts.isParameter(node) || ts.isPropertyDeclaration(node) || ts.isPropertySignature(node);
}

function instanceName(type: ts.Type): string | null {
  const parts = type.isUnion() ? type.types : [type];
  const instance = parts.find(({ symbol }) => symbol && symbol.flags & ts.SymbolFlags.Class);
  return instance?.symbol.name ?? hostTypeName(type, SERVICES);
}
