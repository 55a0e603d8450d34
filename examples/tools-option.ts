// Which tools there are: named ones, none, all, all but some. What is not there cannot be called.
import { type Options, query } from 'heddle';

const choices: Record<string, Options> = {
  'two of them': { tools: ['Read', 'Grep'] },
  none: { tools: [] },
  'all but Bash': { tools: { type: 'preset', preset: 'claude_code' }, disallowedTools: ['Bash'] },
};

for (const [name, options] of Object.entries(choices)) {
  const run = query({ prompt: 'hello', options: { model: 'offline', persistSession: false, ...options } });
  for await (const message of run) {
    if (message.type !== 'system' || message.subtype !== 'init') continue;
    const { tools } = message;
    const shown = tools.length > 5 ? `more than five, Bash among them: ${tools.includes('Bash')}` : tools.join(' ');
    console.log(`${name}: ${shown}`);
  }
}
