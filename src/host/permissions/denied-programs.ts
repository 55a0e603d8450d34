import { ruleOrigin } from '../../permissions/rule-origin.ts';
import { formatRule, type Rule } from '../../permissions/rules.ts';
import type { DeniedProgram } from '../../tools/path-guard/masked-programs.ts';

/** The programs that deny rules forbid with every argument: `Bash(curl:*)`, `Bash(curl *)`. */
export function deniedPrograms(deny: readonly Rule[]): DeniedProgram[] {
  return deny.flatMap((rule) => {
    const [, name] = (rule.toolName === 'Bash' && /^([\w.+-]+)(?::\*| \*)$/.exec(rule.ruleContent ?? '')) || [];
    return name === undefined ? [] : [{ name, rule: `${formatRule(rule)} (${ruleOrigin(rule)})` }];
  });
}
