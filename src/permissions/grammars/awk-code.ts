/**
 * Whether a program of awk certainly starts nothing and opens no file: no function but those that calculate, no pipe,
 * no redirection, no `getline`, no extension. Whatever is not read with certainty counts as not harmless.
 */
export function isHarmlessAwk(code: string): boolean {
  let before: Kind = 'start';
  let prints = false;
  /** For each open parenthesis, whether it belongs to `if`, `while` and the like: after those a regular expression may stand. */
  const open: boolean[] = [];
  let lastName = '';
  let last = '';
  for (let at = 0; at < code.length; ) {
    const token = tokenAt(code, at, before);
    if (token === null) return false;
    at += token.text.length;
    if (token.kind === 'blank') continue;
    if (token.kind === 'name' && !isHarmlessName(token.text, code[at])) return false;
    const wasControl = token.text === ')' && (open.pop() ?? true);
    if (token.text === '(') open.push(CONTROL.test(lastName));
    // After a comma, and after an operator that joins, the statement continues on the next line.
    const goesOn = token.text === '\n' && JOINS.test(last);
    if (/^[;{}\n]$/.test(token.text) && !goesOn) prints = false;
    if (/^printf?$/.test(token.text)) prints = true;
    // After `print` a larger-than outside of parentheses names a file.
    if (token.text.startsWith('>') && token.text !== '>=' && prints && open.length === 0) return false;
    if (token.text === '|' || token.text === '|&') return false;
    before = token.kind === 'operator' && /^[)\]]$|^(?:\+\+|--)$/.test(token.text) ? 'value' : token.kind;
    if (KEYWORDS.test(token.text)) before = 'operator';
    if (wasControl) before = 'unclear';
    lastName = token.kind === 'name' ? token.text : '';
    if (!goesOn) last = token.text;
  }
  return open.length === 0;
}

type Kind = 'start' | 'blank' | 'name' | 'value' | 'operator' | 'unclear';

const CONTROL = /^(?:if|while|for|switch)$/;
const JOINS = /^(?:[,?:]|&&|\|\||do|else)$/;

const KEYWORDS = /^(?:BEGIN|END|BEGINFILE|ENDFILE|if|else|while|for|do|in|print|printf|return|exit|delete|case)$/;

function tokenAt(code: string, at: number, before: Kind): { text: string; kind: Kind } | null {
  const rest = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(code)?.[0];
  };
  const blank = rest(/(?:[ \t]|\\\n|#[^\n]*)+/y);
  if (blank !== undefined) return { text: blank, kind: 'blank' };
  const name = rest(/[A-Za-z_]\w*/y);
  if (name !== undefined) return { text: name, kind: 'name' };
  const value = rest(/\d[\w.]*|\.\d\w*|"(?:[^"\\\n]|\\.)*"/y);
  if (value !== undefined) return { text: value, kind: 'value' };
  // Versions differ in whether this begins an expression or divides.
  if (code[at] === '/' && before === 'unclear') return null;
  const isAfterValue = before === 'value' || before === 'name';
  if (code[at] === '/' && !isAfterValue) {
    const expression = rest(/\/(?:[^/\\\n[]|\\.|\[\^?\]?[^\]\n/]*\])+\//y);
    return expression === undefined ? null : { text: expression, kind: 'value' };
  }
  const operator = rest(/\|\||\|&|&&|[-+*/%^=!<>]=|\+\+|--|>>|\*\*=?|[{}()[\];,\n+\-*/%^=!<>|?:~$]/y);
  return operator === undefined ? null : { text: operator, kind: 'operator' };
}

const FUNCTIONS =
  /^(?:length|substr|index|split|sub|gsub|gensub|match|sprintf|tolower|toupper|int|sqrt|exp|log|sin|cos|atan2|rand|srand|strftime|systime|mktime|strtonum|asorti?|and|or|xor|compl|lshift|rshift|isarray|typeof|patsplit|if|while|for|switch|print|printf|return|exit|in|delete|else|do|BEGIN|END)$/;

/** A name before a parenthesis is a function; a function of the program itself is not looked for. */
function isHarmlessName(name: string, next: string | undefined): boolean {
  if (/^(?:system|getline|close|fflush|function|func|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)$/.test(name))
    return false;
  return next !== '(' || FUNCTIONS.test(name);
}
