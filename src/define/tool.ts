import { kindOf, slipIn } from '../util/checks.ts';
import type { JsonObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import { schemaProblem } from './schema-problem.ts';

/**
 * A tool of the program that uses the agent. Make it with `tool`; pass it to `createSdkMcpServer` or `createEngine`. It
 * has the shape of the reference SDK's tool definitions.
 */
export interface CustomTool {
  name: string;
  description: string;
  inputSchema: ToolSchema;
  handler: ToolHandler<JsonObject>;
  annotations?: ToolAnnotations;
  alwaysLoad?: boolean;
}

/**
 * Runs a call. A throw becomes an error result that the model reads. After the signal aborts, the result is ignored.
 */
export type ToolHandler<Args> = (args: Args, extra: ToolExtra) => HandlerResult | Promise<HandlerResult>;

export interface ToolExtra {
  /** Aborts when the turn is interrupted, or the call takes too long. */
  signal: AbortSignal;
  toolUseId: string;
  /** The following fields are set for tools of MCP servers, as in the MCP SDK. */
  requestId?: string | number;
  _meta?: JsonObject;
  /** For progress: `{ method: 'notifications/progress', params: { progressToken: extra._meta.progressToken, … } }`. */
  sendNotification?: (notification: { method: string; params?: JsonObject }) => Promise<void>;
}

export interface ToolExtras {
  annotations?: ToolAnnotations;
  /** The tool is part of every request, even when there are so many tools that the model must search for others. */
  alwaysLoad?: boolean;
}

/** Hints of the tool about itself, as in MCP. Only `readOnlyHint` has an effect: such calls run concurrently. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export type HandlerResult = string | CallToolResult;

/** A CallToolResult of MCP. */
export interface CallToolResult {
  content?: ToolContent[];
  structuredContent?: JsonObject;
  isError?: boolean;
  [key: string]: unknown;
}

export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text?: string; blob?: string } }
  | { type: 'resource_link'; uri: string; name: string; description?: string };

/** Recognised by its shape, so that no version of zod need be loaded, and any copy works. */
export interface Zod4Schema {
  _zod: { output: unknown };
}
export interface Zod3Schema {
  _output: unknown;
  _def: { typeName?: unknown };
}
type ZodSchema = Zod4Schema | Zod3Schema;

/** The fields of a tool's input, each with its schema, of zod 4 or 3. */
export type AnyZodRawShape = { [field: string]: ZodSchema };
/** The values of these fields. */
export type InferShape<Shape extends AnyZodRawShape> = { [Field in keyof Shape]: OutputOf<Shape[Field]> };

/** A zod object or the shape of one, of zod 4 or 3; or a JSON Schema that describes an object. */
export type ToolSchema = ZodSchema | { [field: string]: ZodSchema } | JsonObject;

/** The arguments of the handler: defaults filled in, transforms applied. */
export type ArgsOf<Schema> = Schema extends ZodSchema
  ? OutputOf<Schema>
  : Schema[keyof Schema] extends ZodSchema
    ? ShapeOutput<Schema>
    : JsonObject;

type OutputOf<S> = S extends Zod4Schema ? S['_zod']['output'] : S extends Zod3Schema ? S['_output'] : never;
type OptionalKeys<S> = { [K in keyof S]: undefined extends OutputOf<S[K]> ? K : never }[keyof S];
type ShapeOutput<S> = { [K in Exclude<keyof S, OptionalKeys<S>>]: OutputOf<S[K]> } & {
  [K in OptionalKeys<S>]?: OutputOf<S[K]>;
};

/**
 * Defines a tool that the model can call. A zod object or its shape (zod 4 or 3) describes the input and gives the
 * handler typed arguments; a JSON Schema works, too. A throw of the handler becomes an error that the model reads.
 *
 * Throws `invalid_option` when a part is missing, and for a value that is not a schema. Other problems of a schema are
 * reported when it is first read.
 *
 * @example
 * import * as z from 'zod';
 *
 * const add = tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
 *   content: [{ type: 'text', text: String(a + b) }],
 * }));
 */
export function tool<const Schema extends ToolSchema>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: ToolHandler<ArgsOf<Schema>>,
  extras: ToolExtras = {},
): CustomTool {
  if (typeof name !== 'string' || name === '') throw refuse(`A tool needs a name: ${USUAL}`, { name });
  if (typeof description !== 'string') {
    throw refuse(`The tool ${name} needs a description: its second argument, got ${kindOf(description)}`, { name });
  }
  if (typeof handler !== 'function') {
    throw refuse(`The tool ${name} needs a handler: its fourth argument, got ${kindOf(handler)}`, { name });
  }
  const problem = schemaProblem(inputSchema);
  if (problem !== null) throw refuse(`The input of the tool ${name} cannot be used: ${problem}`, { name });
  const slip = slipIn(extras, ['annotations', 'alwaysLoad']);
  if (slip) throw refuse(`The fifth argument of the tool ${name} ${slip.says}`, { name });
  // The handler is only called with arguments that its own schema accepted.
  return { name, description, inputSchema, handler: handler as ToolHandler<never> as CustomTool['handler'], ...extras };
}

const USUAL = 'tool(name, description, inputSchema, handler)';

function refuse(message: string, facts: JsonObject): HeddleError {
  return new HeddleError('invalid_option', message, { facts });
}
