import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { coverageOf, FILE_OF_SCOPE, parsedRule } from '../questions/rule-text.ts';
import type { Row } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import { askChoice } from './ask-choice.ts';
import { belowRow, LinePicker, ListPicker } from './list-picker.ts';
import { verdictOn } from './try-call.ts';

interface ListedRule {
  readonly behavior: string;
  /** As it is written. */
  readonly rule: string;
  readonly source: string;
  /** Its file or flag. */
  readonly where: string;
  readonly isFixed: boolean;
}

const HINT = 'enter removes, after a question \u00b7 ctrl+a adds a rule \u00b7 ctrl+t tries a call \u00b7 esc';

/** The scopes, from the one that ends first. */
const SCOPES: Readonly<Record<string, string>> = {
  session: 'session',
  cliArg: 'launch',
  flagSettings: 'launch',
  localSettings: 'project, mine',
  projectSettings: 'project',
  userSettings: 'user',
  policySettings: 'managed',
};
const BEHAVIORS = [
  { behavior: 'ask', text: 'Ask each time' },
  { behavior: 'deny', text: 'Deny' },
  { behavior: 'allow', text: 'Allow' },
] as const;
const PLACES = [
  { destination: 'session', text: 'This session' },
  { destination: 'localSettings', text: 'This project, for me' },
  { destination: 'projectSettings', text: 'This project, for everybody' },
  { destination: 'userSettings', text: 'All my projects' },
] as const;

/** The permission rules by scope, each with its file. */
export class RulesPicker {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async open(): Promise<void> {
    const rules = await this.#read();
    const list = new ListPicker<ListedRule>(
      {
        ...{ hint: HINT, empty: 'no rule; ctrl+a adds one', screen: () => this.#stage.context },
        title: () => 'Permission rules',
        spans: (rule) => [
          { text: `${rule.behavior.padEnd(5)} ${rule.rule}` },
          { text: `  ${scopeOf(rule)} \u00b7 ${rule.where}`, styles: ['dim'] },
        ],
        words: (rule) => `${rule.behavior} ${rule.rule} ${scopeOf(rule)} ${rule.where}`,
        choose: (rule) => this.#askRemoval(rule),
        key: (key) => this.#key(key),
        below: (rule) => this.#below(rule),
      },
      rules,
    );
    this.#stage.pick(list);
  }

  /** By scope; within one as they decide: deny, ask, allow. */
  async #read(): Promise<ListedRule[]> {
    const { state } = await this.#stage.call({ subtype: 'list_permission_rules' });
    const all = isObject(state) && Array.isArray(state.rules) ? state.rules.filter(isObject).map(toListed) : [];
    const scopes = Object.keys(SCOPES);
    const place = ({ source }: ListedRule) => (scopes.includes(source) ? scopes.indexOf(source) : scopes.length);
    return all.sort((a, b) => place(a) - place(b));
  }

  #key(key: string): boolean {
    if (key === 'ctrl+a') this.#askRule();
    else if (key === 'ctrl+t') this.#askCall();
    else return false;
    return true;
  }

  #below(rule: ListedRule | null): Row[] {
    return rule ? [belowRow(`${rule.behavior}: ${coverageOf(rule.rule)}`, this.#stage.context)] : [];
  }

  #askRemoval({ behavior, rule, source, where, isFixed }: ListedRule): void {
    const parsed = parsedRule(rule);
    if (isFixed || !parsed) {
      this.#stage.notify(`It can only be changed where it stands: ${where}`);
      return;
    }
    const updates = [{ type: 'removeRules', rules: [parsed], behavior, destination: source }];
    askChoice(
      this.#stage,
      `Remove ${behavior} ${rule} from ${where}?`,
      [
        { text: 'No', run: () => this.#back() },
        { text: 'Yes', run: () => void this.#update(updates, `Removed: ${behavior} ${rule} \u00b7 ${where}`) },
      ],
      () => this.#back(),
    );
  }

  #askRule(): void {
    this.#askText('Rule, such as Bash(npm test:*):', (text) => {
      const parsed = parsedRule(text);
      if (parsed) this.#askBehavior(text, parsed);
      else {
        this.#stage.notify('This is no rule: write Tool(what)');
        this.#back();
      }
    });
  }

  #askBehavior(rule: string, parsed: JsonObject): void {
    const ways = BEHAVIORS.map(({ behavior, text }) => ({
      text,
      detail: coverageOf(rule),
      run: () => this.#askPlace(rule, { rules: [parsed], behavior }),
    }));
    askChoice(this.#stage, `What to do with ${rule}`, ways, () => this.#back());
  }

  #askPlace(rule: string, change: { rules: JsonObject[]; behavior: string }): void {
    const ways = PLACES.map(({ destination, text }) => {
      const file = FILE_OF_SCOPE[destination];
      const said = `Added: ${change.behavior} ${rule} \u00b7 ${file ?? 'until the session ends'}`;
      return {
        text,
        ...(file !== undefined && { detail: file }),
        run: () => void this.#update([{ type: 'addRules', ...change, destination }], said),
      };
    });
    askChoice(this.#stage, `Where to keep ${change.behavior} ${rule}`, ways, () => this.#back());
  }

  #askCall(): void {
    this.#askText('Call, such as Bash(npm test):', (text) => void this.#after(verdictOn(text, this.#stage)));
  }

  #askText(title: string, take: (text: string) => void): void {
    const about = { title, text: '', screen: () => this.#stage.context };
    this.#stage.pick(
      new LinePicker(about, (text) => {
        if (text) take(text);
        else this.#back();
      }),
    );
  }

  async #update(updates: readonly JsonObject[], said: string): Promise<void> {
    await this.#after(this.#stage.call({ subtype: 'update_permissions', updates: [...updates] }).then(() => [said]));
  }

  /** Tells what came of it, and shows the list as it is then. */
  async #after(work: Promise<readonly string[]>): Promise<void> {
    try {
      this.#stage.print(['', ...(await work)]);
    } catch (error) {
      this.#stage.print(['', messageOf(error)], 'error');
    }
    this.#back();
  }

  #back(): void {
    void this.open().catch((error) => this.#stage.notify(messageOf(error)));
  }
}

function toListed(rule: JsonObject): ListedRule {
  return {
    behavior: stringField(rule, 'behavior') ?? '',
    rule: stringField(rule, 'rule') ?? '',
    source: stringField(rule, 'source') ?? '',
    where: stringField(rule, 'where') ?? '',
    isFixed: rule.editability === 'readonly',
  };
}

function scopeOf({ source }: ListedRule): string {
  return SCOPES[source] ?? source;
}
