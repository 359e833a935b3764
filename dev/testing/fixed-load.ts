/** Measures the speed of the machine by a fixed load, so that the cost of tests can be compared between machines. */
import { createHash } from 'node:crypto';

const EVERY_MS = 20_000;
const ROUNDS = 2_000;
/** Like tests, the load reads and writes JSON, makes objects and strings, and hashes. */
const DOCUMENT = JSON.stringify(
  Array.from({ length: 200 }, (_, n) => ({
    id: n,
    name: `name ${n}`,
    tags: ['a', 'b', `${n}`],
    cost: n / 7,
  })),
);

/** Runs the load now and then, until `stop` returns its median cost in milliseconds of processor time. */
export function startFixedLoad(): { stop(): number } {
  runFixedLoad();
  const costs = [runFixedLoad()];
  const timer = setInterval(() => costs.push(runFixedLoad()), EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return costs.toSorted((one, other) => one - other)[costs.length >> 1] ?? 0;
    },
  };
}

function runFixedLoad(): number {
  const before = process.cpuUsage();
  let digest = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    const rows = JSON.parse(DOCUMENT) as { id: number; name: string; tags: string[]; cost: number }[];
    const text = JSON.stringify(rows.filter(({ id }) => id % 3 !== round % 3).toReversed());
    digest = createHash('sha256').update(digest).update(text).digest('hex');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
