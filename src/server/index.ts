/** `heddle/server`: sessions over HTTP, as a library. */
export { createServer, type HeddleServer, type ServerOptions } from './create-server.ts';
export { type EmbeddedStore, type EmbeddedStoreOptions, openEmbeddedStore } from './embedded/embedded-store.ts';
export type { ListenAddress, Listening } from './http/listen.ts';
export { type Answer, type Call, type Route, route } from './http/route.ts';
export { type LaunchPolicy, USUAL_MODES } from './policy/launch-policy.ts';
export type * from './ports/asked-questions.ts';
export type * from './ports/courier.ts';
export type * from './ports/event-log.ts';
export type * from './ports/holding.ts';
export type * from './ports/inbox.ts';
export type * from './ports/server-store.ts';
export type * from './ports/session-records.ts';
export type * from './ports/tokens.ts';
export type * from './ports/turn-engine.ts';
export type * from './ports/turns.ts';
