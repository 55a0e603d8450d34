import type { Palette } from './row.ts';
import type { Widths } from './widths.ts';

/** What rows are made for. */
export interface RowContext {
  /** Most columns of prose: one less than the terminal has. */
  width: number;
  /** Most columns of prose where it differs; `Infinity`: the terminal breaks its lines. */
  proseWidth?: number;
  widths: Widths;
  palette: Palette;
}
