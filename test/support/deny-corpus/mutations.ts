import type { Form } from './forms.ts';

/**
 * The second generator: takes a form that works and changes how it is written, what it is nested in and what starts it, once
 * or several times. The result is another form, which has to show for itself that it works.
 */
export function mutated(form: Form, random: () => number): Form {
  const times = 1 + Math.floor(random() * 3);
  let { text } = form;
  for (let at = 0; at < times; at++) {
    const pick = MUTATIONS[Math.floor(random() * MUTATIONS.length)];
    text = pick?.(text, random) ?? text;
  }
  return { family: `mutations of ${form.family.split(':')[0]}`, text };
}

type Mutation = (text: string, random: () => number) => string;

function oneOf<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** In single quotes for a shell to read. */
export function quoted(code: string): string {
  return `'${code.replaceAll("'", `'\\''`)}'`;
}

/** In double quotes for a shell to read. */
function doubled(code: string): string {
  return `"${code.replaceAll(/[\\"$`]/g, '\\$&')}"`;
}

/** As `$'…'`, with some letters by number. */
function ansi(code: string, random: () => number): string {
  const letters = [...code].map((letter) => {
    const number = letter.charCodeAt(0);
    if (letter === '\n') return '\\n';
    if (letter === "'" || letter === '\\') return `\\${letter}`;
    if (number > 126 || random() > 0.2) return letter;
    return oneOf([`\\x${number.toString(16)}`, `\\${number.toString(8).padStart(3, '0')}`], random);
  });
  return `$'${letters.join('')}'`;
}

const isSimple = (text: string) => !/[\n;&|<>(){}`]/.test(text);

const MUTATIONS: readonly Mutation[] = [
  // Code for another shell, which reads it once more.
  (text, random) => `${oneOf(SHELLS, random)} ${quoted(text)}`,
  (text, random) => `${oneOf(SHELLS, random)} ${doubled(text)}`,
  (text, random) => `${oneOf(SHELLS, random)} ${ansi(text, random)}`,
  (text) => `eval ${quoted(text)}`,
  (text, random) => `eval ${ansi(text, random)}`,
  (text) => `bash <<'HEREDOC'\n${text}\nHEREDOC\n`,
  (text) => `bash <<< ${quoted(text)}`,
  (text) => `echo ${quoted(text)} | bash`,
  (text) => `printf '%s\\n' ${quoted(text)} | sh -s`,
  (text) => `. <(echo ${quoted(text)})`,
  (text) => `source /dev/stdin <<< ${quoted(text)}`,
  (text) => `bash -c "$(base64 -d <<< ${Buffer.from(text).toString('base64')})"`,
  (text) => `base64 -d <<< ${Buffer.from(text).toString('base64')} | bash`,
  (text) => `xxd -r -p <<< ${Buffer.from(text).toString('hex')} | bash`,
  (text) => `x=${quoted(text)}; eval "$x"`,
  (text) => `read -rd '' x <<< ${quoted(text)}; bash -c "$x"`,
  (text) => `printf -v x %s ${quoted(text)}; eval "$x"`,
  (text) => `set -- ${quoted(text)}; eval "$1"`,
  (text) => `x=(${quoted(text)}); eval "\${x[0]}"`,
  (text) => `trap ${quoted(text)} EXIT`,
  (text) => `trap ${quoted(`trap - DEBUG; ${text}`)} DEBUG; :`,
  (text) => `PROMPT_COMMAND=${quoted(text)} bash --norc -i < /dev/null`,
  (text) => `BASH_ENV=<(echo ${quoted(text)}) bash -c :`,
  (text) => `shopt -s expand_aliases\nalias zz=${quoted(text)}\nzz`,
  (text) => `mapfile -c 1 -C ${quoted(`${text} #`)} a <<< x`,
  (text) => `x=${quoted(`$(${text})`)}; : "\${x@P}"`,
  (text) => `PS4=${quoted(`$(${text})`)}; set -x; :`,
  // Constructs around it.
  (text) => `(${text}\n)`,
  (text) => `{ ${text}\n}`,
  (text) => `true && {\n${text}\n}`,
  (text) => `if :; then\n${text}\nfi`,
  (text) => `for i in 1; do\n${text}\ndone`,
  (text) => `while :; do\n${text}\nbreak; done`,
  (text) => `case x in x)\n${text}\n;; esac`,
  (text) => `zz() {\n${text}\n}; zz`,
  (text) => `zz() {\n${text}\n}; export -f zz; bash -c zz`,
  (text) => `echo "$(${text}\n)"`,
  (text) => `: \`eval ${quoted(text).replaceAll(/[\\`$]/g, '\\$&')}\``,
  (text) => `cat <(${text}\n)`,
  (text) => `cat <<HEREDOC\n$(${text}\n)\nHEREDOC\n`,
  (text) => `coproc {\n${text}\n}; cat <&"\${COPROC[0]}"; wait`,
  (text) => `{\n${text}\n} & wait`,
  (text) => `{\n${text}\n} | cat`,
  (text) => `true; # ${'x'.repeat(20)}\n${text}`,
  (text) => `${'true; '.repeat(30)}\n${text}`,
  (text) => `time {\n${text}\n}`,
  (text) => `! {\n${text}\n}`,
  (text) => `[[ -z $(${text}\n) ]] || :`,
  (text) => `x='a[$(eval "$y")]'; y=${quoted(text)}; echo $((x))`,
  // Programs around it.
  (text, random) => (isSimple(text) ? `${oneOf(WRAPPERS, random)} ${text}` : `(${text}\n)`),
  (text, random) => `${oneOf(WRAPPERS, random)} bash -c ${quoted(text)}`,
  (text) => `find . -maxdepth 0 -exec bash -c ${quoted(text)} \\;`,
  (text) => `echo x | xargs bash -c ${quoted(text)}`,
  (text) => `xargs -d '\\n' bash -c <<< ${quoted(text.replaceAll('\n', '; '))}`,
  (text) => `flock . -c ${quoted(text)}`,
  (text) => `script -qec ${quoted(text)} /dev/null`,
  (text) => `python3 -c 'import os,sys; os.system(sys.argv[1])' ${quoted(text)}`,
  (text) => `perl -e 'exec "bash", "-c", @ARGV' ${quoted(text)}`,
  (text) => `git -c alias.zz=${quoted(`!${text}`)} zz`,
  (text) => `make -s --eval=${quoted(`x: ; @$(Y)`)} -f /dev/null Y=${quoted(text)}`,
  (text) => `awk 'BEGIN { system(ENVIRON["Y"]) }' Y=1; Y=${quoted(text)} awk 'BEGIN { system(ENVIRON["Y"]) }'`,
  (text) => `sed 1e <<< ${quoted(text)}`,
  (text) => `env Y=${quoted(text)} bash -c 'eval "$Y"'`,
  (text) => `env -S 'bash -c' ${quoted(text)}`,
];

const SHELLS = [
  ...['bash -c', 'bash -ec', 'bash +e -c', 'bash --norc -c', 'bash -o pipefail -c', 'bash -O extglob -c'],
  ...[
    '/bin/bash -c',
    "'bash' -c",
    'ba""sh -c',
    'command bash -c',
    'env bash -c',
    '$BASH -c',
    'exec bash -c',
    'b=bash; $b -c',
  ],
];

const WRAPPERS = [
  ...['env', 'env -u X', 'env A=1', 'env --unset=X', 'nice', 'nice -n 3', 'nohup', 'timeout 20', 'timeout -k 1 20'],
  ...['stdbuf -o0', 'stdbuf --output=L', 'setsid -w', 'ionice -c 3', 'chrt -o 0', 'taskset -c 0', 'prlimit --core=0'],
  ...[
    'command',
    'command -p',
    'exec',
    'time',
    '/usr/bin/time -o /dev/null',
    'flock .',
    'unshare -m',
    'setpriv',
    'choom -n 0 --',
  ],
  ...['A=1', '2>&1', '</dev/null', 'env -C .', 'nsenter', 'runuser -u root --', 'chroot --skip-chdir /', 'setarch -R'],
];
