import { createDeadline } from '../../../platform/outbound-deadline.ts';
import type { LossReport } from './loss-report.ts';

/** Bodies that wait to be written, limited in number and in length (ADR 0016). */
export interface BodyQueue<Body> {
  /** Queues a body; never waits and never throws. `render` is called in a later turn of the event loop. */
  add(render: () => Body): void;
  /** Refuses further bodies, and waits for those under way, for a limited time. */
  close(): Promise<void>;
}

export interface BodyQueueOptions<Body> {
  losses: LossReport;
  /** Returns the length of a body in characters. */
  lengthOf(body: Body): number;
  /** Writes a batch. It never rejects, counts the bodies that it cannot write, and may empty the batch as it goes. */
  write(batch: Body[]): Promise<void>;
  /** Milliseconds for which the first body waits for others to be written with it; zero when absent. */
  gatherMs?: number;
}

/** The largest number of bodies at any time, those being written included. */
const MAX_BODIES = 1_000;
const MAX_CHARACTERS = 32 * 1024 ** 2;
/** The bodies that one statement writes. */
const BATCH = 32;
const CLOSE_TIMEOUT_MS = 5_000;

export function createBodyQueue<Body>(options: BodyQueueOptions<Body>): BodyQueue<Body> {
  const { losses, lengthOf, write, gatherMs = 0 } = options;
  const asked: (() => Body)[] = [];
  const waiting: Body[] = [];
  /** The number of bodies that were rendered and are neither written nor dropped yet. */
  let bodies = 0;
  let characters = 0;
  let rendering: NodeJS.Immediate | undefined;
  let writing: Promise<void> | undefined;
  let endGathering = (): void => {};
  let isClosed = false;

  const renderFirst = (): void => {
    const render = asked.shift();
    if (render === undefined) return;
    try {
      enqueue(render());
    } catch (error) {
      losses.add(1, error);
    }
  };

  // One body a turn: a large one must not hold up answers for longer than it takes itself.
  const renderNext = (): void => {
    renderFirst();
    rendering = asked.length > 0 ? setImmediate(renderNext) : undefined;
  };

  const enqueue = (body: Body): void => {
    const length = lengthOf(body);
    if (bodies >= MAX_BODIES || characters + length > MAX_CHARACTERS) throw new QueueFullError();
    bodies += 1;
    characters += length;
    waiting.push(body);
    writing ??= writeAll();
  };

  const gather = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const writeAll = async (): Promise<void> => {
    if (gatherMs > 0 && !isClosed) await gather();
    for (let batch = waiting.splice(0, BATCH); batch.length > 0; batch = waiting.splice(0, BATCH)) {
      const sizes = batch.map(lengthOf);
      await write(batch);
      bodies -= sizes.length;
      characters -= sizes.reduce((sum, size) => sum + size, 0);
    }
    // In the same turn in which nothing waited any more: the next body starts a new run.
    writing = undefined;
  };

  return {
    add(render) {
      if (isClosed || asked.length >= MAX_BODIES) {
        losses.add(1, new QueueFullError());
        return;
      }
      asked.push(render);
      rendering ??= setImmediate(renderNext);
    },
    async close() {
      isClosed = true;
      clearImmediate(rendering);
      while (asked.length > 0) renderFirst();
      endGathering();
      const deadline = createDeadline(CLOSE_TIMEOUT_MS);
      await deadline.limit(writing ?? Promise.resolve()).catch((error: unknown) => losses.add(bodies, error));
      deadline.clear();
      losses.flush();
    },
  };
}

class QueueFullError extends Error {
  constructor() {
    super('too many inputs and outputs wait to be stored');
    this.name = 'QueueFullError';
  }
}
