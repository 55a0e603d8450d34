import { execFile } from 'node:child_process';
import { readSmallFile } from '../../util/files/small-file.ts';
import { imageInfo } from '../../util/image-info.ts';
import { messageOf } from '../../util/message-of.ts';
import type { AttachedImage } from '../editor/attachments.ts';

/** An image to attach, or why there is none, as a sentence for the user. */
export type TakenImage = { image: Omit<AttachedImage, 'kind' | 'id'> } | { problem: string };

export interface ClipboardOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** The largest image that the API takes: 5 MB in base64. */
const MAX_IMAGE = 3_750_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
const TIME_MS = 3000;

/** The image in the clipboard of the system, by the programs that the system has for it. Never rejects. */
export async function clipboardImage({ env, platform }: ClipboardOptions): Promise<TakenImage> {
  // The clipboard is at the other end of the connection.
  if (env.SSH_CONNECTION) return { problem: 'Over ssh the clipboard is out of reach: paste the path of an image' };
  const programs = readers({ env, platform });
  let isThereOne = false;
  for (const [command, args] of programs) {
    const bytes = await outputOf(command, args, env);
    isThereOne ||= bytes !== null;
    if (bytes && bytes.length > 0) return toImage(bytes, 'The clipboard');
  }
  if (isThereOne) return { problem: 'There is no image in the clipboard' };
  return { problem: `Reading the clipboard needs ${programs.map(([command]) => command).join(' or ')}` };
}

/** The image in a file. Never throws. */
export function imageOfFile(path: string): TakenImage {
  try {
    return toImage(readSmallFile(path, MAX_OUTPUT), path);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function toImage(bytes: Buffer, what: string): TakenImage {
  const info = imageInfo(bytes);
  if (!info) return { problem: `${what} has no PNG, JPEG, GIF or WebP that could be read` };
  if (bytes.length > MAX_IMAGE) {
    const size = (bytes.length / 1e6).toFixed(1);
    return { problem: `The image is too large: ${size} MB, and at most ${MAX_IMAGE / 1e6} can be sent` };
  }
  const size = `${info.width}×${info.height}`;
  return { image: { mediaType: info.mediaType, data: bytes.toString('base64'), size } };
}

type Program = readonly [command: string, args: readonly string[]];

function readers({ env, platform }: ClipboardOptions): Program[] {
  if (platform === 'darwin') return [['osascript', ['-l', 'JavaScript', '-e', MAC]]];
  if (platform === 'win32' || env.WSL_DISTRO_NAME)
    return [['powershell.exe', ['-NoProfile', '-STA', '-Command', WINDOWS]]];
  const wayland: Program = ['wl-paste', ['--no-newline', '--type', 'image/png']];
  const x11: Program = ['xclip', ['-selection', 'clipboard', '-t', 'image/png', '-o']];
  return env.WAYLAND_DISPLAY ? [wayland, x11] : [x11, wayland];
}

/** Both print the bytes in base64, because these shells change bytes on their way out. */
const MAC = `ObjC['import']('AppKit'); const d = $.NSPasteboard.generalPasteboard.dataForType('public.png'); d.isNil() ? '' : ObjC.unwrap(d.base64EncodedStringWithOptions(0))`;
const WINDOWS = `Add-Type -AssemblyName System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, 'Png'); [Convert]::ToBase64String($m.ToArray()) }`;

/** The bytes that a program prints; empty where it fails, null where there is no such program. */
async function outputOf(
  command: string,
  args: readonly string[],
  env: ClipboardOptions['env'],
): Promise<Buffer | null> {
  const options = { encoding: 'buffer', timeout: TIME_MS, maxBuffer: MAX_OUTPUT, env, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(command, [...args], options, (error, stdout) => {
      if (error) resolve('code' in error && error.code === 'ENOENT' ? null : Buffer.alloc(0));
      else resolve(isBase64(stdout) ? Buffer.from(stdout.toString('latin1'), 'base64') : stdout);
    }).stdin?.end();
  });
}

function isBase64(bytes: Buffer): boolean {
  return bytes.length > 0 && /^[A-Za-z0-9+/=\s]+$/.test(bytes.toString('latin1', 0, 200));
}

/** A terminal takes no more at once. */
const MAX_OSC = 100_000;

/**
 * The sequence by which a terminal puts a text into the clipboard, also over ssh and, where tmux allows it, through
 * tmux. Null for a text that is too long for it.
 */
export function copySequence(text: string): string | null {
  const data = Buffer.from(text).toString('base64');
  return data.length > MAX_OSC ? null : `\x1b]52;c;${data}\x07`;
}

/** Copies with a program of the system; resolves with its name, or null where none could. Not over ssh. */
export async function copyWithProgram(text: string, { env, platform }: ClipboardOptions): Promise<string | null> {
  if (env.SSH_CONNECTION) return null;
  for (const [command, args] of writers({ env, platform })) {
    if (await hasTaken(command, args, text, env)) return command;
  }
  return null;
}

function writers({ env, platform }: ClipboardOptions): Program[] {
  if (platform === 'darwin') return [['pbcopy', []]];
  if (platform === 'win32' || env.WSL_DISTRO_NAME) return [['clip.exe', []]];
  const wayland: Program[] = env.WAYLAND_DISPLAY ? [['wl-copy', []]] : [];
  return [...wayland, ...(env.DISPLAY ? [['xclip', ['-selection', 'clipboard', '-in']] as const] : [])];
}

function hasTaken(
  command: string,
  args: readonly string[],
  text: string,
  env: ClipboardOptions['env'],
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = execFile(command, [...args], { timeout: TIME_MS, env, killSignal: 'SIGKILL' }, (error) =>
      resolve(!error),
    );
    child.stdin?.on('error', () => {}); // the program has ended already, and its end says the rest
    child.stdin?.end(text);
  });
}

/** Copies with a program of the system, else through the terminal. Resolves with a sentence that says how. */
export async function copyText(
  text: string,
  { write, ...options }: ClipboardOptions & { write: (sequence: string) => unknown },
): Promise<string> {
  const program = await copyWithProgram(text, options);
  if (program !== null) return `Copied with ${program}.`;
  const sequence = copySequence(text);
  if (sequence === null) return 'The text is too long to be copied through the terminal.';
  write(sequence);
  return 'Copied through the terminal, where it permits that.';
}
