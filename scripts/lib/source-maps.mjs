// The source maps of the library: a file beside each bundle, thinned out.
//
// A bundle has lines as its source has, so a map need only say of each line where it comes from; with a segment for every
// word the maps would be as large as the code. What comes from other packages is not mapped: their sources are not ours.
// Nor are the sources in the maps: with them the package would be half as large again, and the code can be read as it is.
import path from 'node:path';

const INLINE = /\n?\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\n*$/;

/** Takes the maps out of these `files`, which the bundler wrote with the map inside, and puts each beside its bundle. */
export function writeMaps({ metafile, files, bundles }) {
  for (const bundle of bundles) {
    const text = files.get(bundle);
    const [whole, encoded] = INLINE.exec(text) ?? fail(bundle);
    const map = thinned(JSON.parse(Buffer.from(encoded, 'base64').toString()), bundle);
    const link = map ? `//# sourceMappingURL=${path.basename(bundle)}.map\n` : '';
    const code = `${text.slice(0, -whole.length)}\n${link}`;
    if (map) files.set(`${bundle}.map`, JSON.stringify(map));
    files.set(bundle, code);
    metafile.outputs[bundle].bytes = Buffer.byteLength(code);
  }
}

/** Puts lines, which nothing is mapped from, before a file with its map inside. */
export function withHead(text, head) {
  const [whole, encoded] = INLINE.exec(text) ?? fail(head);
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString());
  const mappings = ';'.repeat(linesIn(head)) + map.mappings;
  const inside = Buffer.from(JSON.stringify({ ...map, mappings })).toString('base64');
  return `${head}${text.slice(0, -whole.length)}\n//# sourceMappingURL=data:application/json;base64,${inside}\n`;
}

function linesIn(text) {
  return text.split('\n').length - 1;
}

function fail(bundle) {
  throw new Error(`source-maps: ${bundle} has no map in it`);
}

/** Null where nothing is left to map. */
function thinned({ sources, mappings }, bundle) {
  const places = sources.map((source) => source.replace(/^(\.\.\/)+/, ''));
  const kept = new Map();
  const numberOf = (at) => {
    if (!places[at].startsWith('src/')) return null;
    if (!kept.has(at)) kept.set(at, kept.size);
    return kept.get(at);
  };
  const lines = decode(mappings).map((segments) => oneForEachLine(segments, numberOf));
  if (kept.size === 0) return null;
  return {
    version: 3,
    sources: [...kept.keys()].map((at) => path.posix.relative(path.posix.dirname(bundle), places[at])),
    names: [],
    mappings: encode(lines),
  };
}

/** The first segment of a line, and those at which another line of the sources begins; or ours end, or begin. */
function oneForEachLine(segments, numberOf) {
  const kept = [];
  for (const { column, source, line, sourceColumn } of segments) {
    const number = source === undefined ? null : numberOf(source);
    const last = kept.at(-1);
    const next = number === null ? { column } : { column, source: number, line, sourceColumn };
    if (!last || last.source !== next.source || last.line !== next.line) kept.push(next);
  }
  return kept;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Lines of segments `{ column, source, line, sourceColumn }`, all counted from 0; the latter three may be absent. */
function decode(mappings) {
  let [source, line, sourceColumn] = [0, 0, 0];
  return mappings.split(';').map((text) => {
    let column = 0;
    const segments = text === '' ? [] : text.split(',').map(numbersIn);
    return segments.map((numbers) => {
      column += numbers[0];
      if (numbers.length === 1) return { column };
      source += numbers[1];
      line += numbers[2];
      sourceColumn += numbers[3];
      return { column, source, line, sourceColumn };
    });
  });
}

function encode(lines) {
  let [source, line, sourceColumn] = [0, 0, 0];
  const texts = lines.map((segments) => {
    let column = 0;
    const written = segments.map((segment) => {
      const numbers = [segment.column - column];
      column = segment.column;
      if (segment.source !== undefined) {
        numbers.push(segment.source - source, segment.line - line, segment.sourceColumn - sourceColumn);
        ({ source, line, sourceColumn } = segment);
      }
      return numbers.map(digitsOf).join('');
    });
    return written.join(',');
  });
  return texts.join(';');
}

/** Base64 digits of five bits, the lowest first; a sixth says that more follow, and the very first bit is the sign. */
function numbersIn(text) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const letter of text) {
    const digit = DIGITS.indexOf(letter);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function digitsOf(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>= 5;
    text += DIGITS[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
