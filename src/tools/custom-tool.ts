import type { JsonObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';

/**
 * A tool of the program that embeds the agent. Made with `tool`, given to `createEngine`. The shape is that of the
 * reference SDK's tool definitions.
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
 * Runs a call. A throw becomes an error result that the model reads. When the signal aborts, nobody waits for the
 * outcome any more.
 */
export type ToolHandler<Args> = (args: Args, extra: ToolExtra) => HandlerResult | Promise<HandlerResult>;

export interface ToolExtra {
  /** Aborts when the turn is interrupted. */
  signal: AbortSignal;
  toolUseId: string;
}

export interface ToolExtras {
  annotations?: ToolAnnotations;
  /** Part of every request, even when so many tools are given that others have to be looked for. */
  alwaysLoad?: boolean;
}

/** Hints of the tool about itself, as MCP has them. Only `readOnlyHint` has an effect: such calls run side by side. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export type HandlerResult = string | CallToolResult;

/** What MCP calls a CallToolResult. */
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

/** Known by their shape: no version of zod has to be loaded for it, and any copy of it will do. */
export interface Zod4Schema {
  _zod: { output: unknown };
}
export interface Zod3Schema {
  _output: unknown;
  _def: { typeName?: unknown };
}
type ZodSchema = Zod4Schema | Zod3Schema;

/** A zod object or the shape of one, of zod 4 or 3; or a JSON Schema that describes an object. */
export type ToolSchema = ZodSchema | { [field: string]: ZodSchema } | JsonObject;

/** What the handler gets: defaults filled in, transforms applied. */
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

/** Defines a tool. Throws `invalid_option` for a name that cannot be used. */
export function tool<const Schema extends ToolSchema>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: ToolHandler<ArgsOf<Schema>>,
  extras: ToolExtras = {},
): CustomTool {
  const problem = nameProblem(name);
  if (problem !== null) throw new HeddleError('invalid_option', problem, { facts: { name } });
  // It is called with nothing but what its own schema has let through.
  return { name, description, inputSchema, handler: handler as ToolHandler<never> as CustomTool['handler'], ...extras };
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Ours, whether a session has them or not: a tool that took such a name would be taken for ours, also by rules. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  'Agent AskUserQuestion Bash BashOutput Edit EnterPlanMode ExitPlanMode Glob Grep KillShell LS ListMcpResources MultiEdit NotebookEdit Read ReadMcpResource SendMessage Skill StructuredOutput Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoWrite ToolSearch WebFetch WebSearch Write'.split(
    ' ',
  ),
);

/** Why a tool of the user's cannot have this name; null when it can. */
export function nameProblem(name: string): string | null {
  if (!NAME.test(name)) {
    return `A tool cannot be named ${JSON.stringify(name)}: 1 to 64 letters, digits, _ and - are possible.`;
  }
  if (name.startsWith('mcp__')) return `A tool cannot be named ${name}: mcp__ is for the tools of MCP servers.`;
  const isTaken = [...RESERVED_NAMES].some((reserved) => reserved.toLowerCase() === name.toLowerCase());
  return isTaken ? `A tool cannot be named ${name}: that is a built-in tool.` : null;
}
