import { isObject, stringField } from '../../util/json.ts';
import type { Mentionable } from '../menu/mention-menu.ts';
import type { Stage } from '../stage/stage.ts';

/** How long a list counts: servers come and go, and their resources change. */
const FRESH_MS = 30_000;

/** The resources of MCP servers for the `@` menu. They come late; until then the menu is without them. */
export class ResourceNames {
  readonly #stage: Pick<Stage, 'call' | 'now'>;
  readonly #changed: () => void;
  #listed: readonly Mentionable[] = [];
  #askedAt: number | null = null;

  /** `changed` is called when more are known. */
  constructor(stage: Pick<Stage, 'call' | 'now'>, changed: () => void) {
    this.#stage = stage;
    this.#changed = changed;
  }

  get listed(): readonly Mentionable[] {
    return this.#listed;
  }

  /** A mention is being written. */
  async wanted(): Promise<void> {
    const now = this.#stage.now();
    if (this.#askedAt !== null && now - this.#askedAt < FRESH_MS) return;
    this.#askedAt = now;
    const answer = await this.#stage.call({ subtype: 'mcp_list_resources' }).catch(() => ({}));
    const resources = 'resources' in answer && Array.isArray(answer.resources) ? answer.resources : [];
    this.#listed = resources.flatMap(toMentionable);
    if (this.#listed.length > 0) this.#changed();
  }
}

/** One whose address no mention can express is left out. */
function toMentionable(resource: unknown): Mentionable[] {
  const server = stringField(resource, 'server');
  const uri = stringField(resource, 'uri');
  if (!isObject(resource) || server === undefined || uri === undefined) return [];
  const name = `${server}:${uri}`;
  if (/[\s"\p{C}]/u.test(name)) return [];
  return [{ name, detail: stringField(resource, 'description') ?? stringField(resource, 'name') ?? 'resource' }];
}
