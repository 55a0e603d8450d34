/** `heddle/engine`: the agent as a library. */
export type { Ask, AskAnswer, AskRequest } from '../agent/gate.ts';
export {
  type CallToolResult,
  type CustomTool,
  type ToolAnnotations,
  type ToolContent,
  type ToolExtra,
  type ToolExtras,
  type ToolHandler,
  type ToolSchema,
  tool,
} from '../define/tool.ts';
export type {
  ApiMessage,
  ApiTool,
  Failure,
  FailureClass,
  Model,
  ModelEvent,
  ModelRequest,
  StreamEvent,
} from '../model/model.ts';
export type * from '../sessions/reference-store-types.ts';
export type * from '../sessions/store.ts';
export type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts';
export { ToolError } from '../tools/tool.ts';
export type { Workspace } from '../tools/workspace.ts';
export type { Clock, Ids, Logger, Runtime } from '../util/runtime.ts';
export type { Entry } from '../wire/entries.ts';
export type { Connect, Launch, RunConfig } from '../wire/run-config.ts';
export { createEngine } from './create-engine.ts';
export type { Engine, EngineOptions } from './engine.ts';
export { inProcess } from './in-process.ts';
export { type ResolvedSettings, type ResolveSettingsOptions, resolveSettings } from './resolve-settings.ts';
export { type ServeEnd, serve } from './serve.ts';
export type { SpanStarter, TelemetryOptions } from './telemetry/telemetry.ts';
