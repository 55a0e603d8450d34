import { expect, test } from 'vitest';
import { createSupervisor } from '../../../src/util/process/process-supervisor.ts';

test('[H-2] without a shell it says so once and does no harm', async () => {
  const messages: string[] = [];
  const said = new Promise<void>((resolve) => {
    const log = (level: string, message: string) => {
      messages.push(`${level}: ${message}`);
      resolve();
    };
    const supervisor = createSupervisor({
      mark: { environment: 'none', limits: 'none' },
      log,
      shell: '/nonexistent/sh',
    });
    supervisor.start();
    supervisor.watch(999_999);
    supervisor.forget(999_999);
    setTimeout(() => {
      supervisor.start();
      supervisor.dismiss();
    }, 20);
  });
  await said;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(messages).toEqual(['warn: No process supervisor: commands may outlive a killed run']);
});
