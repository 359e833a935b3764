/** Describes the rows of a statement: the type of each column, in TypeScript and in Postgres. */

/** The type of a column. `Value` is what the driver returns for it. */
export interface Column<Value> {
  /** The type's id in `pg_type`; undefined for a type that a migration creates, because its id differs by database. */
  readonly typeId: number | undefined;
  readonly isNullable: boolean;
  /** Lists the possible values; undefined when every value of the type is possible. */
  readonly values: readonly unknown[] | undefined;
  /** Returns the column with null allowed. */
  readonly orNull: Column<Value | null>;
  /** Never set at run time; TypeScript infers `Value` from it. */
  readonly value?: Value;
}

/** The columns of a statement's rows by their names. */
export type Shape = Readonly<Record<string, Column<unknown>>>;

/** The type of a row with these columns. */
export type RowOf<S extends Shape> = {
  -readonly [Name in keyof S]: S[Name] extends Column<infer Value> ? Value : never;
};

function column<Value>(
  typeId: number | undefined,
  values?: readonly Value[],
  isNullable = false,
): Column<Value> {
  return {
    typeId,
    isNullable,
    values,
    get orNull() {
      return column<Value | null>(typeId, values, true);
    },
  };
}

export const bool = column<boolean>(16);
export const bytea = column<Buffer>(17);
export const int2 = column<number>(21);
export const int4 = column<number>(23);
/** Arrives as a string, because a number would lose digits. */
export const int8 = column<string>(20);
export const float8 = column<number>(701);
/** Arrives as a string, because a number would lose digits. */
export const numeric = column<string>(1700);
export const text = column<string>(25);
export const timestamptz = column<Date>(1184);
export const uuid = column<string>(2950);

export const float8s = column<number[]>(1022);
export const int2s = column<number[]>(1005);
export const int8s = column<string[]>(1016);
export const texts = column<string[]>(1009);
export const uuids = column<string[]>(2951);

/** Returns a column of JSON. Nothing checks that the JSON has this type. */
export const json = <Value>(): Column<Value> => column(114);

/** Returns a column of binary JSON. Nothing checks that the JSON has this type. */
export const jsonb = <Value>(): Column<Value> => column(3802);

/** Returns a column of text that has one of these values. */
export const oneOf = <const Value extends string>(values: readonly Value[]): Column<Value> =>
  column(25, values);

/** Returns a column of an enum that a migration creates. */
export const enumOf = <const Value extends string>(values: readonly Value[]): Column<Value> =>
  column(undefined, values);

/** Returns the columns with null allowed, for a table in which a left join may find no row. */
export function orNull<S extends Shape>(shape: S): { [Name in keyof S]: Column<RowOf<S>[Name] | null> } {
  const columns = Object.entries(shape).map(([name, column]) => [name, column.orNull]);
  return Object.fromEntries(columns) as { [Name in keyof S]: Column<RowOf<S>[Name] | null> };
}

/**
 * Returns the columns as a list for `select` or `returning`: `i.created_at "createdAt"` for the name `createdAt` of the
 * table `i`. `expressions` has the SQL of computed columns, by name.
 */
export function selectList(
  shape: Shape,
  table?: string,
  expressions: Readonly<Record<string, string>> = {},
): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return Object.keys(shape)
    .map((name) => `${expressions[name] ?? prefix + snakeCase(name)} "${name}"`)
    .join(', ');
}

/**
 * Returns values under the names of their columns, without undefined ones: `created_at` for `createdAt`. Every property
 * must be a column.
 */
export function columnsOf(values: object): Record<string, unknown> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [snakeCase(name), value]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Compares the result of a statement with the shape that the code states. */
export type ShapeCheck = (shape: Shape, statement: string, result: CheckedResult) => void;

/** The part of a result that a check reads. */
export interface CheckedResult {
  fields: readonly { name: string; dataTypeID: number }[];
  rows: readonly Record<string, unknown>[];
}

let installed: ShapeCheck | undefined;

/** Checks all results from now on. Tests install a check; the product has none. */
export function installShapeCheck(check: ShapeCheck): void {
  installed = check;
}

/** Runs the check if there is one. */
export function checkShape(shape: Shape, statement: string, result: CheckedResult): void {
  installed?.(shape, statement, result);
}
