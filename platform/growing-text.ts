/** The number of pieces that are joined at a time. */
const PIECES = 256;

/**
 * A text that arrives in small pieces. A string that grows by concatenation keeps each piece with 50 bytes more, so the
 * pieces are joined now and then.
 */
export class GrowingText {
  #text = '';
  #pieces: string[] = [];

  add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    if (this.#pieces.length === PIECES) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#text;
  }

  #join(): void {
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}
