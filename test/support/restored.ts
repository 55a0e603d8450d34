import { createRequestEncoder } from '../../src/model/anthropic/anthropic-request.ts';
import { ByteLines } from '../../src/sessions/files/byte-lines.ts';
import { recordsOfLine } from '../../src/sessions/files/line-records.ts';
import { toApiMessages } from '../../src/sessions/replay/replay.ts';
import type { Loaded } from '../../src/sessions/store.ts';
import { activeLeaf, buildTree, pathTo, type Tree } from '../../src/sessions/tree/build-tree.ts';
import { createChain } from '../../src/sessions/tree/chain.ts';
import { repairEntries, type UnpairedCall, unpairedToolCalls } from '../../src/sessions/tree/repair-calls.ts';
import { stringField } from '../../src/util/json.ts';
import type { Entry } from '../../src/wire/entries.ts';
import { prompt, SESSION, text } from './damage/story.ts';
import { textsOf } from './lines.ts';
import type { Body } from './requests.ts';

/** What the pure part of Heddle makes of the bytes of a session file. */
export interface Restored {
  loaded: Loaded[];
  tree: Tree;
  path: Entry[];
  unpaired: UnpairedCall[];
  /** Where the next entry hangs. */
  leaf: string | null;
}

export function restore(bytes: Buffer): Restored {
  return restored(loadedFrom(bytes));
}

/** As a host goes on: the open calls are answered, then a prompt and its answer are appended. */
export function goneOn({ loaded, unpaired, leaf }: Restored, said: string): Restored {
  const chain = createChain({
    cwd: '/w/loom',
    sessionId: SESSION,
    version: '2.1.44',
    gitBranch: 'main',
    userType: 'external',
    isSidechain: false,
    parentUuid: leaf,
    clock: { now: () => 0 },
  });
  let ids = 0;
  const added = [
    ...repairEntries(unpaired, chain, () => `${said}-repair-${ids++}`),
    chain.userEntry({ role: 'user', content: said }, { uuid: `${said}-p` }),
    chain.assistantEntry(
      { id: `msg_${said}`, role: 'assistant', content: [text(`re: ${said}`)] },
      { uuid: `${said}-z` },
    ),
  ];
  return restored([...loaded, ...added.map((entry, at) => ({ entry, line: LATER + at }))]);
}

/** A line number behind all others. */
const LATER = 1_000_000_000;

/** The request that a next prompt would make, as it goes over the wire. */
export function nextRequest({ path }: Restored): Body {
  const messages = toApiMessages([...path, prompt('next', null, 'and now?')]);
  const settings = { model: 'claude-sonnet-4-5', system: ['Weave.'], tools: [], maxOutputTokens: 1000 };
  return JSON.parse(createRequestEncoder()({ ...settings, messages })) as Body;
}

/** What is wrong with the words of a request: missing, twice, in another order, or there against the will. */
export function wordFaults(
  body: Body,
  { kept, left = [] }: { kept: readonly string[]; left?: readonly string[] },
): string[] {
  const told = body.messages.flatMap(textsOf).join('\n');
  const faults: string[] = [];
  let from = 0;
  for (const word of kept) {
    const at = told.indexOf(word);
    if (at < 0) faults.push(`"${word}" is lost`);
    else if (at < from) faults.push(`"${word}" comes too early`);
    else if (told.includes(word, at + word.length)) faults.push(`"${word}" is there twice`);
    from = Math.max(from, at);
  }
  return [...faults, ...left.filter((word) => told.includes(word)).map((word) => `"${word}" should not be sent`)];
}

function restored(loaded: Loaded[]): Restored {
  const tree = buildTree(loaded);
  const { leaf } = activeLeaf(tree);
  const path = leaf ? pathTo(tree, leaf.id) : [];
  return { loaded, tree, path, unpaired: unpairedToolCalls(path), leaf: stringField(leaf?.entry, 'uuid') ?? null };
}

function loadedFrom(bytes: Buffer): Loaded[] {
  const lines = new ByteLines();
  return [...lines.push(bytes), ...lines.end()].flatMap(recordsOfLine);
}
