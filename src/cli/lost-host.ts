import type { Readable } from 'node:stream';

/** How often it is looked whether the host still lives, once it has said its last word. */
const LOOK_MS = 1000;

/**
 * Notices a host that was killed while the agent is at work and has nothing to say. Its death closes stdin; but so does
 * a host that merely has nothing to add, and it still reads. Only if whoever started this process is gone, `tryReader`
 * is called, again and again: it writes something that readers skip, and a write that fails tells the rest.
 * Nothing is watched as long as the input is open. Returns what ends the watch.
 */
export function watchForLostHost(input: Readable, tryReader: () => void): () => void {
  const starter = process.ppid;
  let timer: ReturnType<typeof setInterval> | undefined;
  const watch = () => {
    timer = setInterval(() => {
      if (process.ppid !== starter) tryReader();
    }, LOOK_MS).unref();
  };
  input.once('end', watch);
  return () => {
    input.off('end', watch);
    clearInterval(timer);
  };
}
