/**
 * Every way in which these tests know to run one and the same denied command: how its name is written, what starts it,
 * and what that is nested in. Combined they are some ten thousands of command lines.
 */
export interface AttackOptions {
  /** The denied program and its arguments, as plain words. */
  name: string;
  args: string;
  /** The directory of the program. */
  bin: string;
}

export function shellAttacks(options: AttackOptions): string[] {
  const spelled = spellings(options);
  return spelled.flatMap((call) => STARTERS.flatMap((start) => NESTINGS.map((nest) => nest(start(call)))));
}

/** A part of them, spread evenly and always the same. */
export function sampleOf<T>(items: readonly T[], count: number, random: () => number): T[] {
  return Array.from({ length: count }, () => items[Math.floor(random() * items.length)] as T);
}

function spellings({ name, args, bin }: AttackOptions): string[] {
  const [first, rest, last] = [name.slice(0, 1), name.slice(1), name.slice(0, -1)];
  const hex = first.charCodeAt(0).toString(16);
  const names = [
    name,
    `'${name}'`,
    `"${name}"`,
    `${first}''${rest}`,
    `${first}""${rest}`,
    `\\${name}`,
    `${first}\\${rest}`,
    `$'${name}'`,
    `$'\\x${hex}${rest}'`,
    `$'\\${first.charCodeAt(0).toString(8)}'${rest}`,
    `$"${name}"`,
    `${bin}/${name}`,
    `${bin}/../bin/${name}`,
    `"${bin}"/${name}`,
    `${bin}/${last}?`,
    `${bin}/*${name}`,
    `${bin}/[${first}]${rest}`,
    `{${name},x}`,
    `${first}{${rest},}`,
    `\${nothing}${name}`,
    `${first}\${nothing}${rest}`,
    `"\${nothing-${name}}"`,
    `$(echo ${name})`,
    `"$(printf %s ${name})"`,
    `\`echo ${name}\``,
    `${first}\\\n${rest}`,
  ];
  return [...names.map((each) => `${each} ${args}`), `X=${name}; $X ${args}`, `X=${name}; "$X" ${args}`];
}

/** In single quotes for another shell to read. */
function quoted(code: string): string {
  return `'${code.replaceAll("'", `'\\''`)}'`;
}

const STARTERS: readonly ((call: string) => string)[] = [
  (call) => call,
  (call) => `env ${call}`,
  (call) => `env A=1 ${call}`,
  (call) => `env -u A ${call}`,
  (call) => `/usr/bin/env ${call}`,
  (call) => `env -S ${quoted(call)}`,
  (call) => `nohup ${call}`,
  (call) => `timeout 5 ${call}`,
  (call) => `timeout -s KILL 5 ${call}`,
  (call) => `nice -n 1 ${call}`,
  (call) => `setsid -w ${call}`,
  (call) => `stdbuf -o0 ${call}`,
  (call) => `command ${call}`,
  (call) => `builtin command ${call}`,
  (call) => `exec ${call}`,
  (call) => `time ${call}`,
  (call) => `time -p ${call}`,
  (call) => `sudo -u root ${call}`,
  (call) => `doas ${call}`,
  (call) => `busybox ${call}`,
  (call) => `unshare -U ${call}`,
  (call) => `prlimit sh -c ${quoted(call)}`,
  (call) => `setpriv -- bash -ec ${quoted(call)} name`,
  (call) => `A=1 ${call}`,
  (call) => `> /dev/null ${call}`,
  (call) => `2>&1 ${call}`,
  (call) => `echo x | xargs ${call}`,
  (call) => `echo x | xargs -n 1 ${call}`,
  (call) => `echo x | xargs -I{} ${call} {}`,
  (call) => `find . -maxdepth 0 -exec ${call} \\;`,
  (call) => `find . -maxdepth 0 -exec ${call} {} +`,
  (call) => `find . -maxdepth 0 -exec sh -c ${quoted(call)} \\;`,
  (call) => `flock lock ${call}`,
  (call) => `flock lock -c ${quoted(call)}`,
  (call) => `bash -c ${quoted(call)}`,
  (call) => `sh -c ${quoted(call)}`,
  (call) => `bash -ec ${quoted(call)} name`,
  (call) => `env bash -c ${quoted(call)}`,
  (call) => `bash -c ${quoted(`bash -c ${quoted(call)}`)}`,
  (call) => `bash -c "$(echo ${quoted(call)})"`,
  (call) => `eval ${call}`,
  (call) => `eval ${quoted(call)}`,
  (call) => `eval "$(echo ${quoted(call)})"`,
  (call) => `trap ${quoted(call)} EXIT`,
  (call) => `bash <<< ${quoted(call)}`,
  (call) => `bash <<'E'\n${call}\nE\n`,
  (call) => `bash <<E\n${call}\nE\n`,
  (call) => `echo ${quoted(call)} | sh`,
  (call) => `echo ${quoted(call)} | bash -s`,
  (call) => `printf '%s\\n' ${quoted(call)} | { bash; }`,
  (call) => `source <(echo ${quoted(call)})`,
  (call) => `. /dev/stdin <<< ${quoted(call)}`,
  (call) => `bash <(echo ${quoted(call)})`,
  (call) => `echo ${quoted(call)} > s.sh; bash s.sh`,
  (call) => `echo ${quoted(call)} > s.sh; chmod +x s.sh; ./s.sh`,
  (call) => `shopt -s expand_aliases\nalias y=${quoted(call)}\ny`,
  (call) => `y() { ${call}\n}; y`,
  (call) => `y() { "$@"; }; y ${call}`,
  (call) => `awk ${quoted(`BEGIN { system("${call.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}") }`)}`,
  (call) => `python3 -c ${quoted(`import os; os.system(${JSON.stringify(call)})`)}`,
  (call) => `git -c alias.y=${quoted(`!${call}`)} y`,
  (call) => `git -c core.pager=${quoted(call)} -p --version`,
  (call) => `PAGER=${quoted(call)} git -p help -a`,
  (call) => `git -c core.editor=true grep -O${quoted(call)} x`,
  (call) => `perl -e ${quoted(`system(${JSON.stringify(call)})`)}`,
  (call) => `sed ${quoted(`1e ${call}`)} /etc/hostname`,
  (call) => `x='a[$(${call})]'; echo $((x))`,
  (call) => `x='a[$(${call})]'; [[ $x -eq 0 ]]`,
  (call) => `test -v ${quoted(`a[$(${call})]`)}`,
  (call) => `x=${quoted(`$(${call})`)}; echo "\${x@P}"`,
  (call) => `PS4=${quoted(`$(${call})`)}; set -x; :`,
];

const NESTINGS: readonly ((code: string) => string)[] = [
  (code) => code,
  (code) => `(${code}\n)`,
  (code) => `{ ${code}\n}`,
  (code) => `true && ${code}`,
  (code) => `false || ${code}`,
  (code) => `echo a; ${code}`,
  (code) => `echo a\n${code}`,
  (code) => `echo a | ${code}`,
  (code) => `echo a |& ${code}`,
  (code) => `${code} | cat`,
  (code) => `${code} &\nwait`,
  (code) => `echo a & ${code}`,
  (code) => `! ${code}`,
  (code) => `if true; then ${code}\nfi`,
  (code) => `if ${code}\nthen :; fi`,
  (code) => `if false; then :; else ${code}\nfi`,
  (code) => `while true; do ${code}\nbreak; done`,
  (code) => `until ${code}\ndo break; done`,
  (code) => `for i in 1; do ${code}\ndone`,
  (code) => `case a in a) ${code}\n;; esac`,
  (code) => `f() { ${code}\n}; f`,
  (code) => `function g { ${code}\n}; g`,
  (code) => `echo $(${code}\n)`,
  (code) => `echo "$(${code}\n)"`,
  (code) => `x=$(${code}\n)`,
  (code) => `echo "\${x:-$(${code}\n)}"`,
  (code) => `cat <(${code}\n)`,
  (code) => `cat <<E\n$(${code}\n)\nE`,
  (code) => `[[ -n $(${code}\n) ]]`,
  (code) => `[ -n "$(${code}\n)" ]`,
  (code) => `echo a # a comment\n${code}`,
  (code) => `${'true; '.repeat(60)}${code}`,
  (code) => `cd . && ${code}`,
  (code) => `coproc { ${code}\n}; wait`,
];
