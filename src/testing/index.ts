/** `heddle/testing`: fakes, and a conformance suite for each port. Sorted by file. */
export { startFakeApi } from './fake-api.ts';
export { startFakeOpenAi } from './fake-openai.ts';
export type { FakeApi, FakeApiRequest } from './fake-server.ts';
export type { LinkedPair, MakePair } from './linked-pair.ts';
export {
  blocksOf,
  collectEvents,
  type MakeModel,
  type ModelCase,
  type ModelUnderTest,
  modelCases,
  sampleRequest,
} from './model-suite.ts';
export { type PeerCase, peerCases } from './peer-suite.ts';
export {
  type Answer,
  type AnswerLike,
  brokenToolUse,
  type Failing,
  type Fault,
  fail,
  type Hanging,
  hang,
  type RawBody,
  type Reply,
  type ReplyOptions,
  raw,
  reply,
  type Script,
  sseText,
  text,
  thinking,
  toolUse,
} from './script.ts';
export { type ScriptedModel, scriptedModel } from './scripted-model.ts';
export { type StoreCase, storeCases } from './store-suite.ts';
export { type TransportCase, transportCases } from './transport-suite.ts';
