// The text of docs/pictures/rooms.svg: the folders of src as layers, the rooms of each in their order. The rooms come from
// the table that test/arch holds, so the picture cannot show a room that is gone, or leave out a new one.
import { loadSources } from './load-sources.mjs';

const SOURCES = `export { ROOMS } from './test/arch/support/rooms.ts';`;

/** From top to bottom: a layer imports from the layers below it. Folders of one layer stand side by side. */
const LAYERS = [
  ['cli'],
  ['admin'],
  ['host'],
  ['agent'],
  ['model', 'tools', 'permissions', 'hooks', 'mcp', 'sessions', 'config'],
  ['define'],
  ['wire'],
  ['util'],
];
/** Beside the layers, with what each of them imports. */
const ASIDE = {
  acp: 'admin, host, view',
  server: 'admin, host',
  web: 'sessions',
  plugins: 'config; host imports it',
  tui: 'wire, view, sdk',
  sdk: 'wire, define, sessions, config',
  testing: 'wire, and model to config',
};

const ABOUT = {
  cli: 'flags, terminal, print mode, subcommands',
  admin: 'what subcommands do without a session',
  host: 'a session, from its launch to its end',
  agent: 'the loop and one tool call',
  define: 'what programs define: tools and schemas',
  wire: 'every line, both ends of the protocol',
  util: 'no word of the domain',
  acp: 'editors',
  server: 'sessions over HTTP',
  web: 'the page of heddle web',
  plugins: 'installing plugins',
  tui: 'the terminal',
  sdk: 'query, sessions, client',
  testing: 'fakes and suites',
};

const WIDTH = 1080;
const MARGIN = 16;
const ASIDE_WIDTH = 250;
const MAIN_WIDTH = WIDTH - ASIDE_WIDTH - 3 * MARGIN;
const TITLE = 26;
const CHIP = 22;
const GAP = 6;
/** Of one letter of a room's name. */
const LETTER = 7.5;

const STYLE = `
  text { font: 12px ui-sans-serif, system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f; }
  .folder { font-weight: 700; font-size: 14px; } .about { fill: #57606a; }
  .box { fill: #ffffff; stroke: #8c959f; } .room { fill: #eaf2fb; stroke: #b6cfe8; }`;

export async function roomsPicture() {
  const { ROOMS } = await loadSources(SOURCES);
  const shown = new Set([...LAYERS.flat(), ...Object.keys(ASIDE)]);
  const forgotten = Object.keys(ROOMS).filter((folder) => !shown.has(folder));
  if (forgotten.length > 0) throw new Error(`scripts/lib/rooms-picture.mjs has no layer for ${forgotten.join(', ')}`);

  const parts = [];
  let y = MARGIN + TITLE;
  for (const folders of LAYERS) {
    const boxes = folders.length === 1 ? [wideBox(folders[0], ROOMS, y)] : narrowBoxes(folders, ROOMS, y);
    parts.push(...boxes.map(({ svg }) => svg));
    y += Math.max(...boxes.map(({ height }) => height)) + MARGIN;
  }
  let asideY = MARGIN + TITLE;
  for (const [folder, imports] of Object.entries(ASIDE)) {
    const box = asideBox(folder, imports, ROOMS, asideY);
    parts.push(box.svg);
    asideY += box.height + MARGIN;
  }
  return picture(parts, y);
}

function picture(parts, height) {
  const label = 'The folders of src, and the rooms in them';
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">`,
    `<style>${STYLE}\n</style>`,
    `<rect width="${WIDTH}" height="${height}" rx="9" fill="#f6f8fa"/>`,
    text(
      MARGIN,
      MARGIN + 10,
      'src: a folder imports only from folders below it; in a folder, a room imports only from rooms before it',
      'about',
    ),
    ...parts,
    '</svg>',
  ].join('\n')}\n`;
}

/** Names of the rooms of a folder, in their order; single files and the folder itself are not shown. */
function roomsOf(folder, rooms) {
  return (rooms[folder] ?? []).flat().filter((room) => room !== '.' && !room.endsWith('.ts'));
}

/** A layer of one folder: its rooms lie in rows, left to right. */
function wideBox(folder, rooms, y) {
  const chips = [];
  const left = MARGIN + 96;
  let x = left;
  let row = y + TITLE + GAP;
  for (const room of roomsOf(folder, rooms)) {
    const width = chipWidth(room);
    if (x + width > MARGIN + MAIN_WIDTH - GAP) {
      x = left;
      row += CHIP + GAP;
    }
    chips.push(chip(x, row, width, room));
    x += width + GAP;
  }
  const height = chips.length === 0 ? TITLE + GAP : row + CHIP + GAP - y;
  const head = [text(MARGIN + 10, y + 19, folder, 'folder'), text(left, y + 19, ABOUT[folder], 'about')];
  return { height, svg: [box(MARGIN, y, MAIN_WIDTH, height), ...head, ...chips].join('\n') };
}

/** A layer of several folders: the rooms of each lie below its name. */
function narrowBoxes(folders, rooms, y) {
  const width = (MAIN_WIDTH - (folders.length - 1) * GAP) / folders.length;
  const height = TITLE + Math.max(...folders.map((folder) => roomsOf(folder, rooms).length)) * (CHIP + GAP) + GAP;
  return folders.map((folder, index) => {
    const x = MARGIN + index * (width + GAP);
    return { height, svg: [box(x, y, width, height), ...column(folder, rooms, x, y, width)].join('\n') };
  });
}

function asideBox(folder, imports, rooms, y) {
  const x = 2 * MARGIN + MAIN_WIDTH;
  const height = 2 * TITLE + 18 + roomsOf(folder, rooms).length * (CHIP + GAP) + GAP;
  const lines = [ABOUT[folder], `imports ${imports}`].map((line, at) => text(x + 10, y + 38 + at * 18, line, 'about'));
  const inside = column(folder, rooms, x, y, ASIDE_WIDTH, TITLE + 18);
  return { height, svg: [box(x, y, ASIDE_WIDTH, height), ...lines, ...inside].join('\n') };
}

function column(folder, rooms, x, y, width, skip = 0) {
  const chips = roomsOf(folder, rooms).map((room, at) =>
    chip(x + GAP, y + TITLE + GAP + skip + at * (CHIP + GAP), width - 2 * GAP, room),
  );
  return [text(x + 10, y + 19, folder, 'folder'), ...chips];
}

function box(x, y, width, height) {
  return `<rect class="box" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="7"/>`;
}

function chip(x, y, width, room) {
  const shape = `<rect class="room" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${CHIP}" rx="5"/>`;
  return `${shape}${text(x + 8, y + 15, room)}`;
}

function chipWidth(room) {
  return Math.round(room.length * LETTER) + 18;
}

function text(x, y, words, kind) {
  return `<text${kind ? ` class="${kind}"` : ''} x="${round(x)}" y="${round(y)}">${words}</text>`;
}

function round(number) {
  return Math.round(number * 10) / 10;
}
