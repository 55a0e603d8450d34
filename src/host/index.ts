/** `heddle/engine`: the agent as a library. */
export type { Ask, AskAnswer, AskRequest } from '../agent/calls/gate.ts';
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
export type * from '../sessions/store.ts';
export type * from '../sessions/stores/reference-store-types.ts';
export type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts';
export { ToolError } from '../tools/tool.ts';
export type { Workspace } from '../tools/workspace.ts';
export type { ToolDeadline } from '../util/process/process-supervisor.ts';
export type { Clock, Ids, Logger, Runtime } from '../util/runtime.ts';
export type { Entry } from '../wire/entries.ts';
export type { Connect, Launch, RunConfig } from '../wire/run-config.ts';
export { createEngine } from './create-engine.ts';
export type { Engine, EngineOptions } from './engine/engine.ts';
export type { SpanStarter, TelemetryOptions } from './engine/telemetry.ts';
export { type ResolvedSettings, type ResolveSettingsOptions, resolveSettings } from './launch/resolve-settings.ts';
export { inProcess } from './serve/in-process.ts';
export { type ServeEnd, serve } from './serve/serve.ts';
