import { withKill } from '../editor/editor.ts';
import type { Register, VimText } from '../editor/vim-state.ts';

/** Keeps what was deleted or yanked, also for Ctrl+Y. `_` keeps nothing; a capital adds to its register. */
export function keepText({ editor, vim }: VimText, name: string | null, register: Register): VimText {
  if (name === '_' || (register.text === '' && !register.isLinewise)) return { editor, vim };
  const named = name === null || name === '"' ? null : name.toLowerCase();
  const before = named !== null && name !== named ? vim.registers[named] : undefined;
  const isLinewise = register.isLinewise || before?.isLinewise === true;
  const text = before ? `${before.text}${isLinewise ? '\n' : ''}${register.text}` : register.text;
  const kept = { text, isLinewise };
  const registers = { ...vim.registers, '"': kept, ...(named !== null && { [named]: kept }) };
  return { editor: withKill(editor, text), vim: { ...vim, registers } };
}

/** What p puts: what was killed last, also by Ctrl+W and its like. */
export function textToPut({ editor, vim }: VimText, name: string | null): Register | null {
  if (name !== null && name !== '"') return vim.registers[name.toLowerCase()] ?? null;
  const last = editor.kills.at(-1);
  const kept = vim.registers['"'];
  if (kept && (last === undefined || kept.text === last || kept.text === '')) return kept;
  return last === undefined ? null : { text: last, isLinewise: false };
}
