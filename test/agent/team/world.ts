import type { TeamFiles } from '../../../src/agent/team/locked-files.ts';
import type { Mail } from '../../../src/agent/team/mail.ts';
import { LEADER, messageIdsIn, toMail } from '../../../src/agent/team/mail.ts';

/**
 * A disk, and the processes that live one after the other on it. Everything that takes time waits at a point, and the
 * test lets one point go after the other, in any order. A killed process never leaves the point where it waits.
 */
export class World {
  readonly disk = new Map<string, string>();
  /** The recorded prompts of each, which outlive a process like the files do. */
  readonly transcripts = new Map<string, string[]>();
  #process = 0;
  #points: { process: number; go(): void }[] = [];

  /** How a process waits. */
  point(process: number): Promise<void> {
    return new Promise((resolve) => {
      if (process === this.#process) this.#points.push({ process, go: resolve });
    });
  }

  get process(): number {
    return this.#process;
  }

  kill(): void {
    this.#process++;
    this.#points = [];
  }

  /** Lets one of those who wait go on; false when nobody waits. */
  async step(choice: number): Promise<boolean> {
    const [chosen] = this.#points.splice(choice % Math.max(1, this.#points.length), 1);
    chosen?.go();
    await new Promise(setImmediate);
    return chosen !== undefined;
  }

  files(process: number): TeamFiles {
    const { disk } = this;
    const wait = () => this.point(process);
    return {
      async read(path) {
        await wait();
        return disk.get(path) ?? null;
      },
      async change(path, change) {
        await wait();
        const text = change(disk.get(path) ?? null);
        if (text !== null) disk.set(path, text);
        await wait(); // it is on disk, and nobody knows yet
      },
      async list() {
        await wait();
        return ['crew'];
      },
      async remove(dir) {
        await wait();
        for (const path of [...disk.keys()]) if (path.startsWith(dir)) disk.delete(path);
      },
    };
  }

  record(name: string, prompt: string): void {
    this.transcripts.set(name, [...this.promptsOf(name), prompt]);
  }

  promptsOf(name: string): readonly string[] {
    return this.transcripts.get(name) ?? [];
  }

  seenIds(name: string): string[] {
    return this.promptsOf(name).flatMap(messageIdsIn);
  }

  mailsOf(name: string): Mail[] {
    const text = this.disk.get(`/home/teams/crew/inboxes/${name}.json`) ?? '[]';
    return (JSON.parse(text) as unknown[]).map(toMail).filter((mail) => mail !== null);
  }

  /** Everybody who has ever got or read anything. */
  names(): string[] {
    const inboxes = [...this.disk.keys()].map((path) => /inboxes\/(.+)\.json$/.exec(path)?.[1] ?? '');
    return [...new Set([LEADER, ...this.transcripts.keys(), ...inboxes.filter((name) => name !== '')])];
  }
}
