import { atOneMoment } from '../../agent/calls/judge.ts';
import { digestOf, requireFile } from '../../tools/files/seen-files.ts';
import { decodeForDisplay, MAX_LOADED_BYTES, textFormat } from '../../tools/files/text-file.ts';
import type { FileStat, Workspace } from '../../tools/workspace.ts';
import { stringField } from '../../util/json.ts';
import type { FileContents, RewindFilesResult } from '../../wire/control/index.ts';
import { ControlError, toHeddleError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { explainCall } from '../permissions/explain-call.ts';
import type { MainThread } from '../thread/thread.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/** The control requests about files. */

/** Other SDKs refuse longer lines. */
const MAX_BYTES = 400_000;
const MAX_LINE = 900_000;
/** The length of a control character in JSON. */
const LONGEST_ESCAPE = 6;

/** `rewind_files`. Not during a turn, which may be about to change the same files. */
export async function rewindFiles({ main }: ControlContext, request: ControlBody): Promise<RewindFilesResult> {
  const { checkpoints } = main.workplace;
  const messageId = stringField(request, 'user_message_id');
  if (messageId === undefined) throw invalidRequest('user_message_id', 'a string');
  if (checkpoints) {
    return checkpoints.rewind(messageId, { dryRun: request.dry_run === true, anyBranch: request.any_branch === true });
  }
  const how = 'enableFileCheckpointing, or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true';
  throw new ControlError(`Files cannot be rewound: the session was started without ${how}`, 'not_enabled');
}

/**
 * `read_file`: for viewers. Reads a file that the Read tool could read without a permission question; only the beginning of
 * a large one.
 */
export async function readFile(
  { main }: ControlContext,
  request: ControlBody,
  signal: AbortSignal,
): Promise<FileContents> {
  const { path, size, workspace } = await findReadable(main, request);
  const bytes = await readBeginning(workspace, path, { limit: byteLimit(request.max_bytes), signal });
  if (request.encoding === 'base64') {
    const isCut = bytes.length < size;
    const named = { absPath: path, requested_path: String(request.path) };
    return { contents: bytes.toString('base64'), ...named, lossy: false, ...(isCut && { truncated: true, size }) };
  }
  const text = decodeForDisplay(bytes);
  const contents = JSON.stringify(text).length <= MAX_LINE ? text : text.slice(0, MAX_LINE / LONGEST_ESCAPE);
  const isCut = bytes.length < size || contents.length < text.length;
  return {
    contents,
    absPath: path,
    requested_path: String(request.path),
    lossy: contents.includes('\uFFFD'),
    ...(isCut && { truncated: true, size }),
  };
}

/**
 * `seed_read_state`: the host has shown the model this file as it was at `mtime`. The model may edit the file if it has
 * not changed since.
 */
export async function seedReadState({ main }: ControlContext, request: ControlBody): Promise<{ seeded: boolean }> {
  const { mtime } = request;
  if (typeof mtime !== 'number') throw invalidRequest('mtime', 'a number: milliseconds since 1970');
  const { path, size, mtimeMs, workspace } = await findReadable(main, request);
  if (Math.floor(mtimeMs) !== Math.floor(mtime) || size > MAX_LOADED_BYTES) return { seeded: false };
  main.workplace.files.set(path, { digest: digestOf(await workspace.readFile(path)), whole: true });
  return { seeded: true };
}

interface Readable extends FileStat {
  path: string;
  /** Reads just this file. */
  workspace: Workspace;
}

/** Throws for a path that the session may not read by its rules, and for one that is not a file. */
async function findReadable({ workplace, permissions, toolbox }: MainThread, request: ControlBody): Promise<Readable> {
  const policy = atOneMoment(permissions.inForce());
  const asked = stringField(request, 'path');
  if (asked === undefined || asked === '') throw invalidRequest('path', 'a text');
  const rules = { tools: toolbox.registry, workspace: workplace.workspace, policy };
  const decided = await explainCall('Read', { file_path: asked }, rules).catch((error) => ({
    behavior: 'deny',
    reason: toHeddleError(error).message,
  }));
  if (decided.behavior !== 'allow') {
    throw new ControlError(`${asked} may not be read: ${decided.reason}`, 'permission_denied');
  }
  const path = workplace.workspace.resolve(asked);
  const workspace = await workplace.workspace.pin(new Map([[path, policy.realPath(path)]]));
  const stat = await workspace.stat(path);
  if (!stat) throw new ControlError(`File does not exist: ${path}`, 'file_not_found');
  try {
    requireFile(path, stat);
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'not_a_file', { cause: error });
  }
  return { path, workspace, ...stat };
}

/** Reads up to the limit, and stops before a character that the limit would cut. */
async function readBeginning(
  workspace: Workspace,
  path: string,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of workspace.readChunks(path)) {
    signal.throwIfAborted();
    pieces.push(piece);
    length += piece.length;
    if (length > limit) break;
  }
  const bytes = Buffer.concat(pieces);
  return bytes.length <= limit ? bytes : bytes.subarray(0, characterStart(bytes, limit));
}

function byteLimit(asked: unknown): number {
  if (asked === undefined) return MAX_BYTES;
  if (!Number.isInteger(asked) || (asked as number) < 0)
    throw invalidRequest('max_bytes', 'a whole number, 0 or above');
  return Math.min(asked as number, MAX_BYTES);
}

/** The start of the character that the byte at `at` belongs to. */
function characterStart(bytes: Buffer, at: number): number {
  if (textFormat(bytes).encoding !== 'utf-8') return at - (at % 2);
  let start = at;
  while (start > at - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
