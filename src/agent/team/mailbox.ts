import { join } from 'node:path';
import { isObject, tryParseJson } from '../../util/json.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { TeamFiles } from './locked-files.ts';
import { type Mail, toMail } from './mail.ts';

/** Beyond this many, the oldest read mails are dropped, because every change writes the whole file. */
const MAX_KEPT = 1000;

export interface NewMail {
  /** A new id when it is left out. */
  id?: string;
  from: string;
  text: string;
  summary?: string;
  color?: string;
}

/**
 * The inboxes of a team. Calls about one inbox take effect in the order in which they are made: a mail whose `post` was
 * called before `unread` is in what `unread` gives.
 */
export interface Mailbox {
  /** Resolves when the mail is on disk. One whose id the inbox holds already is not added again. */
  post(to: string, mail: NewMail): Promise<Mail>;
  /** Oldest first. */
  unread(name: string): Promise<Mail[]>;
  /** Marks mails as read, so that they are not delivered again. Call it only when they are in a recorded request. */
  acknowledge(name: string, ids: Iterable<string>): Promise<void>;
  /** Calls the listener with every new mail that is posted in this process. Returns a function that removes it. */
  onMail(name: string, listener: (mail: Mail) => void): () => void;
}

export interface MailboxOptions {
  /** The team's directory. */
  dir: string;
  files: TeamFiles;
  runtime: Runtime;
}

export function createMailbox({ dir, files, runtime }: MailboxOptions): Mailbox {
  const queues = new Map<string, ReturnType<typeof oneAtATime>>();
  const listeners = new Map<string, Set<(mail: Mail) => void>>();
  const pathOf = (name: string) => join(dir, 'inboxes', `${name}.json`);
  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(name) ?? oneAtATime();
    queues.set(name, queue);
    return queue(work);
  };

  /** Moves a file that holds no list out of the way, so that its content is kept and the next mail can be stored. */
  async function setDamagedAside(path: string): Promise<void> {
    const text = await files.read(path);
    if (text === null || itemsOf(text) !== null) return;
    const aside = `${path}.damaged-${runtime.clock.now()}`;
    await files.change(aside, () => text);
    await files.change(path, (current) => (current === text ? '[]\n' : null));
    runtime.log('warn', `The inbox ${path} is damaged. It is kept as ${aside}; mail in it was not delivered.`);
  }

  async function change(name: string, edit: (items: unknown[]) => unknown[] | null): Promise<void> {
    const path = pathOf(name);
    await setDamagedAside(path);
    await files.change(path, (text) => {
      const items = edit(text === null ? [] : (itemsOf(text) ?? damaged(path)));
      return items === null ? null : `${JSON.stringify(withoutOldest(items), null, 2)}\n`;
    });
  }

  async function readUnread(name: string): Promise<Mail[]> {
    const path = pathOf(name);
    await setDamagedAside(path);
    const text = await files.read(path);
    const items = text === null ? [] : (itemsOf(text) ?? damaged(path));
    return mailsIn(items).filter(({ read }) => !read);
  }

  async function add(to: string, fields: NewMail): Promise<Mail> {
    const mail = newMail(fields, runtime);
    let known: Mail | undefined;
    await change(to, (items) => {
      known = mailsIn(items).find(({ id }) => id === mail.id);
      return known === undefined ? [...items, mail] : null;
    });
    if (known !== undefined) return known;
    for (const listener of listeners.get(to) ?? []) listener(mail);
    return mail;
  }

  return {
    post: (to, mail) => inTurn(to, () => add(to, mail)),
    unread: (name) => inTurn(name, () => readUnread(name)),
    acknowledge: (name, ids) => {
      const done = new Set(ids);
      return inTurn(name, () => change(name, (items) => markRead(items, done)));
    },
    onMail(name, listener) {
      const of = listeners.get(name) ?? new Set();
      listeners.set(name, of.add(listener));
      return () => {
        of.delete(listener);
      };
    },
  };
}

function newMail({ id, from, text, summary, color }: NewMail, { ids, clock }: Runtime): Mail {
  return {
    id: id ?? ids.uuid(),
    from,
    text,
    ...(summary === undefined ? {} : { summary }),
    timestamp: new Date(clock.now()).toISOString(),
    ...(color === undefined ? {} : { color }),
    read: false,
  };
}

/** Null when there is nothing to mark. Fields that we do not know stay. */
function markRead(items: readonly unknown[], ids: ReadonlySet<string>): unknown[] | null {
  let isChanged = false;
  const marked = items.map((item) => {
    const mail = toMail(item);
    if (mail === null || mail.read || !ids.has(mail.id) || !isObject(item)) return item;
    isChanged = true;
    return { ...item, read: true };
  });
  return isChanged ? marked : null;
}

function withoutOldest(items: unknown[]): unknown[] {
  let surplus = items.length - MAX_KEPT;
  if (surplus <= 0) return items;
  return items.filter((item) => surplus <= 0 || !toMail(item)?.read || surplus-- <= 0);
}

function mailsIn(items: readonly unknown[]): Mail[] {
  return items.map(toMail).filter((mail) => mail !== null);
}

/** Null when the text is no list. */
function itemsOf(text: string): unknown[] | null {
  const items = tryParseJson(text);
  return Array.isArray(items) ? items : null;
}

/** Another program must have written it just now. */
function damaged(path: string): never {
  throw new Error(`The inbox ${path} is damaged.`);
}
