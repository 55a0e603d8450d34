// How the scenes of the demo look: few colours, no line wider than 80 columns, and the meaning in words and marks too.
import { WriteStream } from 'node:tty';

const wantsColour = !process.env.NO_COLOR && (Boolean(process.env.FORCE_COLOR) || isColourful(process.stdout));

export const paint = {
  title: colour('1;36'),
  tool: colour('1'),
  good: colour('1;32'),
  bad: colour('1;31'),
  hint: colour('33'),
  dim: colour('2'),
};

export function say(text = '') {
  console.log(text);
}

/** The heading of a scene: the promise, and how it is tried here. */
export function scene(number, promise, how) {
  say(`\n${paint.title(`${number}  ${promise}`)}`);
  say(`   ${paint.dim(how)}\n`);
}

export function check(isKept, text) {
  say(`   ${isKept ? paint.good('✔') : paint.bad('✘')} ${text}`);
}

/** One line for a call of a tool, without the folder that the demo has made up. */
export function showCall({ name, input }, folder) {
  const what = input.command ?? shortInput(input);
  say(`   ${paint.tool(`● ${name}`)} ${cut(String(what).replaceAll(`${folder}/`, ''), 70 - name.length)}`);
}

export function showOutput(text) {
  say(`     ${paint.dim(`└ ${cut(text, 70)}`)}`);
}

function shortInput({ file_path, old_string, new_string }) {
  const file = String(file_path ?? '')
    .split('/')
    .at(-1);
  return old_string === undefined ? file : `${file}: ${old_string} → ${new_string}`;
}

function cut(text, width) {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

function isColourful(stream) {
  return stream instanceof WriteStream && stream.hasColors();
}

function colour(code) {
  return (text) => (wantsColour ? `\u001b[${code}m${text}\u001b[0m` : text);
}
