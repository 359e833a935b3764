import { createDeadline } from '../../../platform/outbound-deadline.ts';
import type { LossReport } from './loss-report.ts';

/** Holds bodies that wait to be written. Limits their number and their total length (ADR 0016). */
export interface BodyQueue<Body> {
  /** Queues a body; never waits and never throws. `render` is called in a later turn of the event loop. */
  add(render: () => Body): void;
  /** Refuses further bodies, and waits a limited time until the queued ones are written. */
  close(): Promise<void>;
}

export interface BodyQueueOptions<Body> {
  losses: LossReport;
  /** The largest number of bodies at any time, including those that a batch is writing. */
  maxBodies: number;
  /** Returns the length of a body in characters. */
  lengthOf(body: Body): number;
  /**
   * Writes a batch. It never rejects, counts the bodies that it cannot write, and may empty the batch as it goes. When
   * the signal aborts, the queue has given up all its bodies and counts them itself.
   */
  write(batch: Body[], signal: AbortSignal): Promise<void>;
  /** The time for which the first body waits for others, so that one batch writes them together. Zero when absent. */
  gatherMs?: number;
}

const MAX_CHARACTERS = 32 * 1024 ** 2;
/** The largest number of bodies that one statement writes. */
const BATCH = 32;
const CLOSE_TIMEOUT_MS = 5_000;

interface OpenQueue<Body> {
  options: BodyQueueOptions<Body>;
  renders: (() => Body)[];
  waiting: Body[];
  /** The number of bodies that were rendered and are neither written nor given up. */
  bodies: number;
  characters: number;
  rendering: NodeJS.Immediate | undefined;
  writing: Promise<void> | undefined;
  endGathering(): void;
  isClosed: boolean;
  /** Aborts when the queue is closed and its time is over. */
  givenUp: AbortController;
}

export function createBodyQueue<Body>(options: BodyQueueOptions<Body>): BodyQueue<Body> {
  const { losses } = options;
  const queue: OpenQueue<Body> = {
    options,
    renders: [],
    waiting: [],
    bodies: 0,
    characters: 0,
    rendering: undefined,
    writing: undefined,
    endGathering: (): void => {},
    isClosed: false,
    givenUp: new AbortController(),
  };

  return {
    add(render) {
      if (queue.isClosed || queue.renders.length >= options.maxBodies) {
        losses.add(1, new QueueFullError());
        return;
      }
      queue.renders.push(render);
      queue.rendering ??= setImmediate(() => renderNext(queue));
    },
    async close() {
      queue.isClosed = true;
      clearImmediate(queue.rendering);
      while (queue.renders.length > 0) renderFirst(queue);
      queue.endGathering();
      const deadline = createDeadline(CLOSE_TIMEOUT_MS);
      await deadline.limit(queue.writing ?? Promise.resolve()).catch((error: unknown) => {
        queue.givenUp.abort();
        losses.add(queue.bodies, error);
      });
      deadline.clear();
      losses.flush();
    },
  };
}

function renderFirst<Body>(queue: OpenQueue<Body>): void {
  const render = queue.renders.shift();
  if (render === undefined) return;
  try {
    enqueue(queue, render());
  } catch (error) {
    queue.options.losses.add(1, error);
  }
}

/** Renders one body in each turn of the event loop, so that other work runs between two large bodies. */
function renderNext<Body>(queue: OpenQueue<Body>): void {
  renderFirst(queue);
  queue.rendering = queue.renders.length > 0 ? setImmediate(() => renderNext(queue)) : undefined;
}

function enqueue<Body>(queue: OpenQueue<Body>, body: Body): void {
  const { lengthOf, maxBodies } = queue.options;
  const length = lengthOf(body);
  if (queue.bodies >= maxBodies || queue.characters + length > MAX_CHARACTERS) throw new QueueFullError();
  queue.bodies += 1;
  queue.characters += length;
  queue.waiting.push(body);
  queue.writing ??= writeAll(queue);
}

function gather<Body>(queue: OpenQueue<Body>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, queue.options.gatherMs);
    queue.endGathering = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function writeAll<Body>(queue: OpenQueue<Body>): Promise<void> {
  const { gatherMs = 0, lengthOf, write } = queue.options;
  const { signal } = queue.givenUp;
  if (gatherMs > 0 && !queue.isClosed) await gather(queue);
  for (let batch = queue.waiting.splice(0, BATCH); batch.length > 0; batch = queue.waiting.splice(0, BATCH)) {
    const sizes = batch.map(lengthOf);
    await write(batch, signal);
    if (signal.aborted) return;
    queue.bodies -= sizes.length;
    queue.characters -= sizes.reduce((sum, size) => sum + size, 0);
  }
  // Reset in the turn that found the queue empty, so that the next body starts a new run.
  queue.writing = undefined;
}

class QueueFullError extends Error {
  constructor() {
    super('too many inputs and outputs wait to be stored');
    this.name = 'QueueFullError';
  }
}
