/** Reports the progress of the seeding at intervals; on a terminal in a single line that is overwritten. */
export interface SeedProgress {
  add(rows: number): void;
  /** Returns the final report: all added rows, and their rate. */
  end(): string;
}

const EVERY_MS = 1_000;
const LOG_INTERVAL_MS = 10_000;

export function createSeedProgress(
  total: number,
  output: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>,
  now: () => number = () => performance.now(),
): SeedProgress {
  const startedAt = now();
  const everyMs = output.isTTY ? EVERY_MS : LOG_INTERVAL_MS;
  let reportedAt = startedAt;
  let added = 0;
  const rate = (): number => (added / Math.max(1, now() - startedAt)) * 1_000;
  return {
    add(rows) {
      added += rows;
      if (now() - reportedAt < everyMs) return;
      reportedAt = now();
      const percent = ((added / total) * 100).toFixed(1);
      const left = formatDuration((total - added) / rate());
      const text = `${count(added)} of ${count(total)} rows, ${percent} %, ${count(rate())} rows/s, ${left} left`;
      output.write(output.isTTY ? `\r\u001b[2K  ${text}` : `  ${text}\n`);
    },
    end() {
      if (output.isTTY) output.write('\r\u001b[2K');
      return `${count(added)} generations in ${formatDuration((now() - startedAt) / 1_000)}, ${count(rate())} rows/s`;
    },
  };
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
