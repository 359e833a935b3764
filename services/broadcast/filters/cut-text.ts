/** Tests prompts and answers of which only a part was kept. */
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import type { FilterOperator } from '../../../domain/broadcast/filter-rules.ts';
import { piecesOf } from '../../../domain/broadcast/message-text.ts';
import { compileRegex, SEARCHED_CHARACTERS } from './regex.ts';

export type ContentField = NonNullable<BroadcastContent['wholeFields']>[number];

/** The kept part of a text. */
interface KeptText {
  /** True when the whole text is known not to be absent. */
  isPresent: boolean;
  /** Each piece is the beginning of a piece of the whole text. Pieces between them may be missing. */
  pieces: string[];
  /** The beginning of the whole text, if it was kept. */
  first?: string | undefined;
}

type CutTest = (kept: KeptText) => boolean | undefined;

/** Finds the parts of an expression that depend on what stands before or after the match. */
const LOOKS_BEYOND_MATCH = /[\^$]|\\[AbBz]/;

/** Returns whether a part of the field may be missing. */
export function isCut({ wholeFields }: BroadcastContent, field: ContentField): boolean {
  return wholeFields !== undefined && !wholeFields.includes(field);
}

/** Compiles a rule on a cut field. The result is undefined unless every possible whole text has the same result. */
export function compileCutTest(
  field: ContentField,
  operator: FilterOperator,
  wanted: string,
): (content: BroadcastContent) => boolean | undefined {
  const test = cutTest(operator, wanted);
  return ({ system, input, outputText }) =>
    test(
      field === 'input'
        ? { isPresent: true, pieces: piecesOf([system ?? '', ...input]), first: system }
        : { isPresent: outputText !== null, pieces: piecesOf(outputText ?? ''), first: outputText ?? '' },
    );
}

function cutTest(operator: FilterOperator, wanted: string): CutTest {
  switch (operator) {
    case 'exists':
      return ({ isPresent }) => isPresent || undefined;
    case 'not_exists':
      return negated(cutTest('exists', wanted));
    case 'equals':
      return ({ pieces }) => (pieces.every((piece) => wanted.includes(piece)) ? undefined : false);
    case 'contains':
      return ({ pieces }) => pieces.some((piece) => piece.includes(wanted)) || undefined;
    case 'not_equals':
      return negated(cutTest('equals', wanted));
    case 'not_contains':
      return negated(cutTest('contains', wanted));
    case 'starts_with':
      return ({ first = '' }) =>
        first.startsWith(wanted) || (first.length < wanted.length ? undefined : false);
    case 'regex':
      return regexTest(wanted);
    default:
      return () => undefined;
  }
}

function negated(test: CutTest): CutTest {
  return (kept) => {
    const result = test(kept);
    return result === undefined ? undefined : !result;
  };
}

function regexTest(wanted: string): CutTest {
  const matches = compileRegex(wanted);
  const looksBeyond = LOOKS_BEYOND_MATCH.test(wanted);
  return ({ pieces, first = '' }) => {
    if (first.length >= SEARCHED_CHARACTERS) return matches(first);
    return (!looksBeyond && searchedPieces(pieces).some(matches)) || undefined;
  };
}

/** Returns the pieces that begin within the searched part of the kept text. */
function searchedPieces(pieces: readonly string[]): string[] {
  let length = 0;
  return pieces.filter((piece) => {
    const isSearched = length < SEARCHED_CHARACTERS;
    length += piece.length;
    return isSearched;
  });
}
