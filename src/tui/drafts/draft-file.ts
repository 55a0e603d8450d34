import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { smallText } from '../../util/files/small-file.ts';
import { isObject, tryParseJson } from '../../util/json.ts';
import { startTimer } from '../../util/timer.ts';
import type { Draft } from '../editor/editor.ts';
import { displayOf, fromDisplay, pastesOf, readImages, readPastes } from './stored-draft.ts';

/** What a dead terminal leaves: the draft, and the prompts that waited. */
export interface LeftDraft {
  readonly draft: Draft;
  readonly queued: readonly string[];
}

export interface DraftFile {
  /** Takes the present draft. It is on disk half a second later, whatever comes meanwhile. */
  save(left: LeftDraft): void;
  /** Resolves when what was saved last is on disk. */
  flush(): Promise<void>;
}

export interface DraftFileOptions {
  /** The config home. */
  readonly home: string;
  readonly sessionId: string;
  /** Called once, when a draft cannot be written. The terminal continues. */
  readonly onProblem: (error: unknown) => void;
}

const DELAY_MS = 500;
/** A draft that is larger than this is stored without its images. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DRAFTS = 100;

/**
 * The draft of a session on disk, so that a dead terminal costs half a second of typing. The file is replaced as a
 * whole, only the user can read it, and an empty draft has none.
 */
export function openDraftFile({ home, sessionId, onProblem }: DraftFileOptions): DraftFile {
  const path = draftPath(home, sessionId);
  let wanted: LeftDraft | null = null;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;

  function write(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    const left = wanted;
    if (left) {
      wanted = null;
      writing = writing
        .then(() => store(path, left))
        .catch((error) => {
          if (!hasFailed) onProblem(error);
          hasFailed = true;
        });
    }
    return writing;
  }

  return {
    save(left) {
      wanted = left;
      // A key does not restart it: a user who types without a pause would have nothing on disk.
      timer ??= startTimer(DELAY_MS, () => void write());
    },
    flush: write,
  };
}

async function store(path: string, { draft, queued }: LeftDraft): Promise<void> {
  if (draft.text === '' && queued.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  makeDirectory(join(path, '..'), 0o700);
  const images = draft.attachments.filter(({ kind }) => kind === 'image');
  const stored = { display: displayOf(draft), pastedContents: pastesOf(draft, (content) => ({ content })), queued };
  const whole = JSON.stringify({ ...stored, images });
  await replacePrivateText(path, whole.length <= MAX_BYTES ? whole : JSON.stringify(stored));
}

/** The draft that a terminal of this session has left; null where there is none, or none that can be read. */
export function readDraft(home: string, sessionId: string): LeftDraft | null {
  const stored = tryParseJson(smallText(draftPath(home, sessionId), 2 * MAX_BYTES) ?? '');
  if (!isObject(stored) || typeof stored.display !== 'string') return null;
  const attachments = [...readPastes(stored.pastedContents, () => null), ...readImages(stored.images)];
  const queued = Array.isArray(stored.queued) ? stored.queued.filter((each) => typeof each === 'string') : [];
  return { draft: fromDisplay(stored.display, attachments), queued };
}

/** Deletes all but the newest drafts. Never throws. */
export function pruneDrafts(home: string): void {
  const folder = join(home, 'drafts');
  try {
    const files = readdirSync(folder).map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }));
    const old = files.sort((a, b) => b.at - a.at).slice(MAX_DRAFTS);
    for (const { name } of old) rmSync(join(folder, name), { force: true });
  } catch {
    // Another process may prune at the same time; a later start tries again.
  }
}

/** Session ids are names of files; any other text becomes one by its digest. */
function draftPath(home: string, sessionId: string): string {
  const isPlain = /^[\w-]{1,100}$/.test(sessionId);
  const name = isPlain ? sessionId : createHash('sha256').update(sessionId).digest('hex').slice(0, 32);
  return join(home, 'drafts', `${name}.json`);
}
