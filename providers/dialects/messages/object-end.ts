/** Detects when the streamed arguments of a tool call are complete. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** Finds the end of a JSON object that arrives in pieces. Reads every character once. */
export class ObjectEnd {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  addText(piece: string): void {
    for (let i = 0; i < piece.length; i += 1) {
      const code = piece.charCodeAt(i);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === QUOTE) this.#isInText = !this.#isInText;
      else if (this.#isInText) this.#isEscaped = code === BACKSLASH;
      else if (OPENING.has(code)) this.#depth += 1;
      else if (CLOSING.has(code)) {
        this.#depth -= 1;
        this.#isOver ||= this.#depth === 0;
      }
    }
  }
}
