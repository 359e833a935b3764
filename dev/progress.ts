/** Reports current steps with their expected and actual durations. */
export interface Progress {
  say(text: string): void;
  /** Runs one step and reports its start, long durations, and its end. */
  step<T>(what: string, expected: string, work: () => Promise<T>): Promise<T>;
}

const REMINDER_MS = 10_000;

export function createProgress(write: (line: string) => void = (line) => console.log(line)): Progress {
  return {
    say: write,
    async step(what, expected, work) {
      const startedAt = Date.now();
      write(`${what} (${expected}) ...`);
      const reminder = setInterval(() => write(`  still running after ${seconds(startedAt)}`), REMINDER_MS);
      try {
        const result = await work();
        write(`  done after ${seconds(startedAt)}`);
        return result;
      } finally {
        clearInterval(reminder);
      }
    },
  };
}

function seconds(startedAt: number): string {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}
