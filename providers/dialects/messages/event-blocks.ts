/** Tracks which block of a streamed Anthropic message is open, and collects the events to send. */
import type { DialectEvent } from '../../dialect-adapter.ts';
import type { Fields } from '../../../domain/fields.ts';

/** Writes the blocks of a streamed message. Each block starts, gets its content and ends before the next one starts. */
export class EventBlocks {
  #events: DialectEvent[] = [];
  #next = 0;
  #open: { index: number; kind: string } | undefined;

  /** Returns the index of the open block if it is of this kind. */
  openOf(kind: string): number | undefined {
    return this.#open?.kind === kind ? this.#open.index : undefined;
  }

  /** Ends the open block and starts a new one. Returns the index of the new block. */
  start(kind: string, block: Fields): number {
    this.close();
    const index = this.#next;
    this.#next += 1;
    this.#open = { index, kind };
    this.#events.push({ type: 'content_block_start', index, content_block: block });
    return index;
  }

  addDelta(index: number, delta: Fields): void {
    this.#events.push({ type: 'content_block_delta', index, delta });
  }

  close(): void {
    if (this.#open !== undefined) this.#events.push({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }

  /** Returns the events written since the previous call of this method. */
  take(): DialectEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
