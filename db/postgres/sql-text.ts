/** Composes SQL statements from pieces, with every outside value as a parameter. */

/** A value that is bound to a statement. */
export type SqlValue = string | number | boolean | Date | Uint8Array | null | readonly SqlValue[];

/**
 * A piece of a statement. Texts and values alternate, and there is one text more. Create pieces only with `sql`,
 * `trustedText` and `joined`, so that no text of a caller becomes SQL.
 */
export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly SqlValue[];

  constructor(texts: readonly string[], values: readonly SqlValue[]) {
    this.texts = texts;
    this.values = values;
  }
}

/** Builds a piece from a template. Interpolated pieces are inserted as they are; other values become parameters. */
export function sql(strings: TemplateStringsArray, ...holes: (Sql | SqlValue)[]): Sql {
  const pieces = holes.map((hole) => (hole instanceof Sql ? hole : new Sql(['', ''], [hole])));
  return concatenated(
    strings.flatMap((text, index) => [trustedText(text), ...pieces.slice(index, index + 1)]),
  );
}

/** Returns a piece of trusted text: names of columns, lists of constants. */
export function trustedText(text: string): Sql {
  return new Sql([text], []);
}

/** Joins pieces, skipping undefined ones. */
export function joined(pieces: readonly (Sql | undefined)[], separator: string): Sql {
  const present = pieces.filter((piece) => piece !== undefined);
  return concatenated(
    present.flatMap((piece, index) => (index === 0 ? piece : [trustedText(separator), piece])),
  );
}

function concatenated(pieces: readonly Sql[]): Sql {
  const texts = [''];
  for (const piece of pieces) {
    texts.push(texts.pop() + piece.texts[0]!, ...piece.texts.slice(1));
  }
  return new Sql(
    texts,
    pieces.flatMap(({ values }) => values),
  );
}
