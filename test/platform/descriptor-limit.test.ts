import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../dev/settings.ts';

test('descriptorLimit returns the limit of the process on open files', () => {
  const script = `import('./platform/descriptor-limit.ts').then((m) => console.log(m.descriptorLimit()))`;
  const command = 'ulimit -n 1234 && exec "$0" --no-warnings -e "$1"';
  const printed = execFileSync('sh', ['-c', command, process.execPath, script], { cwd: ROOT });
  expect(Number(printed)).toBe(1_234);
});
