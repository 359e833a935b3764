import type { DialectEvent } from '../../../../providers/dialect-adapter.ts';
import type { Fields } from '../fields.ts';

/** The blocks of a message that is told in pieces: each is begun, said and ended before the next. */
export class EventBlocks {
  #events: DialectEvent[] = [];
  #next = 0;
  #open: { index: number; kind: string } | undefined;

  /** The index of the open block, if it is of this kind. */
  openOf(kind: string): number | undefined {
    return this.#open?.kind === kind ? this.#open.index : undefined;
  }

  /** Ends the one that is open. */
  start(kind: string, block: Fields): number {
    this.close();
    const index = this.#next;
    this.#next += 1;
    this.#open = { index, kind };
    this.#events.push({ type: 'content_block_start', index, content_block: block });
    return index;
  }

  say(index: number, delta: Fields): void {
    this.#events.push({ type: 'content_block_delta', index, delta });
  }

  close(): void {
    if (this.#open !== undefined) this.#events.push({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }

  /** What was said since the last time. */
  take(): DialectEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
