import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { builtinTools } from '../../src/tools/builtin-tools.ts';
import { taskTools } from '../../src/tools/task-list/task-tools.ts';
import { todoTool } from '../../src/tools/task-list/todo.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { createToolSearchTool } from '../../src/tools/tool-search.ts';
import { askUserTool } from '../../src/tools/user/ask-user.ts';
import { createWebFetchTool } from '../../src/tools/web/web-fetch.ts';
import { webSearchTool } from '../../src/tools/web/web-search.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { ROOT } from '../support/root.ts';

const tools: Tool[] = [
  ...builtinTools({
    isReadOnly: () => false,
    askUser: askUserTool as Tool,
    webFetch: createWebFetchTool({ proxyFor: () => null, proxyAuthorization: () => undefined }) as Tool,
    webSearch: webSearchTool as Tool,
    tasks: taskTools,
  }),
  todoTool as Tool,
  createToolSearchTool({ tools: [], load: () => {} }) as Tool,
];

const file = join(ROOT, 'src/wire/tools/sdk-tools.ts');
const program = ts.createProgram([file], { strict: true, noEmit: true, allowImportingTsExtensions: true, types: [] });
const checker = program.getTypeChecker();

describe('[TYP-22, B-248] heddle/sdk-tools', () => {
  test('[B-029, B-227] has the input and the output of every tool, and no others', () => {
    const names = tools.map(({ name }) => name).sort();
    expect([...members('ToolInputs').keys()].sort()).toEqual(names);
    expect([...members('ToolOutputs').keys()].sort()).toEqual(names);
  });

  test.each(tools.map((tool) => [tool.name, tool] as const))('%s: the type says what the schema says', (name, tool) => {
    const type = members('ToolInputs').get(name);
    expect(type && shapeOfType(type)).toEqual(shapeOfSchema(tool.input.json));
  });
});

function members(name: string): Map<string, ts.Type> {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = checker.getExportsOfModule(module as ts.Symbol).find((each) => each.name === name);
  const type = checker.getDeclaredTypeOfSymbol(symbol as ts.Symbol);
  return new Map(type.getProperties().map((property) => [property.name, checker.getTypeOfSymbol(property)]));
}

/** What types and schemas can both say: fields and whether they may be absent, lists, records, words. */
type Shape = string | Shape[] | { words: string[] } | { list: Shape } | { record: Shape } | { fields: object };

function shapeOfType(type: ts.Type): Shape {
  if (type.flags & ts.TypeFlags.Unknown) return 'anything';
  const plain = checker.getNonNullableType(type);
  if (plain.flags & ts.TypeFlags.StringLike && !plain.isStringLiteral()) return 'string';
  if (plain.flags & ts.TypeFlags.NumberLike) return 'number';
  if (plain.flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (plain.isUnion()) return { words: plain.types.map((each) => (each as ts.StringLiteralType).value).sort() };
  const element = checker.isArrayType(plain) ? checker.getTypeArguments(plain as ts.TypeReference)[0] : undefined;
  if (element) return { list: shapeOfType(element) };
  const others = plain.getStringIndexType();
  const fields = plain.getProperties();
  if (others && fields.length === 0 && !(others.flags & ts.TypeFlags.Never)) return { record: shapeOfType(others) };
  const shapes = fields.map((field) => {
    const mark = field.flags & ts.SymbolFlags.Optional ? '?' : '';
    return [field.name + mark, shapeOfType(checker.getTypeOfSymbol(field))];
  });
  return { fields: { ...Object.fromEntries(shapes), ...(others?.flags === ts.TypeFlags.Unknown && { '…': true }) } };
}

function shapeOfSchema(schema: JsonObject): Shape {
  if (Array.isArray(schema.enum)) return { words: [...schema.enum].sort() };
  if (schema.type === 'array') return { list: shapeOfSchema(schema.items as JsonObject) };
  if (schema.type === 'integer') return 'number';
  if (schema.type !== 'object') return typeof schema.type === 'string' ? schema.type : 'anything';
  if (!schema.properties) return { record: shapeOfSchema(schema.additionalProperties as JsonObject) };
  const required = (schema.required ?? []) as string[];
  const shapes = Object.entries(schema.properties).map(([name, field]) => {
    return [required.includes(name) ? name : `${name}?`, shapeOfSchema(field as JsonObject)];
  });
  return { fields: { ...Object.fromEntries(shapes), ...(schema.additionalProperties === true && { '…': true }) } };
}
