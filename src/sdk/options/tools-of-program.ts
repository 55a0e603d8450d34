import type { CustomTool } from '../../define/tool.ts';
import type { GivenOptions } from './options.ts';

/** The tools of this program among those that `options.tools` lists. */
export function programTools(tools: GivenOptions['tools']): CustomTool[] {
  return Array.isArray(tools) ? tools.filter((tool) => typeof tool !== 'string') : [];
}
