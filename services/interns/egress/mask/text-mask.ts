/** Replaces the texts of secrets by placeholders in a stream of bytes, also where a text spans two chunks. */
import type { ValueAutomaton } from './value-automaton.ts';

/** Replaces texts in a stream of bytes. */
export interface StreamMask {
  /**
   * Returns the part of the stream that may be passed on. It holds back only bytes that may be the beginning of a
   * text.
   */
  write(chunk: Buffer): Buffer;
  /** Returns the bytes that were held back. */
  end(): Buffer;
}

export interface TextMask {
  /** Opens a mask for a stream, with a state of its own. */
  open(): StreamMask;
  /** Replaces texts in a whole text, whose characters are bytes. */
  replace(latin1: string): string;
}

/** Bytes to be replaced, counted from the first byte that was not passed on yet. */
interface Run {
  /** The first byte. When negative, the run overlaps replaced bytes and gets no placeholder of its own. */
  start: number;
  end: number;
  placeholder: Buffer;
}

/**
 * Builds a mask that puts placeholders in place of the texts of all automata. No byte of any occurrence passes.
 * Overlapping occurrences become one placeholder: that of the occurrence which begins first, and the longest of
 * several. The result does not depend on how the stream is cut into chunks.
 */
export function createTextMask(automata: readonly ValueAutomaton[]): TextMask {
  function open(): StreamMask {
    const nodes = automata.map(() => 0);
    let carry = NO_BYTES;
    let runs: Run[] = [];

    /** Passes on the bytes before `until`, and the placeholders of runs that begin there. */
    function passOn(chunk: Buffer, until: number): Buffer {
      const parts: Buffer[] = [];
      let passed = 0;
      let decided = 0;
      for (const { start, end, placeholder } of runs) {
        if (start >= until) break;
        pushBetween(parts, carry, chunk, passed, start);
        if (start >= 0) parts.push(placeholder);
        passed = end;
        decided += 1;
      }
      pushBetween(parts, carry, chunk, passed, until);
      passed = Math.max(passed, until);
      runs = runs.slice(decided).map((run) => shiftRun(run, passed));
      const partial = longestPartial();
      carry = partial.subarray(partial.length - (carry.length + chunk.length - passed));
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    }

    function longestPartial(): Buffer {
      let longest = NO_BYTES;
      for (const [n, automaton] of automata.entries()) {
        if (automaton.partialLength(nodes[n]!) > longest.length) longest = automaton.partialBytes(nodes[n]!);
      }
      return longest;
    }

    return {
      write(chunk) {
        const found: Run[] = [];
        for (const [n, automaton] of automata.entries()) {
          nodes[n] = automaton.scan(nodes[n]!, chunk, (at, length, placeholder) => {
            const end = carry.length + at;
            const run = { start: end - length, end, placeholder };
            if (automata.length === 1) addRun(runs, run);
            else found.push(run);
          });
        }
        for (const run of found.toSorted((a, b) => a.end - b.end)) addRun(runs, run);
        return passOn(chunk, carry.length + chunk.length - longestPartial().length);
      },
      end() {
        nodes.fill(0);
        return passOn(NO_BYTES, carry.length);
      },
    };
  }

  return {
    open,
    // Search first, because most headers contain none of the texts.
    replace: (latin1) => (automata.some(({ isIn }) => isIn(latin1)) ? replaceAll(open(), latin1) : latin1),
  };
}

/** Builds a mask that applies each of the masks to the output of the previous one. */
export function chainMasks(masks: readonly TextMask[]): TextMask {
  if (masks.length === 1) return masks[0]!;
  const open = (): StreamMask => {
    const streams = masks.map((mask) => mask.open());
    return {
      write: (chunk) => streams.reduce((passed, stream) => stream.write(passed), chunk),
      end: () =>
        streams.reduce((passed, stream) => Buffer.concat([stream.write(passed), stream.end()]), NO_BYTES),
    };
  };
  return { open, replace: (latin1) => masks.reduce((text, mask) => mask.replace(text), latin1) };
}

function replaceAll(stream: StreamMask, latin1: string): string {
  return Buffer.concat([stream.write(Buffer.from(latin1, 'latin1')), stream.end()]).toString('latin1');
}

const NO_BYTES: Buffer = Buffer.alloc(0);

/** Adds a run and joins it with the runs that it overlaps. The caller adds runs in the order of their ends. */
function addRun(runs: Run[], run: Run): void {
  let joined = run;
  for (let last = runs.at(-1); last !== undefined && last.end > joined.start; last = runs.at(-1)) {
    const first = last.start < joined.start ? last : joined;
    joined = { ...first, end: run.end };
    runs.pop();
  }
  runs.push(joined);
}

function shiftRun({ start, end, placeholder }: Run, by: number): Run {
  return { start: start - by, end: end - by, placeholder };
}

/** Adds the bytes from `from` to `to`, counted over both buffers. */
function pushBetween(parts: Buffer[], carry: Buffer, chunk: Buffer, from: number, to: number): void {
  if (from < carry.length && from < to) parts.push(carry.subarray(from, Math.min(to, carry.length)));
  const [start, end] = [Math.max(0, from - carry.length), to - carry.length];
  if (start < end) parts.push(chunk.subarray(start, end));
}
