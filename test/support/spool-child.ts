import { createSpool } from '../../services/ledger/spool/spool.ts';
import { makeGeneration } from './make-generation.ts';

/**
 * A process that may not write files beyond a size, as on a disk that is full: spool.test.ts limits it. Tells what
 * was kept, and whether more would be let in, after each of its writes. Arguments: the directory, how many
 * generations each write has.
 */
const [directory = '', ...sizes] = process.argv.slice(2);
const spool = await createSpool({ directory, maxBytes: 1_000_000 });
const writes = [];
for (const size of sizes) {
  const generations = Array.from({ length: Number(size) }, () => makeGeneration());
  const error = await spool.append(generations).then(
    () => null,
    (reason: NodeJS.ErrnoException) => reason.code,
  );
  writes.push({ ids: generations.map(({ id }) => id), error, hasRoom: spool.hasRoom() });
}
process.stdout.write(JSON.stringify(writes));
