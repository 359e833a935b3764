import { createLogger } from '../../platform/logger.ts';
import { onShutdown } from '../../platform/shutdown.ts';

/** The process that shutdown.test.ts stops. Arguments: the deadline, then what each step does. */
const STEPS: Record<string, () => Promise<void>> = {
  succeed: () => new Promise((resolve) => setImmediate(resolve)),
  fail: () => Promise.reject(new Error('could not close')),
  wait: () => new Promise((resolve) => void setTimeout(resolve, 1_500)),
  hang: () => new Promise(() => undefined),
};

const [deadlineMs, ...names] = process.argv.slice(2);
const steps = names.map((name, index) => ({
  name: `${index}-${name}`,
  run: async () => {
    process.stdout.write(`start ${index}-${name}\n`);
    await STEPS[name]?.();
    process.stdout.write(`done ${index}-${name}\n`);
  },
}));
const stop = onShutdown(createLogger({ level: 'warn', name: 'child' }), Number(deadlineMs), steps);
process.on('SIGUSR2', stop);
process.stdout.write('ready\n');
// Something that keeps the process alive until it is told to stop.
setInterval(() => undefined, 60_000);
