/**
 * Random bash: mostly valid, with a few characters put in or taken out. The programs `a`, `b`, `c` and `dd` do not exist,
 * so that a handler can tell which of them bash tried to start.
 */
export function randomScript(random: () => number): string {
  const make = generator(random);
  return make.mutated(make.list(1 + Math.floor(random() * 3)));
}

const PLAIN = ['a', 'b', 'c', 'dd', '-n', 'x=1', '1', 'é', 'E', 'in', 'do', '{}', 'a#b', '..'];
const IN_SINGLE = ['a b', '$x', '"', ';', '\n'];
const IN_DOUBLE = [
  'a b',
  '$x',
  "'",
  ';',
  '\n',
  '\\"',
  '\\$x',
  'a$',
  '$(c)',
  ' $(b) ',
  '`b`',
  '$' + '{x}',
  ' $' + '{x:-$(c)}',
];
const EXPANSIONS = [
  '$x',
  '$1',
  '$@',
  '$#',
  '$$',
  '$' + '{x}',
  '$' + '{x:-y}',
  '$' + '{x#*[a-z]}',
  '$' + '{#x}',
  '$' + '{x/a/b}',
  '$' + '{x:1}',
  '$' + '{1:-"a b"}',
];
const ODD = [
  "$'a\\nb'",
  "$'\\x61'",
  "$'\\''",
  '\\ ',
  '\\;',
  '\\"',
  '*',
  '?',
  '[ab]',
  '~',
  '~/q',
  '{a,b}',
  'a{1..3}',
  '$((1+2))',
  '!',
  '^',
  '==',
];
const NOISE = [
  ...'ab \n;&|(){}$`"\'\\<>*?[]=#~!-,.@1\t\r',
  '\u00a0',
  '&&',
  '$(',
  '<<E\n',
  '\nE\n',
  '[[ ',
  ' ]]',
  'if ',
  '; then ',
  '; fi',
  '; done',
  'time ',
  '>&',
  '<(',
];

function generator(random: () => number) {
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const oneIn = (count: number) => below(count) === 0;

  const piece = (depth: number): string =>
    pick([
      () => pick(PLAIN),
      () => pick(PLAIN.slice(0, 5)),
      () => `'${pick(IN_SINGLE)}'`,
      () => `"${pick(IN_DOUBLE)}"`,
      () => pick(EXPANSIONS),
      () => pick(ODD),
      () => (depth > 0 ? `$(${list(depth - 1)})` : 'd'),
      () => (depth > 0 ? `\`${pick(['a', 'b c', 'a;b', 'a|b'])}\`` : 'd'),
      () => (depth > 0 ? `${pick(['<(', '>('])}${list(depth - 1)})` : 'z'),
    ])();
  const word = (depth: number): string => piece(depth) + (oneIn(2) ? piece(depth) : '');
  const redirect = (): string =>
    pick(['>', '>>', '<', '2>', '&>', '>|', '2>&1', '>&2', '<<<', '>&-', '3>', '>& ']) +
    pick(['f', 'f ', '/dev/null', ' f', ' "f"']);

  const command = (depth: number): string => {
    let text = oneIn(6) ? pick(['x=1 ', 'y="$x" ', 'z=$(a) ', 'w= ', 'v=(a b) ', 'u+=1 ', 'a[0]=1 ']) : '';
    if (oneIn(12)) text += `${redirect()} `;
    text += pick(['a', 'b', 'c', 'dd', "'a'", '"b"', '\\c', 'a"b"']);
    for (let left = below(4); left > 0; left--) {
      text += pick([' ', ' ', '  ', '\t', ' \\\n ']) + (oneIn(8) ? redirect() : word(depth));
    }
    return oneIn(14) ? `${text} <<E\n${pick(['hi', '$(b)', '$x', '\\$(b)', ''])}\nE\n` : text;
  };

  const statement = (depth: number): string => {
    if (depth <= 0 || !oneIn(3)) return command(depth);
    const inner = () => list(depth - 1);
    return pick([
      () => `( ${inner()} )`,
      () => `(${inner()})`,
      () => `{ ${inner()}; }`,
      () => `if ${inner()}; then ${inner()}; fi`,
      () => `if ${inner()}\nthen ${inner()}\nelse ${inner()}\nfi`,
      () => `for i in ${word(0)} ${word(0)}; do ${inner()}; done`,
      () => `case ${word(0)} in ${pick(['a', '*', 'a|b', '(a', '"x y"', '[ab]'])}) ${inner()};; esac`,
      () => `case $x in\n a) ${inner()} ;;\n *) ${inner()}\nesac`,
      () => `! ${statement(depth - 1)}`,
      () => `fun() { ${inner()}; }; fun`,
      () => `function gun { ${inner()}; }; gun`,
      () => `[[ -n ${word(0)} ]]`,
      () => `[ ${word(0)} = ${word(0)} ]`,
      () => `{ ${inner()}; } ${redirect()}`,
      () => `time ${statement(depth - 1)}`,
      () => `export q=${word(0)}`,
      () => `eval ${command(0)}`,
    ])();
  };

  const list = (depth: number): string => {
    let text = statement(depth);
    for (let left = below(3); left > 0; left--) {
      text +=
        pick(['; ', ';', '\n', ' && ', '&&', ' || ', ' | ', '|', ' & ', ' |& ', ' # c\n', ' && \n']) + statement(depth);
    }
    return text;
  };

  const mutated = (text: string): string => {
    let result = text;
    for (let left = below(3); left > 0; left--) {
      const at = below(result.length + 1);
      result = result.slice(0, at) + (oneIn(2) ? pick(NOISE) : '') + result.slice(at + (oneIn(2) ? 0 : 1));
    }
    return result;
  };
  return { list, mutated };
}
